"""Pieces of code without prompts whose lines build on each other: `s = Stack()`, `s.push(3)`, `s.top() == 3`."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.property.doctests import Session, Step, grouped
from refute.adversary.property.expected import Expected, Raises, Text, read_abbreviated, read_prefix, read_raised
from refute.adversary.property.expressions import bound_names, parse_expression, parse_statements
from refute.adversary.property.surface import Surface

_MAX_LINES: Final = 400
_MAX_STATEMENT_LINES: Final = 15
_ARROW: Final = re.compile(r"^(?P<code>[^#\n]*?\S)\s*(?:=+>|-+>|→|➞|⇒|➜|⟶|⟹)\s*(?P<value>\S.*)$")
_MARKED: Final = re.compile(
    r"(?i)#+\s*(?:=+>|-+>|→|➞|⇒|>)?\s*(?P<word>(?:it\s+)?(?:returns?|gives?|yields?|(?:expected\s+)?outputs?|prints?"
    r"|evaluates\s+to|result(?:\s+is)?|is|==?)(?=[\s:])\s*:?)?\s*(?P<value>\S.*)"
)
_RAISES: Final = re.compile(r"#+\s*(?:=+>|-+>|→|➞|⇒)?\s*(?:this |it |will )*(?:raises?|throws?)\b:?")
_EXPLICIT: Final = re.compile(
    r"(?i)#+\s*(?:=+>|-+>|→|➞|⇒|>|(?:expected\s+)?outputs?\s*:"
    r"|(?:it\s+)?(?:returns?|gives?|yields?|evaluates|prints?)\b)"
)
_OUTPUT: Final = re.compile(r"#+\s*(?:(?:expected\s+)?output\s*:|=+>|-+>|→|➞|⇒|>)\s*(?P<text>\S.*)", re.IGNORECASE)
_CODE: Final = (
    ast.Import
    | ast.ImportFrom
    | ast.Assign
    | ast.AnnAssign
    | ast.AugAssign
    | ast.Expr
    | ast.Assert
    | ast.With
    | ast.For
    | ast.FunctionDef
    | ast.Delete
)
_SHOWN: Final = (
    ast.Call | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.BinOp | ast.Await
)


def read_listings(text: str, surface: Surface) -> list[Session]:
    """Sessions of several lines, each with something to check.

    A line that stands for itself is an example in prose (`notation.py`). Left out: pieces that define a name of the
    implementation anew, and those with `...` where a value belongs.

    Args:
        text: without its `>>>` blocks.
        surface: tells which methods answer at all: `s.push(1)  # [1]` shows a state, not an answer.
    """
    found: list[Session] = []
    for steps in _runs(text.expandtabs(4).splitlines()[:_MAX_LINES], surface):
        statements = [step.statement for step in steps]
        if bound_names(statements) & surface.defined_names() or any(map(_has_gap, statements)):
            continue
        found += [
            session
            for session in grouped(steps)
            if _checks(session) and (len(session.steps) > 1 or _is_print(session.steps[0].statement))
        ]
    return found


def _checks(session: Session) -> bool:
    return any(
        step.expected is not None
        or isinstance(step.statement, ast.Assert)
        or (isinstance(step.statement, ast.Expr) and isinstance(step.statement.value, ast.Compare))
        for step in session.steps
    )


def _is_print(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
        case _:
            return False


def _has_gap(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Constant) and node.value is Ellipsis for node in ast.walk(statement))


def _runs(lines: Sequence[str], surface: Surface) -> Iterator[list[Step]]:
    """Steps of lines that follow each other as code; a line that is none ends a run."""
    run: list[Step] = []
    depth = position = 0
    while position < len(lines):
        line = lines[position]
        read = _statement(lines, position, surface) if line.strip() else None
        indent = len(line) - len(line.lstrip())
        if read is not None and (not run or indent == depth):
            run.append(read[0])
            depth, position = indent, read[1]
            continue
        if line.strip() and not line.lstrip().startswith("#"):
            yield run
            run = []
            if read is not None:
                continue
        position += 1
    yield run


def _statement(lines: Sequence[str], position: int, surface: Surface) -> tuple[Step, int] | None:
    """The statement that begins on a line, and the line after it."""
    if arrow := _arrow(lines[position]):
        return arrow, position + 1
    indent = len(lines[position]) - len(lines[position].lstrip())
    best: tuple[Step, int] | None = None
    for end in range(position + 1, min(len(lines), position + _MAX_STATEMENT_LINES) + 1):
        source = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[position:end])
        statements = parse_statements(source)
        if statements is None or len(statements) != 1 or not _is_code(statements[0]):
            if best is not None or (statements is not None and len(statements) > 1):
                break
            continue
        best = _step(statements[0], source, _below(lines, end), surface), end
        if not isinstance(statements[0], ast.With | ast.For | ast.FunctionDef):
            break
    return best


def _is_code(statement: ast.stmt) -> bool:
    """Whether a line is meant as code: a word of prose is a name, and `a - b` a computation, to Python."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, _SHOWN)
    return isinstance(statement, _CODE)


def _arrow(line: str) -> Step | None:
    """`s.top() -> 3`."""
    hit = _ARROW.match(line.strip())
    expression = parse_expression(hit["code"]) if hit else None
    value = read_prefix(hit["value"]) if hit else None
    if hit is None or value is None or not isinstance(expression, _SHOWN):
        return None
    return Step(statement=ast.Expr(value=expression), expected=value[0], source=line.strip())


def _below(lines: Sequence[str], end: int) -> str:
    """A comment on the next line that says of itself that it shows an output."""
    line = lines[end].strip() if end < len(lines) else ""
    return line if _EXPLICIT.match(line) else ""


def _step(statement: ast.stmt, source: str, below: str, surface: Surface) -> Step:
    comment = (_comment(source) or below) if isinstance(statement, ast.Expr) else ""
    expected = _told(comment)
    if expected is None and _is_print(statement) and (shown := _OUTPUT.match(comment)):
        expected = Text(text=shown["text"].strip())
    if expected is not None and not _EXPLICIT.match(comment) and not _answers(statement, surface):
        expected = None
    return Step(statement=statement, expected=expected, source=source.strip().partition("\n")[0])


def _comment(source: str) -> str:
    """The comment at the end of a statement's last line."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return ""
    return next((token.string for token in reversed(tokens) if token.type == tokenize.COMMENT), "")


def _told(comment: str) -> Expected | None:
    if raising := _RAISES.match(comment):
        raised = read_raised(comment[raising.end() :])
        return raised[0] if raised else None
    marked = _MARKED.match(comment)
    if marked is None:
        return None
    if named := re.fullmatch(r"(\w+(?:Error|Exception))\b.*", marked["value"]):
        return Raises(name=named[1])
    value = read_prefix(marked["value"])
    return (read_abbreviated(value[0]) or value[0]) if value else None


def _answers(statement: ast.stmt, surface: Surface) -> bool:
    """Whether what is called gives a value of its own: other methods are followed by the state that they leave."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            methods = [function for function in surface.callables() if function.name == name]
            return all(method.answers and not method.gives_itself for method in methods)
        case _:
            return True
