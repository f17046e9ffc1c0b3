"""`>>>` sessions of a text, read by doctest's own parser."""

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.property.expressions import bound_names, free_names, parse_statements
from refute.adversary.property.values import Expected, Raises, Text, Value, read_value
from refute.adversary.references import last_name

_PROMPTED: Final = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)
_PREFIX: Final = re.compile(r"(^|[(\[{,=:]\s*)[uU](?=['\"])")
"""Before texts in what Python 2 showed; Python 3 shows none."""
_MAX_STEPS: Final = 200


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

    def without_messages(self) -> "Example":
        """The same with errors by their types alone."""
        plain = (
            replace(step, expected=Raises(name=step.expected.name)) if isinstance(step.expected, Raises) else step
            for step in self.steps
        )
        return replace(self, steps=tuple(plain))


def blank_out(text: str) -> str:
    """The text with every `>>>` block replaced by spaces, so that positions stay."""
    return _PROMPTED.sub(lambda hit: re.sub(r"[^\n]", " ", hit[0]), text)


def read_sessions(text: str, *, only_checked: bool = True) -> list[Example]:
    """All `>>>` blocks of a text, joined with those before whose names or doings they need; those that state something.

    Odd indentation elsewhere is forgiven. What does not parse is left out.
    """
    if re.search(r"^\s*(?:\.\.\.|>>>)\s+global\s", text, re.MULTILINE):  # in a test, names of a session are no globals
        return []
    blocks = re.split(r"\n[ \t]*\n", text.expandtabs(4))
    sessions: list[list[Step]] = []
    for block in filter(None, (list(_steps(block)) for block in blocks)):
        used = free_names(step.statement for step in block)
        needed = (at for at, one in enumerate(sessions) if any(_leaves(step, used) for step in one))
        first = next(needed, len(sessions))
        sessions[first:] = [[*(step for one in sessions[first:] for step in one), *block][:_MAX_STEPS]]
    stated = [next((step for step in one if _states(step)), None) for one in sessions]
    return [
        Example(steps=tuple(one), quote=(said or one[0]).source)
        for one, said in zip(sessions, stated, strict=True)
        if said or not only_checked
    ]


def _states(step: Step) -> bool:
    """Whether a step says something that can be wrong."""
    states = isinstance(step.statement, ast.Expr | ast.Assert) or isinstance(step.expected, Raises)
    return states or step.source.startswith("with pytest.raises(") or bool(printed(step))


def printed(step: Step) -> str:
    """What a loop or block prints; empty where it may show more: a console also shows each value that stands alone."""
    alone = [node.value for node in ast.walk(step.statement) if isinstance(node, ast.Expr)]
    prints = all(isinstance(one, ast.Call) and last_name(one) == "print" for one in alone)
    match step:
        case Step(statement=ast.For() | ast.While() | ast.With() | ast.Try() | ast.If()) if alone and prints:
            return str(step).removeprefix(step.source).strip("\n")
    return ""


def _leaves(step: Step, used: set[str]) -> bool:
    """Whether a step binds names that are used later (`import *` any), or is there for what it does."""
    plain = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef
    return not {"*", *used}.isdisjoint(bound_names([step.statement])) or (
        step.expected is None and not isinstance(step.statement, plain)
    )


def _steps(text: str) -> Iterator[Step]:
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return
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
    # `ValueError('x')` without a traceback is an exception that was returned.
    named = r"[A-Za-z_][\w.]*" if example.exc_msg else r"(?:\w+\.)*\w+(?:Error|Exception)\b(?!\()"
    hit = re.match(named, example.exc_msg or want)
    if hit is not None:
        said = "" if doctest.IGNORE_EXCEPTION_DETAIL in example.options else example.exc_msg or ""
        return Raises(name=hit[0], message=said[hit.end() :].lstrip(":").strip())
    return read_value(want) or read_value(re.sub(r"\s+#\s.*$", "", want)) or Text(text=want)
