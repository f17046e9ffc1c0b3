"""The tests of a claim's own fields: what `raises` an error, and what gives the `same_as` another function."""

import ast
import importlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from refute.adversary.attack import Brief, Category, Origin
from refute.adversary.property.awaiting import awaited_apart, awaits
from refute.adversary.property.blocks import given_domains
from refute.adversary.property.bounds import absorb
from refute.adversary.property.calls import published_calls
from refute.adversary.property.domain import AUTHORS, strategies
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.generator import Inputs, inputs_of
from refute.adversary.property.independence import LIBRARY, UNSAFE, raises_independently
from refute.adversary.property.namespace import Namespace, Unresolved
from refute.adversary.property.phrases import DISAGREES
from refute.adversary.property.surface import Function
from refute.ticket.record import Claim, Raises

_MAX_CHARACTERS: Final = 6_000
"""Of the inputs of one test as Python."""
_IMPLEMENTATION: Final = "a public function of the implementation"


def field_tests(claim: Claim, brief: Brief, namespace: Namespace) -> Iterator[Draft | Note]:
    """One test for each entry of a claim's `raises` and `same_as`."""
    for one in claim.raises:
        yield _raises(claim, one, namespace)
    for name, other in claim.same_as.items():
        yield from _same_as(claim, (name, other), brief, namespace)


def sampled(rows: Sequence[tuple[Any, ...]]) -> str:
    """A Hypothesis strategy of rows, the first of which are the simplest; as many as fit into a test."""
    written, size = list[str](), 0
    for row in rows:
        size += len(repr(row)) + 2
        if size > _MAX_CHARACTERS:
            break
        written.append(repr(row))
    return f"st.sampled_from([{', '.join(written)}])"


def _raises(claim: Claim, one: Raises, namespace: Namespace) -> Draft | Note:
    field = f"raises, {one.error}"
    domains = given_domains(one.given)
    if isinstance(domains, str):
        return Note(claim=claim, reason=f"{field}, {domains}")
    error, call = parse_expression(one.error), parse_expression(one.call)
    assume = parse_expression(one.assume) if one.assume else None
    if error is None or call is None or (one.assume and assume is None):
        return Note(claim=claim, reason=f"{field}: {one.call!r} or {one.assume!r} is not a Python expression")
    narrowed, left = absorb(domains, [assume] if assume is not None else [])
    found = namespace.resolve([error, call, *left], bound=domains, promised=claim.text)
    if isinstance(found, Unresolved):
        return Note(claim=claim, reason=f"{field}: nothing defines {', '.join(f'`{name}`' for name in found.names)}")
    assumptions = [f"assume({source_of(condition)})" for condition in left]
    told = raises_independently(call, one.error, assume, one.given, namespace, claim=claim.text)
    authors = Origin.AUTHOR_PROPERTY if one.given else Origin.AUTHOR_EXAMPLE
    return Draft(
        claim=claim,
        quote=quote_of(claim, one.call, f"raises {one.error} {one.call}"),
        category=Category.FAILURE_MODE,
        origin=Origin.FIELD if told else authors,
        label=f"raises {one.error}",
        detail=f"{one.call} raises {one.error}" + (f"\nassuming {one.assume}" if one.assume else ""),
        imports=found.imports,
        body=(*assumptions, f"with pytest.raises({one.error}):", f"    {_completed(call, namespace)}"),
        given=strategies(narrowed, AUTHORS),
    )


def _completed(call: ast.expr, namespace: Namespace) -> str:
    """A call that runs to its end: a generator is read, a coroutine awaited."""
    if awaits([call]):
        return source_of(call)
    return f"_completes(lambda: {source_of(awaited_apart(call, namespace))})"


def _same_as(claim: Claim, pair: tuple[str, str], brief: Brief, namespace: Namespace) -> Iterator[Draft | Note]:
    name, other = pair
    function = namespace.surface.named(name)
    if function is None:
        yield Note(claim=claim, reason=f"same_as: got {name!r}, expected {_IMPLEMENTATION}")
        return
    reference = namespace.surface.named(other)
    origin = Origin.AUTHOR_PROPERTY if reference else Origin.LIBRARY
    if reference is None and not _in_library(other):
        expected = f"{_IMPLEMENTATION}, or a function of {', '.join(sorted(LIBRARY))}"
        yield Note(claim=claim, reason=f"same_as, {name}: got {other!r}, expected {expected}")
        return
    ways = inputs_of(function, namespace.surface, published_calls(brief, namespace.surface), guess=False)
    made = [_compared(claim, way, function, reference or other, namespace, origin) for way in ways]
    drafts = [draft for draft in made if draft is not None]
    yield from drafts
    if not drafts:
        yield Note(claim=claim, reason=no_inputs("same_as", name))


def no_inputs(field: str, name: str) -> str:
    """Why a law has no test, and what would give it one."""
    return f"{field}, {name}: no inputs can be made for it; give an example that calls it, or annotate its parameters"


def _in_library(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    module = module or "builtins"
    known = module in LIBRARY and attribute not in UNSAFE and not attribute.startswith("_")
    return known and callable(getattr(importlib.import_module(module), attribute, None))


def _defines(namespace: Namespace, name: str) -> bool:
    tree = parse_expression(name)
    return tree is not None and not isinstance(namespace.resolve([tree]), Unresolved)


def _compared(
    claim: Claim, way: Inputs, function: Function, other: Function | str, namespace: Namespace, origin: Origin
) -> Draft | None:
    """The calls of the function itself, and of the other one with the same arguments."""
    if not way.call.startswith(f"{function.callee}("):
        return None
    theirs = other if isinstance(other, str) else other.callee
    reference = way.call.replace(function.callee, theirs, 1)
    module, _, _ = theirs.rpartition(".")
    ours = [way.call] if isinstance(other, str) else [way.call, reference]
    refusals = [error for error in function.refuses_with if _defines(namespace, error)]
    trees = [tree for code in (*ours, *refusals) if (tree := parse_expression(code)) is not None]
    found = namespace.resolve(trees, bound=way.holes)
    if isinstance(found, Unresolved):
        return None
    imports = [f"import {module}"] if isinstance(other, str) and module else []
    return Draft(
        claim=claim,
        quote=quote_of(claim, function.name, f"{function.name} same {theirs}"),
        category=Category.EDGE,
        origin=origin,
        label=f"same as {theirs}",
        detail=f"{function.qualified} gives the same as {theirs}",
        imports=(*found.imports, *imports),
        body=(
            f"{', '.join(way.holes)}, = copy.deepcopy(case)",
            f"expected = _defined(lambda: {reference})",
            f"got = _answer(lambda: {', '.join([way.call, *refusals])})",
            f"assert _same(expected, got, exact=False), {DISAGREES}",
        ),
        given=(("case", sampled(way.rows)),),
    )
