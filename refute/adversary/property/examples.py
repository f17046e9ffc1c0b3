"""Examples become tests as they stand: the author's, those in a claim's text, those in docstrings."""

import ast
from collections.abc import Iterator, Sequence

from refute.adversary.attack import Category, Origin
from refute.adversary.property.awaiting import awaited
from refute.adversary.property.checks import check, lines_of_session
from refute.adversary.property.described import read_described
from refute.adversary.property.doctests import Session, blank_out, read_sessions, values_in
from refute.adversary.property.doubts import illustrates, left_open
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expected import Raises, Value
from refute.adversary.property.expressions import (
    dotted,
    free_names,
    parse_expression,
    parse_statements,
    source_of,
)
from refute.adversary.property.namespace import Namespace, Unresolved
from refute.adversary.property.notation import Inline, read_inline
from refute.adversary.property.surface import Documented, Function
from refute.ticket.record import Claim

_MAX_TEXT = 20_000
"""Characters of a claim or docstring in which examples are looked for."""
_SEVERAL = "the example {!r} shows one answer where the text allows several"


def author_examples(claim: Claim, namespace: Namespace) -> Iterator[Draft | Note]:
    """One test per entry of the claim's `examples`; Python decides, as written."""
    for written in claim.examples:
        yield _author_example(claim, written, namespace)


def _author_example(claim: Claim, written: str, namespace: Namespace) -> Draft | Note:
    expression = parse_expression(written)
    if expression is None:
        inline = [*text_examples(claim, written, Origin.AUTHOR_EXAMPLE, namespace)]
        drafts = [draft for draft in inline if isinstance(draft, Draft)]
        if len(drafts) == 1:
            return drafts[0]
    statements = [ast.Expr(value=expression)] if expression is not None else parse_statements(written)
    if not statements:
        return Note(claim=claim, reason=f"the example {written!r} is not Python")
    found = namespace.resolve(statements, promised=claim.text)
    if isinstance(found, Unresolved):
        return Note(claim=claim, reason=_undefined(written, found))
    *before, last = statements
    lines = [line for statement in before for line in source_of(statement).splitlines()]
    lines += _must_hold(last, namespace)
    return Draft(
        claim=claim,
        quote=quote_of(claim, written),
        category=_category(statements),
        origin=Origin.AUTHOR_EXAMPLE,
        label="example",
        detail=written,
        imports=found.imports,
        body=tuple(lines),
    )


def _must_hold(statement: ast.stmt, namespace: Namespace) -> list[str]:
    """An expression must be true; a bare call may return anything but False."""
    if not isinstance(statement, ast.Expr):
        return source_of(statement).splitlines()
    code = source_of(awaited(statement.value, namespace))
    if isinstance(statement.value, ast.Call):
        return [f"got = {code}", "assert got is not False"]
    return [f"assert {code}"]


def text_examples(
    claim: Claim, text: str, origin: Origin, namespace: Namespace, *, home: str = "", subject: Function | None = None
) -> Iterator[Draft | Note]:
    """Every example that stands in a text.

    Args:
        claim: the claim that the tests belong to.
        text: the claim's own text, or a docstring.
        origin: where the text stands.
        namespace: the names that examples may use.
        home: the module of a docstring.
        subject: the function that the text speaks of, where only one is possible.
    """
    text = text[:_MAX_TEXT]
    for session in read_sessions(text):
        yield from _of_session(claim, session, text, origin, namespace, home=home)
    for example in _inlines(blank_out(text), subject, namespace):
        if left_open(text, [example.expected]):
            yield Note(claim=claim, reason=_SEVERAL.format(example.quote))
        elif not _only_mentions(example.expression, namespace):
            yield _inline(claim, example, origin, namespace, home=home)


def _inlines(prose: str, subject: Function | None, namespace: Namespace) -> list[Inline]:
    """What stands in prose; of the subject also examples that leave out the call."""
    found = read_inline(prose, _known(namespace))
    if subject is None or subject.owner or subject.wants_objects or not subject.answers:
        return found
    names = tuple(p.name for p in subject.parameters if not p.variadic)
    required = sum(p.default is None and not p.variadic for p in subject.parameters)
    calls = {source_of(example.expression) for example in found}
    described = read_described(prose, subject.name, names, required)
    # Of a call that is written down the words around it may name more than the answer.
    return [*found, *(example for example in described if source_of(example.expression) not in calls)]


def _of_session(
    claim: Claim, session: Session, text: str, origin: Origin, namespace: Namespace, *, home: str
) -> Iterator[Draft | Note]:
    checks = [(step.statement, step.expected) for step in session.steps]
    code, shown = [step.statement for step in session.steps], values_in(session)
    # A claim promises what it calls, not the classes of libraries that only results show.
    promised = "" if free_names(shown) - free_names(code) else claim.text
    found = namespace.resolve([*code, *shown], home=home, promised=promised)
    first = session.steps[0].source
    if isinstance(found, Unresolved):
        yield Note(claim=claim, reason=_undefined(first, found))
    elif not found.reaches_implementation:
        return
    elif reason := illustrates(checks, namespace):
        yield Note(claim=claim, reason=reason)
    elif left_open(text, [expected for _, expected in checks]):
        yield Note(claim=claim, reason=_SEVERAL.format(first))
    else:
        body = tuple(lines_of_session(session, namespace))
        if not any(line.startswith(("assert", "with pytest.raises")) for line in body):
            yield Note(claim=claim, reason=f"the example {first!r} shows nothing that can be compared")
            return
        yield Draft(
            claim=claim,
            quote=quote_of(claim, first),
            category=_category([*code, *shown]),
            origin=origin,
            label="example",
            detail="\n".join(step.source for step in session.steps),
            imports=found.imports,
            body=body,
        )


def docstring_examples(claim: Claim, documented: Documented, namespace: Namespace) -> Iterator[Draft | Note]:
    """Every example of a docstring, for the claim that stands for it."""
    subject = namespace.surface.named(f"{documented.module}.{documented.subject}") if documented.subject else None
    yield from text_examples(
        claim, documented.text, Origin.DOCSTRING_EXAMPLE, namespace, home=documented.module, subject=subject
    )


def _only_mentions(expression: ast.expr, namespace: Namespace) -> bool:
    """`merge()` in prose names a function; it is a call only where nothing has to be passed."""
    needy = {name for face in namespace.surface.faces for name in face.needs_arguments}
    bare = [n for n in ast.walk(expression) if isinstance(n, ast.Call) and not n.args and not n.keywords]
    return any((dotted(call.func) or "").rpartition(".")[2] in needy for call in bare)


def _known(namespace: Namespace) -> frozenset[str]:
    """Names with which an example may start: public definitions, classes, modules."""
    names: set[str] = set()
    for face in namespace.surface.faces:
        names |= {name for name in face.defined if not name.startswith("_")}
        names.add(face.module.partition(".")[0])
    return frozenset(names)


def _inline(claim: Claim, example: Inline, origin: Origin, namespace: Namespace, *, home: str) -> Draft | Note:
    code: list[ast.AST] = [example.expression]
    match example.expected:
        case Value(plain=plain):
            code.append(plain)
        case Raises(name=name):
            code += [node for node in [parse_expression(name)] if node is not None]
        case _:
            pass
    found = namespace.resolve(code, home=home)
    if isinstance(found, Unresolved):
        return Note(claim=claim, reason=_undefined(example.quote, found))
    doubt = illustrates([(example.expression, example.expected)], namespace)
    if doubt and origin is not Origin.AUTHOR_EXAMPLE:
        return Note(claim=claim, reason=doubt)
    return Draft(
        claim=claim,
        quote=quote_of(claim, example.quote),
        category=_category(code),
        origin=origin,
        label="example",
        detail=example.quote,
        imports=found.imports,
        body=tuple(check(example.expression, example.expected, namespace, exact=example.strict)),
    )


def _undefined(written: str, found: Unresolved) -> str:
    names = ", ".join(f"`{name}`" for name in found.names)
    return f"the example {written!r} uses {names}, which neither the implementation nor Python defines"


def _category(code: Sequence[ast.AST]) -> Category:
    """Errors are failure modes, empty or negative or huge inputs are edges, the rest is smoke."""
    constants = [
        n for tree in code for n in ast.walk(tree) if isinstance(n, ast.Constant | ast.List | ast.Dict | ast.Tuple)
    ]
    names = {n.id for tree in code for n in ast.walk(tree) if isinstance(n, ast.Name)}
    if any(name.endswith(("Error", "Exception")) for name in names):
        return Category.FAILURE_MODE
    return Category.EDGE if any(_is_edge(node) for node in constants) else Category.SMOKE


def _is_edge(node: ast.Constant | ast.List | ast.Dict | ast.Tuple) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return not text or not text.isascii()
        case ast.Constant(value=value):
            return value is None or (isinstance(value, int) and not isinstance(value, bool) and value == 0)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return not items
        case ast.Dict(keys=keys):
            return not keys
