"""`>>>` examples in a text, as doctest reads them, and somewhat more forgiving: see `read_sessions`."""

import ast
import doctest
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from refute.adversary.property.expected import Expected, Raises, Text, Value, read_abbreviated, read_value
from refute.adversary.property.expressions import bound_names, free_names, parse_statements

_PROMPT = re.compile(r"^(\s*(?:>>>|\.\.\.))(?=[^\s.>])", re.MULTILINE)
_ERROR_SHOWN = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)[ \t]*(?::|$)", re.MULTILINE)
_GLOBAL = re.compile(r"^\s*(?:\.\.\.|>>>)\s+global\s", re.MULTILINE)
_MAX_STEPS = 200
COMPOUND = ast.For | ast.While | ast.With | ast.If | ast.Try
_PROMPTED = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One `>>>` statement and what is shown after it."""

    statement: ast.stmt
    expected: Expected | None
    """None: nothing is shown."""
    source: str
    """As written, for the quote: first line only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Steps that must run in order because they share names; most sessions hold one step."""

    steps: tuple[Step, ...]

    @property
    def checks(self) -> bool:
        """Whether anything is expected."""
        return any(isinstance(step.statement, ast.Expr | ast.Assert) for step in self.steps)


def blank_out(text: str) -> str:
    """The text with every `>>>` block replaced by spaces, so that positions stay."""
    return _PROMPTED.sub(lambda hit: re.sub(r"[^\n]", " ", hit[0]), text)


def read_sessions(text: str) -> list[Session]:
    """All `>>>` examples of a text, grouped by the names that they share.

    Forgiven, because people write it: no space after the prompt, continuation lines without `...`, prose right after
    the expected value. An example that still does not parse is left out, with
    everything that needs its names.
    """
    if _GLOBAL.search(text):  # in a test, names of a session are no globals
        return []
    steps: list[Step] = []
    for block in _blocks(text):
        steps += _steps(block)
    return grouped(steps[:_MAX_STEPS])


def _blocks(text: str) -> Iterator[list[doctest.Example]]:
    text = _PROMPT.sub(r"\1 ", text.expandtabs(4))
    parser = doctest.DocTestParser()
    try:
        yield parser.get_examples(text)
    except ValueError:  # inconsistent indentation somewhere: the other paragraphs still count
        for paragraph in re.split(r"\n\s*\n", text):
            try:
                yield parser.get_examples(paragraph)
            except ValueError:
                continue


def _steps(examples: Iterable[doctest.Example]) -> Iterator[Step]:
    for example in examples:
        if doctest.SKIP in example.options:
            continue
        source, want = _joined(example.source, example.want)
        statements = parse_statements(source)
        if not statements:
            continue
        *before, last = statements
        for statement in before:
            yield Step(statement=statement, expected=None, source=_first_line(example.source))
        # `t.add(5); len(t)` shows two values: neither is known to be the last one's.
        several = any(isinstance(statement, ast.Expr) for statement in before)
        expected = None if several else _read_want(want)
        yield Step(statement=last, expected=expected, source=_first_line(example.source))


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
    in_order = [Session(steps=tuple(steps)) for steps in sorted(sessions, key=lambda steps: order[id(steps[0])])]
    return [session for session in in_order if session.checks]


def values_in(session: Session) -> list[ast.AST]:
    """What the session shows, as code whose names must be known."""
    nodes: list[ast.AST] = []
    for step in session.steps:
        match step.expected:
            case Value(plain=plain):
                nodes.append(plain)
            case Raises(name=name):
                nodes += parse_statements(name) or []
            case _:
                pass
    return nodes
