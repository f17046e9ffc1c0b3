"""`>>>` sessions of a text, read by doctest's own parser."""

import ast
import doctest
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.property.expressions import bound_names, free_names, parse_statements
from refute.adversary.property.values import Expected, Raises, Text, Value, read_value

_PROMPT: Final = re.compile(r"^([ \t]*(?:>>>|\.\.\.))(?=[^\s.>])", re.MULTILINE)
_PROMPTED: Final = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)
_PREFIX: Final = re.compile(r"(^|[(\[{,=:]\s*)[uU](?=['\"])")
"""Before texts in what Python 2 showed; Python 3 shows none."""
_STATE: Final = "(state)"
"""Stands among the names of a session for what its steps leave behind."""
_MAX_STEPS: Final = 200
_CHECKED: Final = ast.Expr | ast.Assert


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One statement and what is shown for it."""

    statement: ast.stmt
    expected: Expected | None
    """None: nothing is shown."""
    source: str
    """As written, its first line."""

    def __str__(self) -> str:
        """As it stands in the text: what is run, and below it what is shown."""
        match self.expected:
            case Value(written=shown) | Text(text=shown) | Raises(name=shown):
                return f"{self.source}\n{shown}"
            case None:
                return self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Steps that must run in order because they share names; most examples have one."""

    steps: tuple[Step, ...]
    quote: str
    """As it stands in the text, or where it begins."""
    exact: bool = True
    """Whether it is Python, where a list is no tuple; prose may mean either."""

    @property
    def code(self) -> list[ast.AST]:
        """All that runs."""
        return [step.statement for step in self.steps]

    @property
    def shown(self) -> list[ast.AST]:
        """What is shown, as code whose names must be known."""
        nodes: list[ast.AST] = []
        for step in self.steps:
            match step.expected:
                case Value(plain=plain):
                    nodes.append(plain)
                case Raises(name=name):
                    nodes += parse_statements(name) or []
                case _:
                    pass
        return nodes


def blank_out(text: str) -> str:
    """The text with every `>>>` block replaced by spaces, so that positions stay."""
    return _PROMPTED.sub(lambda hit: re.sub(r"[^\n]", " ", hit[0]), text)


def read_sessions(text: str, *, only_checked: bool = True) -> list[Example]:
    """All `>>>` examples of a text, grouped by the names that they share; by default those that state something.

    Forgiven: no space after the prompt, and odd indentation elsewhere. What does not parse is left out, with all that
    needs its names.
    """
    if re.search(r"^\s*(?:\.\.\.|>>>)\s+global\s", text, re.MULTILINE):  # in a test, names of a session are no globals
        return []
    steps = list(_steps(_PROMPT.sub(r"\1 ", text.expandtabs(4))))[:_MAX_STEPS]
    groups = (
        group
        for group in _grouped(steps)
        if not only_checked or any(isinstance(one.statement, _CHECKED) for one in group)
    )
    return [Example(steps=tuple(group), quote=group[0].source) for group in groups]


def _steps(text: str) -> Iterator[Step]:
    parser = doctest.DocTestParser()
    for paragraph in re.split(r"\n[ \t]*\n", text):
        try:
            examples = parser.get_examples(paragraph)
        except ValueError:
            continue
        for example in examples:
            statements = _completed(example)
            if doctest.SKIP in example.options or not statements:
                continue
            *before, last = statements
            source = example.source.strip().partition("\n")[0]
            yield from (Step(statement=statement, expected=None, source=source) for statement in before)
            # `t.add(5); len(t)` shows two values: neither is known to be the last one's.
            several = any(isinstance(statement, ast.Expr) for statement in before)
            yield Step(statement=last, expected=None if several else _shown(example), source=source)


def _completed(example: doctest.Example) -> list[ast.stmt]:
    """The statements of an example; lines move to its source until that parses, where the author left out the `...`."""
    lines = example.want.splitlines(keepends=True)
    for count in range(len(lines) + 1):
        if statements := parse_statements(example.source + "".join(lines[:count])):
            example.want = "".join(lines[count:])
            return statements
    return []


def _shown(example: doctest.Example) -> Expected | None:
    want = _PREFIX.sub(r"\1", example.want.strip("\n"))
    if not want.strip() or want.lstrip().startswith("# "):  # a comment is nothing that a console shows
        return None
    hit = re.match(r"[A-Za-z_][\w.]*" if example.exc_msg else r"\w+(?:Error|Exception)\b", example.exc_msg or want)
    if hit is not None:
        return Raises(name=hit[0])
    return read_value(want) or read_value(re.sub(r"\s+#\s.*$", "", want)) or Text(text=want)


def _is_for_effect(statement: ast.stmt, shown: Expected | None) -> bool:
    """Whether a step gives nothing: no value that is shown, and no name but by a decorator."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return bool(statement.decorator_list)
    return shown is None and not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)


def _grouped(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps that share a bound name run together, and what follows a step that is there for its effect with that.

    An expression on its own runs alone.
    """
    groups: list[tuple[set[str], list[tuple[int, Step]]]] = []
    bound: set[str] = set()
    answers: dict[str, set[str]] = {}
    for step in steps:
        answers.setdefault(ast.dump(step.statement), set()).add(getattr(step.expected, "written", repr(step.expected)))
    for at, step in enumerate(steps):
        new, used = bound_names([step.statement]), free_names([step.statement]) & bound
        unlike = len(answers[ast.dump(step.statement)]) > 1 and not used
        if unlike or _is_for_effect(step.statement, step.expected):
            new.add(_STATE)
        bound |= new
        names = used | new | ({_STATE} & bound)
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        members = [*(one for group in joined for one in group[1]), (at, step)]
        groups.append((names.union(*(group[0] for group in joined)), members))
    in_order = sorted(sorted(members, key=operator.itemgetter(0)) for _, members in groups)
    return [[step for _, step in members] for members in in_order]
