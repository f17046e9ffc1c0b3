"""`>>>` examples in a text, as doctest reads them, and somewhat more forgiving: see `read_sessions`."""

import ast
import doctest
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from refute.adversary.property.expected import Expected, Raises, Text, Value, read_abbreviated, read_value
from refute.adversary.property.expressions import as_locals, bound_names, free_names, parse_statements

_PROMPT = re.compile(r"^(\s*(?:>>>|\.\.\.))(?=[^\s.>])", re.MULTILINE)
_SINGLE = re.compile(r"^(?P<indent>[ \t]*)> (?P<call>\S.*\))[ \t]*$(?=\n(?P=indent)[^\s>])", re.MULTILINE)
"""One angle bracket, as other languages' consoles show, with a result below that is none."""
_IPYTHON_IN = re.compile(r"^(?P<indent>[ \t]*)In ?\[\d*\]: ", re.MULTILINE)
_IPYTHON_OUT = re.compile(r"^(?P<indent>[ \t]*)Out ?\[\d*\]: ?", re.MULTILINE)
_ERROR_SHOWN = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)[ \t]*(?::|$)", re.MULTILINE)
_PROSE = re.compile(r"(?:[A-Za-z]{2,}[\s,.:;]+){2,}")
_VALUE_BESIDE = re.compile(r"(?P<call>\w[^\n]*\))[ \t]+(?P<value>[\[({][^\n]*[\])}])")
_QUOTED_OR_OPEN = re.compile(r"""(?:[^'"\\#\n]|\\.|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")*(?P<open>['"])?""")
_BROKEN_LINES = 20
"""Lines over which a text in quotes may go on where its line ends were written as such."""
_MAX_STEPS = 200
_ALIGNED = re.compile(r"^(?![ \t]*[\[({])[^\n]*\S {2,}\S", re.MULTILINE)
"""Columns; not those of arrays, which libraries lay out as they like."""
COMPOUND = ast.For | ast.While | ast.With | ast.If | ast.Try
_PROMPTS = re.compile(r"[ \t]*(?:>>>|\.\.\.)")
_PROMPTED = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One `>>>` statement and what is shown after it."""

    statement: ast.stmt
    expected: Expected | None
    """None: nothing is shown."""
    source: str
    """As written, for the quote: first line only."""
    silent: bool = False
    """Whether a console shows nothing below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Steps that must run in order because they share names; most sessions hold one step."""

    steps: tuple[Step, ...]

    @property
    def checks(self) -> bool:
        """Whether anything is expected."""
        return any(
            isinstance(step.statement, ast.Expr | ast.Assert)
            or (isinstance(step.statement, COMPOUND) and step.expected is not None)
            for step in self.steps
        )


def blank_out(text: str) -> str:
    """The text with every `>>>` block replaced by spaces, so that positions stay."""
    return _PROMPTED.sub(lambda hit: re.sub(r"[^\n]", " ", hit[0]), text)


def read_sessions(text: str) -> list[Session]:
    """All `>>>` examples of a text, grouped by the names that they share.

    Forgiven, because people write it: no space after the prompt, the prompts of other consoles, continuation lines
    without `...`, prose right after the expected value. An example that still does not parse is left out, with
    everything that needs its names.
    """
    steps: list[Step] = []
    for block in _blocks(_with_prompts(text)):
        steps += _steps(block)
    return grouped(steps[:_MAX_STEPS])


def _with_prompts(text: str) -> str:
    """The text with prompts of other consoles as Python's: `> f(3)` above its result, IPython's `In [1]:`."""
    text = _IPYTHON_OUT.sub(r"\g<indent>", _IPYTHON_IN.sub(r"\g<indent>>>> ", text))
    return _SINGLE.sub(lambda hit: f"{hit['indent']}>>> {hit['call']}" if _is_call(hit["call"]) else hit[0], text)


def _is_call(text: str) -> bool:
    """Whether a quoted line is a call rather than a quotation."""
    match parse_statements(text):
        case [ast.Expr(value=ast.Call())]:
            return True
    return False


def _blocks(text: str) -> Iterator[list[doctest.Example]]:
    text = _with_whole_texts(_PROMPT.sub(r"\1 ", text.expandtabs(4)))
    parser = doctest.DocTestParser()
    try:
        yield parser.get_examples(text)
    except ValueError:  # inconsistent indentation somewhere: the other paragraphs still count
        for paragraph in re.split(r"\n\s*\n", text):
            try:
                yield parser.get_examples(paragraph)
            except ValueError:
                continue


def _with_whole_texts(text: str) -> str:
    """Texts in quotes that a line end breaks, as in docstrings that are not raw and write one, on one line again."""
    lines, whole = text.split("\n"), []
    while lines:
        line = lines.pop(0)
        open_at = _open_quote(line)
        if open_at is not None:
            quote, rest = line[open_at], lines[:_BROKEN_LINES]
            closing = next((n for n, other in enumerate(rest) if quote in other), None)
            if closing is not None and not any(_PROMPTS.match(other) for other in rest[: closing + 1]):
                line = "\\n".join([line, *(other.removeprefix(_indent(line)) for other in rest[: closing + 1])])
                del lines[: closing + 1]
        whole.append(line)
    return "\n".join(whole)


def _open_quote(line: str) -> int | None:
    """Where a quote opens that the line does not close, in a line of a session: of code, or of what is shown."""
    code = _PROMPTS.match(line)
    shown = line.lstrip()[:1] in {"'", '"'}
    if not (code or shown) or "'''" in line or '"""' in line:
        return None
    hit = _QUOTED_OR_OPEN.match(line, code.end() if code else 0)
    return hit.start("open") if hit is not None and hit["open"] else None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _steps(examples: Iterable[doctest.Example]) -> Iterator[Step]:
    for example in examples:
        if doctest.SKIP in example.options:
            continue
        source, want = _beside(*_joined(example.source, example.want))
        statements = parse_statements(source)
        if not statements:
            continue
        *before, last = statements
        for statement in before:
            yield Step(statement=statement, expected=None, source=_first_line(example.source))
        # `t.add(5); len(t)` shows two values: neither is known to be the last one's.
        several = any(isinstance(statement, ast.Expr) for statement in before)
        expected = None if several else _read_want(want)
        if isinstance(expected, Text) and doctest.NORMALIZE_WHITESPACE not in example.options:
            expected = replace(expected, aligned=bool(_ALIGNED.search(want)))
        silent = not several and not want.strip()
        yield Step(statement=last, expected=expected, source=_first_line(example.source), silent=silent)


def _first_line(source: str) -> str:
    return source.strip().partition("\n")[0]


def _joined(source: str, want: str) -> tuple[str, str]:
    """Move lines from `want` to `source` until the source parses, where the author left out the `...`."""
    lines = want.splitlines(keepends=True)
    for count in range(len(lines) + 1):
        candidate = source + "".join(lines[:count])
        if parse_statements(candidate):
            return candidate, "".join(lines[count:])
    return source, want


def _beside(source: str, want: str) -> tuple[str, str]:
    """`>>> f(3) [1, 2]`: a value on the call's own line, which Python takes for a part of the expression."""
    hit = _VALUE_BESIDE.fullmatch(source.strip()) if not want.strip() else None
    if hit is None or not _is_call(hit["call"]) or read_value(hit["value"]) is None:
        return source, want
    return hit["call"], hit["value"]


def _read_want(want: str) -> Expected | None:
    want = want.strip("\n")
    if not want.strip() or want.lstrip().startswith("# "):  # a comment is nothing that a console shows
        return None
    if want.lstrip().startswith("Traceback (most recent call last)"):
        # As doctest has it: the first line after the stack that begins with a word; a message may go on below it.
        hit = _ERROR_SHOWN.search(textwrap.dedent(want).partition("\n")[2])
        return Raises(name=hit["name"]) if hit else Text(text=want)
    lines = want.splitlines()
    value = read_value(want)
    if value is not None and (digest := read_abbreviated(value)) is not None:
        return digest
    if value is None and re.match(r"\w+(?:Error|Exception)\b", want):
        return Raises(name=re.split(r"\W", want)[0])
    for count in range(len(lines) - 1, 0, -1):
        if value is None and _PROSE.search("\n".join(lines[count:]) + " "):
            value = read_value("\n".join(lines[:count]))
    comment = re.match(r"(.*?)\s+#\s.*$", want) if value is None and len(lines) == 1 else None
    return value or (read_value(comment[1]) if comment else None) or Text(text=want)


def grouped(steps: Sequence[Step]) -> list[Session]:
    """Steps that share a bound name run together; an expression on its own is a session of its own."""
    groups: list[tuple[list[Step], set[str]]] = []
    for step in steps:
        names = bound_names([step.statement])
        bound_before = set().union(*(bound for _, bound in groups)) if groups else set()
        touched = (free_names([step.statement]) | names) & (bound_before | names)
        joined = [group for group in groups if group[1] & touched]
        merged_steps = [s for group in joined for s in group[0]]
        merged_names = set().union(names, *(group[1] for group in joined))
        groups = [group for group in groups if not group[1] & touched]
        groups.append(([*merged_steps, step], merged_names))
    order = {id(step): index for index, step in enumerate(steps)}
    sessions = [sorted(group, key=lambda step: order[id(step)]) for group, _ in groups]
    in_order = [_session(steps) for steps in sorted(sessions, key=lambda steps: order[id(steps[0])])]
    return [session for session in in_order if session.checks]


def _session(steps: Sequence[Step]) -> Session:
    statements = as_locals([step.statement for step in steps])
    pairs = zip(steps, statements, strict=True)
    return Session(steps=tuple(replace(step, statement=statement) for step, statement in pairs))


def values_in(session: Session) -> list[ast.AST]:
    """Every piece of code of the session whose names must be known."""
    nodes: list[ast.AST] = []
    for step in session.steps:
        nodes.append(step.statement)
        match step.expected:
            case Value(plain=plain):
                nodes.append(plain)
            case Raises(name=name):
                nodes += parse_statements(name) or []
            case _:
                pass
    return nodes
