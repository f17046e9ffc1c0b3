"""Examples become tests as they stand: the author's, those in a claim's text, those in docstrings."""

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Category, Origin, Untested
from refute.adversary.property.checks import CHECKS, DISAGREES, lines_of
from refute.adversary.property.doubts import illustrates
from refute.adversary.property.draft import Draft, NotTested, attempt, quote_of
from refute.adversary.property.expressions import dotted, parse_expression
from refute.adversary.property.namespace import Namespace, Resolved
from refute.adversary.property.notation import read_inline
from refute.adversary.property.sessions import Example, blank_out, read_sessions
from refute.adversary.property.surface import Documented, Function
from refute.adversary.property.values import Raises
from refute.adversary.references import names_in
from refute.ticket.record import Claim

_EDGES: Final = frozenset({"''", "0", "None", "[]", "()", "{}"})
_MAX_TEXT: Final = 20_000
"""Characters of a claim or docstring in which examples are looked for."""


def author_examples(claim: Claim, namespace: Namespace) -> Iterator[Draft | Untested]:
    """A test for each entry of the claim's `examples`, or each session of one; Python decides, as written."""
    for written in claim.examples:
        if written.lstrip().startswith(">>>"):
            part = f"the session {written.lstrip().partition(chr(10))[0]!r}"
            none = Untested(claim=claim, reason=f"{part} shows nothing of the code that can be compared")
            found = list(text_examples(claim, written, Origin.AUTHOR_EXAMPLE, namespace)) or [none]
            yield from (replace(one, field=part) if isinstance(one, Untested) else one for one in found)
            continue
        made = functools.partial(_author_example, claim, written, namespace)
        yield attempt(claim, f"the example {written!r}", made)


def _author_example(claim: Claim, written: str, namespace: Namespace) -> Draft:
    expression = parse_expression(written)
    if expression is None:  # `f(3) raises E`
        found = text_examples(claim, written, Origin.AUTHOR_EXAMPLE, namespace)
        drafts = [draft for draft in found if isinstance(draft, Draft)]
        if len(drafts) != 1:
            raise NotTested("is not Python")
        return drafts[0]
    home = namespace.surface.home(written, claim.text)
    names = namespace.resolve([expression], home=home, promised=claim.text)
    return _draft(claim, (written, written), [expression], Origin.AUTHOR_EXAMPLE, names, _must_hold(expression))


def _must_hold(expression: ast.expr) -> list[str]:
    """It must be true; a bare call may return anything but False."""
    code = ast.unparse(expression)
    match expression:
        case ast.Call():
            return [f"_got = {code}", "assert _got is not False"]
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str(text))]):
            # Told by ourselves: pytest cuts texts that are long, and shows no blanks.
            got = ast.unparse(left)
            return [f"_got = {got}", f"_expected = {text!r}", f"assert _got == _expected, {DISAGREES}"]
        case _:
            return [f"assert {code}"]


def text_examples(
    claim: Claim, text: str, origin: Origin, namespace: Namespace, *, home: str = "", subject: Function | None = None
) -> Iterator[Draft | Untested]:
    """Every example that stands in a text.

    Args:
        claim: the claim that the tests belong to.
        text: the claim's own text, or a docstring.
        origin: where the text stands.
        namespace: the names that examples may use.
        home: the module of a docstring.
        subject: the function that the text speaks of, where only one is possible.
    """
    if len(text) > _MAX_TEXT:  # cut between paragraphs: half of a result refutes right code
        text = text[:_MAX_TEXT].rpartition("\n\n")[0]
    home = home or namespace.surface.home(text, claim.text)
    inline = read_inline(blank_out(text), namespace.surface.public_names(), subject)
    shared = namespace.surface.named_in(claim.text) if origin is Origin.DOCSTRING_EXAMPLE else ()
    named = {one.name for one in shared}
    for example in (*read_sessions(text), *(one for one in inline if not _only_mentions(one, namespace))):
        if named and named.isdisjoint(name for tree in example.code for name in names_in(tree)):
            continue  # of a class that the claim names for another method
        try:
            names = _names_of(example, namespace, home)
            if names.reaches_implementation:
                yield _tested(claim, text, example, origin, namespace, names)
        except NotTested as why:
            yield Untested(claim=claim, reason=f"the example {example.quote!r} {why}")


def _names_of(example: Example, namespace: Namespace, home: str) -> Resolved:
    """Where the names of an example come from. Raises NotTested: one comes from nowhere."""
    try:
        return namespace.resolve([*example.code, *example.shown], home=home)
    except NotTested:
        if not example.exact or any(isinstance(step.expected, Raises) for step in example.steps):
            raise
        return namespace.resolve(example.code, home=home)  # a session may show the repr of a library's object: a text


def _tested(claim: Claim, text: str, example: Example, origin: Origin, namespace: Namespace, names: Resolved) -> Draft:
    """The test of an example whose names are known; a docstring's message may be that of another release."""
    lines = lines_of(example.without_messages() if origin is Origin.DOCSTRING_EXAMPLE else example, namespace)
    if origin is not Origin.AUTHOR_EXAMPLE and (reason := illustrates(text, example, namespace)):
        raise NotTested(reason)
    if not any(line.startswith(CHECKS) for line in lines):
        raise NotTested("shows nothing that can be compared")
    code, detail = [*example.code, *example.shown], "\n".join(map(str, example.steps))
    return _draft(claim, (example.quote, detail), code, origin, names, lines)


def _draft(
    claim: Claim, told: tuple[str, str], code: Sequence[ast.AST], origin: Origin, names: Resolved, lines: Sequence[str]
) -> Draft:
    return Draft(
        claim=claim,
        quote=quote_of(claim, told[0]),
        category=_category(code),
        origin=origin,
        label="example",
        detail=told[1],
        imports=names.imports,
        body=tuple(lines),
    )


def docstring_examples(claim: Claim, documented: Documented, namespace: Namespace) -> Iterator[Draft | Untested]:
    """Every example of a docstring, for the claim that stands for it."""
    subject = namespace.surface.named(f"{documented.module}.{documented.subject}") if documented.subject else None
    yield from text_examples(
        claim, documented.text, Origin.DOCSTRING_EXAMPLE, namespace, home=documented.module, subject=subject
    )


def _only_mentions(example: Example, namespace: Namespace) -> bool:
    """`merge()` in prose names a function; it is a call only where nothing has to be passed."""
    calls = [node for tree in example.code for node in ast.walk(tree) if isinstance(node, ast.Call)]
    bare = {(dotted(call.func) or "").rpartition(".")[2] for call in calls if not call.args and not call.keywords}
    named = (function for function in namespace.surface.callables() if function.name in bare)
    return any(one.default is None and not one.variadic for function in named for one in function.parameters)


def _category(code: Sequence[ast.AST]) -> Category:
    """Errors are failure modes, empty or zero or foreign inputs are edges, the rest is smoke."""
    written = {ast.unparse(node) for tree in code for node in ast.walk(tree) if isinstance(node, ast.expr)}
    if any(name.endswith(("Error", "Exception")) for name in written):
        return Category.FAILURE_MODE
    return Category.EDGE if not written.isdisjoint(_EDGES) or not all(map(str.isascii, written)) else Category.SMOKE
