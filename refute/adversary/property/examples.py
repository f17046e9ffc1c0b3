"""Examples become tests as they stand: the author's, those in a claim's text, those in docstrings."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from refute.adversary.attack import Category, Origin
from refute.adversary.property.awaiting import awaited
from refute.adversary.property.checks import check, lines_of_session
from refute.adversary.property.circumstances import illustrates, one_of_several, only_shown
from refute.adversary.property.described import read_described
from refute.adversary.property.doctests import Session, Step, blank_out, read_sessions, values_in
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expected import Raises, Value, read_value
from refute.adversary.property.expressions import as_locals, dotted, parse_expression, parse_statements, source_of
from refute.adversary.property.latitude import any_of_several, any_order, changes_in_place, documents_none
from refute.adversary.property.namespace import STANDARD_MODULES, Namespace, Unresolved
from refute.adversary.property.notation import Inline, called_names, read_inline
from refute.adversary.property.quotes import plain_quotes
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
    *before, last = as_locals(statements)
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
    text = plain_quotes(text[:_MAX_TEXT])
    told = _Told(claim=claim, text=text, origin=origin, namespace=namespace, home=home)
    for session in told.sessions():
        yield from _of_session(told, session)
    for example in told.inlines(subject):
        if told.several and one_of_several([example.expected]):
            yield Note(claim=claim, reason=_SEVERAL.format(example.quote))
        elif not _only_mentions(example.expression, namespace):
            yield _inline(claim, replace(example, ordered=told.ordered), origin, namespace, home=home)
    if origin is Origin.CLAIM_EXAMPLE:
        yield from told.of_others()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A text with examples, and whose it is."""

    claim: Claim
    text: str
    origin: Origin
    namespace: Namespace
    home: str

    @property
    def ordered(self) -> bool:
        """Whether the items of a list have to stand as written."""
        return not any_order(self.text)

    @property
    def several(self) -> bool:
        """Whether a value that it shows is one right answer of several."""
        return any_of_several(self.text)

    def sessions(self) -> list[Session]:
        """What is shown as a console or as code shows it."""
        prose = blank_out(self.text)
        consoles = read_sessions(self.text)
        shown = any(step.expected is not None for session in consoles for step in session.steps)
        if shown and documents_none(prose):
            consoles = [_with_none(session, self.namespace) for session in consoles]
        return consoles

    def of_others(self) -> Iterator[Note]:
        """Examples of functions that are not there, which may be misspelt."""
        prose = blank_out(self.text)
        others = called_names(prose) - _known(self.namespace) - set(dir(builtins)) - STANDARD_MODULES
        for example in read_inline(prose, frozenset(others)) if others else ():
            names = tuple(sorted(others & called_names(example.quote)))
            yield Note(claim=self.claim, reason=_undefined(example.quote, Unresolved(names=names)))

    def inlines(self, subject: Function | None) -> list[Inline]:
        """What stands in its prose; of the subject also examples that leave out the call."""
        prose, known = blank_out(self.text), _known(self.namespace)
        found = read_inline(prose, known)
        if subject is None or subject.owner:
            return found
        names = tuple(p.name for p in subject.parameters if not p.variadic)
        required = sum(p.default is None and not p.variadic for p in subject.parameters)
        calls = {source_of(example.expression) for example in found}
        if not subject.wants_objects and (subject.answers or not changes_in_place(self.text)):
            described = read_described(prose, subject.name, names, required)
            # Of a call that is written down the words around it may name more than the answer.
            found += [example for example in described if source_of(example.expression) not in calls]
        return found


def _of_session(told: _Told, session: Session) -> Iterator[Draft | Note]:
    claim, namespace = told.claim, told.namespace
    shown = only_shown(session, namespace)
    found = namespace.resolve(values_in(session), home=told.home, bound=shown, promised=claim.text)
    first = session.steps[0].source
    if isinstance(found, Unresolved):
        yield Note(claim=claim, reason=_undefined(first, found))
    elif not found.reaches_implementation:
        return
    elif reason := _illustrates(session, namespace):
        yield Note(claim=claim, reason=reason)
    elif told.several and one_of_several([step.expected for step in session.steps]):
        yield Note(claim=claim, reason=_SEVERAL.format(first))
    else:
        body = tuple(lines_of_session(session, namespace, ordered=told.ordered))
        if not any(line.startswith(("assert", "with pytest.raises")) for line in body):
            yield Note(claim=claim, reason=f"the example {first!r} shows nothing that can be compared")
            return
        yield Draft(
            claim=claim,
            quote=quote_of(claim, first),
            category=_category(values_in(session)),
            origin=told.origin,
            label="example",
            detail="\n".join(step.source for step in session.steps),
            imports=found.imports,
            body=body,
        )


def _with_none(session: Session, namespace: Namespace) -> Session:
    """A `>>>` call below which nothing is shown gave None, where that is a documented answer."""
    return replace(session, steps=tuple(_none_shown(step, namespace) for step in session.steps))


def _none_shown(step: Step, namespace: Namespace) -> Step:
    match step.statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if step.silent:
            function = namespace.surface.named(name)
            plain = function is not None and not function.owner and function.answers and not function.writes_output
            return replace(step, expected=read_value("None")) if plain else step
        case _:
            return step


def docstring_examples(claim: Claim, documented: Documented, namespace: Namespace) -> Iterator[Draft | Note]:
    """Every example of a docstring, for the claim that stands for it."""
    subject = namespace.surface.named(f"{documented.module}.{documented.subject}") if documented.subject else None
    yield from text_examples(
        claim, documented.text, Origin.DOCSTRING_EXAMPLE, namespace, home=documented.module, subject=subject
    )


def _illustrates(session: Session, namespace: Namespace) -> str:
    said = "\n".join(step.source for step in session.steps)
    return illustrates([(step.statement, step.expected) for step in session.steps], namespace, said=said)


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
    said = claim.text if origin is Origin.CLAIM_EXAMPLE else example.quote
    if origin is not Origin.AUTHOR_EXAMPLE and (
        reason := illustrates([(example.expression, example.expected)], namespace, said=said)
    ):
        return Note(claim=claim, reason=reason)
    if example.expected is None:
        lines = [f"assert {source_of(example.expression)}"]
    else:
        lines = check(example.expression, example.expected, namespace, exact=example.strict, ordered=example.ordered)
    return Draft(
        claim=claim,
        quote=quote_of(claim, example.quote),
        category=_category(code),
        origin=origin,
        label="example",
        detail=example.quote,
        imports=found.imports,
        body=tuple(lines),
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
