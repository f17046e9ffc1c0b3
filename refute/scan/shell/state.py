"""What the parts of the shell walk share: the walker that they extend, one command with its arguments and options."""

import re
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Final, Self

from tree_sitter import Node

from refute.scan.core import paths
from refute.scan.core.effects import Effects, Engine
from refute.scan.core.judge import Judge
from refute.scan.core.report import Report, Spot
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of
from refute.scan.shell.words import Expander

ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
"""How a word begins that gives a command a variable (`env A=1 make`)."""
_MAX_WORDS: Final = 2000
Options = dict[str, list[str]]
"""Option name (without dashes) → its values, [""] for a flag."""


def split_options(words: list[str], valued: frozenset[str], *, mixed: bool = False) -> tuple[Options, list[str]]:
    """Options with their values, and the operands in order.

    Args:
        words: arguments without the command word.
        valued: options that take a value: short ones, one letter each, and long ones without dashes.
        mixed: whether options may follow operands (GNU style); otherwise the first operand ends them.
    """
    options: Options = {}
    operands: list[str] = []
    queue = deque(words[:_MAX_WORDS])
    while queue:
        word = queue.popleft()
        if operands and not mixed:
            return options, [*operands, word, *queue]
        if word == "--":
            return options, [*operands, *queue]
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            takes = name in valued and not equals
        else:
            at = next((index for index, letter in enumerate(word[1:], 1) if letter in valued), len(word))
            for letter in word[1:at]:
                options.setdefault(letter, []).append("")
            if at == len(word):
                continue
            name, value = word[at], word[at + 1 :]
            takes = not value
        options.setdefault(name, []).append(queue.popleft() if takes and queue else value)
    return options, operands


_THROWN_AWAY: Final = re.compile(r"(?:^|\s|[^\d\s>])(?:1?>|&>|>&)\s*/dev/null(?:\s|\Z)")
STDIN: Final = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


@dataclass(slots=True)
class Shared:
    """What all walkers of one file share."""

    engine: Engine
    called: set[str] = field(default_factory=set)
    substituted: dict[int, Node] = field(default_factory=dict)
    """Substitutions that were walked, by id; the nodes keep their trees, so that no id comes up again."""
    unquoted: set[str] = field(default_factory=set)
    """Words that stood somewhere without quotes around them, so that a pattern among them was one."""
    uncalled: bool = False
    """Whether what is walked is a function that nothing in this file calls, as in a library."""


class Walker(ABC):
    """One walk over one tree; embedded texts get a walker of their own that shares the report."""

    def __init__(self, shared: Shared, scope: Scope, *, depth: int = 0, place: Spot | None = None) -> None:
        self.shared = shared
        self.scope = scope
        self.depth = depth
        self.place = place
        self.stack: tuple[tuple[str, tuple[str, ...] | None], ...] = ()
        """The functions that surround this point, with what they were given."""
        self.expander = Expander(scope, self.substitute, shared.unquoted)

    @property
    def report(self) -> Report:
        """Where findings go."""
        return self.shared.engine.report

    @abstractmethod
    def command(self, call: "Call") -> str:
        """Judge one command; returns what it prints."""

    @abstractmethod
    def substitute(self, node: Node) -> str:
        """Walk a substitution; returns what stands there then."""

    @abstractmethod
    def embedded(self, text: str, node: Node, *, forked: bool = True) -> str:
        """Walk shell text that a command carries."""

    def fork(self, *, deeper: int = 0, place: Spot | None = None, shares: bool = False) -> Self:
        """A walker for a subshell, which keeps its variables and directory to itself, or for another place."""
        scope = self.scope if shares else self.scope.fork()
        inner = type(self)(self.shared, scope, depth=self.depth + deeper, place=place or self.place)
        inner.stack = self.stack
        return inner

    def perform(self, effects: Effects, node: Node, shown: str) -> str:
        """Have the engine act on effects of a node."""
        return str(self.shared.engine.perform(effects, Call(self, [shown], node)))

    def spot(self, node: Node) -> Spot:
        """Where a node stands in the scanned file."""
        if self.place is None:
            row, column = node.start_point
            return Spot(line=row + 1, column=column + 1, text=text_of(node))
        return self.place.below(node.start_point[0])

    def place_of(self, text: str, node: Node) -> Spot:
        """Where a text that a command carries begins: its own line in a here-document or a quoted string."""
        parent = node.parent
        source = text_of(parent if parent is not None and parent.type == "redirected_statement" else node)
        spot = self.spot(node)
        first = text.strip("\n").split("\n", 1)[0]
        position = source.find(first) if self.place is None and len(first) > 2 else -1  # noqa: PLR2004 - shorter texts stand anywhere
        if position < 0:
            return replace(spot, holds=True)
        row = source.count("\n", 0, position)
        line = spot.line + row - (len(text) - len(text.lstrip("\n")))
        return Spot(line=line, column=1 if row else spot.column, text=first if row else spot.text)


@dataclass(slots=True)
class Call:
    """One command with its words worked out, whose effects the engine acts on."""

    walker: Walker
    argv: list[str]
    """The command's base name, then its arguments."""
    node: Node
    stdin: str = ""
    shown: str = ""
    """As findings show it; empty: the words as they are."""

    @property
    def scope(self) -> Scope:
        """What the shell knows at this point."""
        return self.walker.scope

    @property
    def text(self) -> str:
        """The arguments, joined."""
        return " ".join(self.argv[1:])

    @property
    def judge(self) -> Judge:
        """Judges effects of this command."""
        walker = self.walker
        shown = self.shown or " ".join(self.argv)
        return Judge(walker.report, walker.spot(self.node), shown, walker.scope.cwd, soft=walker.shared.uncalled)

    @property
    def silent(self) -> bool:
        """Whether what the command prints is thrown away, so that only its exit status counts."""
        holder = self.node.parent
        if holder is None or holder.type != "redirected_statement":
            return bool({"-s", "--silent", "--quiet", "-q"} & set(self.argv))
        return bool(_THROWN_AWAY.search(text_of(holder)[len(text_of(self.node)) :]))

    def locate(self, path: str) -> paths.Target:
        """Where a path leads from the working directory."""
        return paths.locate(path, self.scope.cwd)

    def fed(self, path: str) -> str | None:
        """What reaches the command by a path that stands for its input, or for another command's output."""
        if path in STDIN:
            return self.stdin
        return self.walker.expander.fed if path.startswith("/dev/fd/") else None

    def held(self, path: str) -> str | None:
        """What the script itself put there, or feeds; None where that is not known."""
        fed = self.fed(path)
        return self.walker.report.written.get(self.locate(path).text) if fed is None else fed
