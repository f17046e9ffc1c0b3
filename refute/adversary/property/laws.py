"""The tests of a claim's own fields: its `property`, what `raises` an error, what gives the `same_as` another one."""

import ast
import builtins
import functools
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Category, Origin, Untested
from refute.adversary.property.checks import DISAGREES
from refute.adversary.property.draft import Draft, NotTested, attempt, quote_of
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.generator import Way, sampled, ways_to_call
from refute.adversary.property.given import beside_drawn, drawn, given_kinds
from refute.adversary.property.independence import UNSAFE, Evidence
from refute.adversary.property.namespace import LIBRARY, Namespace
from refute.adversary.property.surface import Function
from refute.ticket.record import Claim, Property, Raises

_IMPLEMENTATION: Final = "a public function of the implementation"
NO_INPUTS: Final = "no inputs can be made for it; give an example that calls it, or annotate its parameters"
"""Why a law has no test, and what would give it one."""


def field_tests(claim: Claim, published: Sequence[ast.Call], namespace: Namespace) -> Iterator[Draft | Untested]:
    """Tests for a claim's `property`, and for each entry of its `raises` and `same_as`.

    Args:
        claim: with the fields.
        published: calls in examples, as `calls.published_calls` finds them.
        namespace: the names that fields may use.
    """
    if block := claim.property:
        yield attempt(claim, "property:", functools.partial(_law, claim, block, namespace, published))
    for one in claim.raises:
        yield attempt(claim, f"raises, {one.error}:", functools.partial(_law, claim, one, namespace, published))
    for pair in claim.same_as.items():
        try:
            yield from _same_as(claim, pair, published, namespace)
        except NotTested as why:
            yield Untested(claim=claim, reason=f"same_as, {pair[0]}: {why}", field=f"same_as, {pair[0]}")


def _law(claim: Claim, block: Property | Raises, namespace: Namespace, published: Sequence[ast.Call]) -> Draft:
    """The test of a `property`, or of a call that `raises`, over what its `given` draws."""
    texts = [block.check] if isinstance(block, Property) else [block.error, block.call]
    kinds = given_kinds(block.given)
    read = {text: parse_expression(text) for text in (*texts, block.assume) if text}
    if None in read.values():
        wrong = next(text for text, node in read.items() if node is None)
        raise NotTested(f"{wrong!r} is not a Python expression")
    code, assumed = [node for text in texts if (node := read[text])], read.get(block.assume or "")
    conditions = [assumed] if assumed is not None else []
    also = beside_drawn(kinds, [*code, *conditions], namespace.surface, published)
    given, left = drawn(kinds, conditions, small=False, also=also)
    home = namespace.surface.home(" ".join(texts), claim.text)
    found = namespace.resolve([*code, *left], home=home, bound=kinds, promised=claim.text)
    evidence = Evidence(given=block.given, assume=assumed, names=namespace, claim=claim.text)
    assumptions = (f"assume({ast.unparse(condition)})" for condition in left)
    made = (
        _must_hold(claim, block, code[-1], evidence)
        if isinstance(block, Property)
        else _must_raise(claim, block, code[-1], evidence)
    )
    return replace(made, imports=found.imports, body=(*assumptions, *made.body), given=given)


def _must_hold(claim: Claim, block: Property, check: ast.expr, evidence: Evidence) -> Draft:
    doubt = evidence.doubt(check)
    return Draft(
        claim=claim,
        quote=quote_of(claim, block.check),
        category=Category.EDGE,
        origin=Origin.AUTHOR_PROPERTY if doubt else Origin.FIELD,
        label="property",
        detail=_detail(block.check, block.assume),
        body=(f"assert {ast.unparse(check)}",),
        doubt=doubt,
    )


def _must_raise(claim: Claim, one: Raises, call: ast.expr, evidence: Evidence) -> Draft:
    doubt = evidence.doubt_of_raising(call, one.error)
    authors = Origin.AUTHOR_PROPERTY if one.given else Origin.AUTHOR_EXAMPLE
    return Draft(
        claim=claim,
        quote=quote_of(claim, one.call, f"raise raises raised {one.error} {one.call}"),
        category=Category.FAILURE_MODE,
        origin=authors if doubt else Origin.FIELD,
        label=f"raises {one.error}",
        detail=_detail(f"{one.call} raises {one.error}", one.assume),
        body=(f"with pytest.raises({one.error}):", f"    _completes(lambda: {ast.unparse(call)})"),
        doubt=doubt,
    )


def _detail(told: str, assume: str | None) -> str:
    return f"{told}\nassuming {assume}" if assume else told


def _same_as(claim: Claim, pair: tuple[str, str], published: Sequence[ast.Call], namespace: Namespace) -> list[Draft]:
    name, other = pair
    function, reference = namespace.surface.named(name), namespace.surface.named(other)
    if function is None:
        raise NotTested(f"got {name!r}, expected {_IMPLEMENTATION}")
    if reference is None and not _in_library(other):
        expected = f"{_IMPLEMENTATION}, or a function of {', '.join(sorted(LIBRARY))}"
        raise NotTested(f"got {other!r}, expected {expected}")
    ways = ways_to_call(function, namespace, published, hints=function.does.seeds)
    plain = [way for way in ways if way.call.partition("(")[0] in function.names]
    if not plain:
        raise NotTested(NO_INPUTS)
    return [_compared(claim, way, function, reference or other, namespace) for way in plain]


def _in_library(name: str) -> bool:
    """Whether it is a function there, or a method of a builtin type: `str.removeprefix`."""
    owner, _, attribute = name.rpartition(".")
    kind = getattr(builtins, owner, None)
    holder = importlib.import_module(owner or "builtins") if (owner or "builtins") in LIBRARY else kind
    known = holder is not None and attribute not in UNSAFE and not attribute.startswith("_")
    return known and callable(getattr(holder, attribute, None))


def _compared(claim: Claim, way: Way, function: Function, other: Function | str, namespace: Namespace) -> Draft:
    """The calls of the function itself, and of the other one with the same arguments."""
    away = not isinstance(other, str) and other.module != function.module
    theirs = other if isinstance(other, str) else other.whole if away else other.qualified
    reference = f"{theirs}({way.call.partition('(')[2]}"
    module, _, _ = theirs.rpartition(".")
    if isinstance(other, str):
        imports = (*way.imports, *([f"import {module}"] if module in LIBRARY else []))
    else:
        both = [tree for code in (way.call, reference) if (tree := parse_expression(code)) is not None]
        imports = namespace.resolve(both, home=function.module, bound=way.holes).imports
    return Draft(
        claim=claim,
        quote=quote_of(claim, function.name, f"{function.name} same {theirs}"),
        category=Category.EDGE,
        origin=Origin.LIBRARY if isinstance(other, str) else Origin.AUTHOR_PROPERTY,
        label=f"same as {theirs}",
        detail=f"{function.qualified} gives the same as {theirs}",
        imports=imports,
        body=(
            f"{', '.join(way.holes)}, = copy.deepcopy(case)",
            f"_expected = _defined(lambda: {reference})",
            f"_got = _answer(lambda: {way.call})",
            f"assert _same(_expected, _got, exact=False), {DISAGREES}",
        ),
        given=(("case", sampled(way.rows)),),
    )
