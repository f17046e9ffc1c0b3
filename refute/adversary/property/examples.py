"""Examples become tests as they stand: the author's, those in a claim's text, those in docstrings."""

import ast
import copy
import re
import textwrap
from collections.abc import Iterator

from refute.adversary.attack import Category, Origin
from refute.adversary.property.doctests import Step, blank_out, read_sessions, values_in
from refute.adversary.property.draft import Draft, Note
from refute.adversary.property.expected import Expected, Raises, Text, Value
from refute.adversary.property.expressions import dotted, is_call_of, parse_expression, parse_statements, source_of
from refute.adversary.property.namespace import Namespace, Unresolved
from refute.adversary.property.notation import Inline, read_described, read_inline
from refute.adversary.property.surface import Documented, Function
from refute.ticket.record import Claim

_SHOWS = 'assert _reads_like(expected, shown), f"expected {_shown(expected)}, got {_shown(shown)}"'
_DISAGREES = 'assert {call}, f"expected {{_shown(expected)}}, got {{_shown(got)}}"'


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
        quote=claim.text,
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
    code = source_of(_awaited(statement.value, namespace))
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
    quote = claim.text
    for session in read_sessions(text):
        found = namespace.resolve(values_in(session), home=home, promised=claim.text)
        first = session.steps[0].source
        if isinstance(found, Unresolved):
            yield Note(claim=claim, reason=_undefined(first, found))
        elif found.reaches_implementation:
            lines = [line for step in session.steps for line in _step(step, namespace)]
            in_claim = first in quote
            yield Draft(
                claim=claim,
                quote=first if in_claim and first else quote,
                category=_category(values_in(session)),
                origin=origin,
                label="example",
                detail="\n".join(step.source for step in session.steps),
                imports=found.imports,
                body=tuple(lines),
            )
    prose = blank_out(text)
    inline = read_inline(prose, _known(namespace))
    if subject is not None and not subject.owner:
        names = tuple(p.name for p in subject.parameters if not p.variadic)
        required = sum(p.default is None and not p.variadic for p in subject.parameters)
        inline += read_described(prose, subject.name, names, required)
    for example in inline:
        if not _only_mentions(example.expression, namespace):
            yield _inline(claim, example, origin, namespace, home=home)


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
    if example.expected is None:
        lines = [f"assert {source_of(example.expression)}"]
    else:
        lines = _check(example.expression, example.expected, namespace, exact=example.strict)
    return Draft(
        claim=claim,
        quote=example.quote if example.quote in claim.text else claim.text,
        category=_category(code),
        origin=origin,
        label="example",
        detail=example.quote,
        imports=found.imports,
        body=tuple(lines),
    )


def _step(step: Step, namespace: Namespace) -> list[str]:
    if not isinstance(step.statement, ast.Expr):
        if isinstance(step.expected, Raises):
            inner = source_of(step.statement).splitlines()
            return [f"with pytest.raises({step.expected.name}):", *(f"    {line}" for line in inner)]
        return source_of(step.statement).splitlines()
    expression = step.statement.value
    if step.expected is None:
        truth = isinstance(expression, ast.Compare)
        return [f"assert {source_of(expression)}" if truth else source_of(_awaited(expression, namespace))]
    return _check(expression, step.expected, namespace, exact=True)


def _check(expression: ast.expr, expected: Expected, namespace: Namespace, *, exact: bool) -> list[str]:
    code = source_of(_awaited(expression, namespace))
    prints = _prints(expression, namespace)
    same = "_same(expected, got)" if exact else "_same(expected, got, exact=False)"
    match expected:
        case Raises(name=name):
            return [f"with pytest.raises({name}):", f"    {code}"]
        case Value(plain=ast.Constant(value=True | False)) if isinstance(expression, ast.Compare):
            return [f"assert {'' if expected.source == 'True' else 'not '}({code})"]
        case Value() if not prints:
            return [f"expected = {expected.source}", f"got = {code}", _DISAGREES.format(call=same)]
        case Value(written=written):
            either = f"{same} or _reads_like({written!r}, shown)"
            return [f"expected = {expected.source}", *_transcribed(code), _DISAGREES.format(call=either)]
        case Text(text=text) if not prints and _says_nothing(text):
            return [code]
        case Text(text=text):
            return [f"expected = {textwrap.dedent(text)!r}", *_transcribed(code), _SHOWS]


def _transcribed(code: str) -> list[str]:
    """Run the call and keep what doctest would compare: the printed lines, then the result's repr where there is one."""
    return [
        "with contextlib.redirect_stdout(io.StringIO()) as printed:",
        f"    got = {code}",
        "shown = _transcript(printed.getvalue(), got)",
    ]


def _says_nothing(text: str) -> bool:
    """Prose after a call, or a default repr with an address: no promise about the result."""
    return " at 0x" in text or re.search(r"(?:[A-Za-z]{2,}[\s,.:;]+){3,}", text) is not None


def _prints(expression: ast.expr, namespace: Namespace) -> bool:
    """Whether an example shows what is printed: only where a called function prints at all."""
    called = {is_call_of(node) or "" for node in ast.walk(expression) if isinstance(node, ast.Call)}
    names = {name.rpartition(".")[2] for name in called}
    return "print" in names or any(f.writes_output and f.name in names for f in namespace.surface.callables())


def _awaited(expression: ast.expr, namespace: Namespace) -> ast.expr:
    """Async functions run to their end: `await f()` anywhere, and `f()` as the whole expression or a side of it."""
    return _Awaited(namespace).visit(copy.deepcopy(expression))


class _Awaited(ast.NodeTransformer):
    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def visit_Await(self, node: ast.Await) -> ast.expr:
        return _run(node.value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = is_call_of(node) or ""
        if called == "asyncio.run":
            return node
        self.generic_visit(node)
        function = self.namespace.surface.named(called)
        return _run(node) if function is not None and function.is_async and not function.owner else node


def _run(call: ast.expr) -> ast.expr:
    run = ast.Attribute(value=ast.Name(id="asyncio", ctx=ast.Load()), attr="run", ctx=ast.Load())
    return ast.Call(func=run, args=[call], keywords=[])


def _undefined(written: str, found: Unresolved) -> str:
    names = ", ".join(f"`{name}`" for name in found.names)
    return f"the example {written!r} uses {names}, which neither the implementation nor Python defines"


def _category(code: list[ast.AST] | list[ast.stmt]) -> Category:
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
