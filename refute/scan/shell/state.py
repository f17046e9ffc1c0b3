"""What the parts of the shell walk share: the walker as they see it, one command with its arguments, its frame."""

import re
from dataclasses import dataclass, field
from typing import Final, Protocol

from tree_sitter import Node

from refute.scan.core import paths
from refute.scan.core.effects import Effects
from refute.scan.core.judge import Judge
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import DOWNLOAD, OTHER_PROCESS, OWN_PROCESS, PROCESS_LIST, UNKNOWN, is_open
from refute.scan.shell.memory import Memory
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of
from refute.scan.shell.words import Expander

_FILTER: Final = re.compile(r"(?:LC_ALL=\w+ )?(?:[ef]?grep|cut|tr|head|tail|sort|uniq|wc)\b(?!.*(?:>|\s-o|`|\$\())")
_ANSWERS: Final = re.compile(
    r"(?:[ef]?grep\s(?:-\w+\s+)*-\w*[qc]|[ef]?grep\s(?:.*\s)?--(?:quiet|silent|count)\b|wc\b|[ef]?grep\s.*[^\d>]>\s*/dev/null)"
)
_THROWN_AWAY: Final = re.compile(r"(?:^|\s|[^\d\s>])(?:1?>|&>|>&)\s*/dev/null(?:\s|\Z)")
Stack = tuple[tuple[str, tuple[str, ...] | None], ...]


class Engine(Protocol):
    """Acts on effects."""

    report: Report

    def perform(self, effects: Effects, frame: "Frame") -> str:
        """Act on what a handler yields; returns what is printed."""
        ...


@dataclass(slots=True)
class Shared:
    """What all walkers of one file share."""

    engine: Engine
    called: set[str] = field(default_factory=set)
    memory: Memory = field(default_factory=Memory)
    borrowed: set[int] = field(default_factory=set)
    """Functions of other files or of evaluated text, by the id of their body: shown where they are called."""
    inlined: set[str] = field(default_factory=set)
    """Files of the workspace that the script has read, by path."""
    late: list[tuple["Call", str]] = field(default_factory=list)
    """Commands that set a trap, with what it runs."""
    substituted: dict[int, Node] = field(default_factory=dict)
    """Substitutions that were walked, by id; the nodes keep their trees, so that no id comes up again."""
    walking: bool = False
    """Whether the outermost text is under way."""
    uncalled: bool = False
    """Whether what is walked is a function that nothing in this file calls, as in a library."""


class Walker(Protocol):
    """One walk over one tree; embedded texts get a walker of their own that shares the report."""

    shared: Shared
    scope: Scope
    depth: int
    place: Spot | None
    stack: Stack
    """The functions that surround this point, with what they were given."""
    expander: Expander

    @property
    def report(self) -> Report:
        """Where findings go."""
        ...

    def spot(self, node: Node) -> Spot:
        """Where a node stands in the scanned file."""
        ...

    def place_of(self, text: str, node: Node) -> Spot:
        """Where a text that a command carries begins."""
        ...

    def run(self, node: Node, stdin: str = "") -> str:
        """Walk a statement; returns what it prints."""
        ...

    def all(self, nodes: list[Node], stdin: str = "") -> str:
        """Walk several statements; returns what they print."""
        ...

    def fork(self, *, deeper: int = 0, place: Spot | None = None, shares: bool = False) -> "Walker":
        """A walker for a subshell, or for another place in the same scope."""
        ...

    def embedded(self, text: str, node: Node, *, forked: bool = True) -> str:
        """Walk shell text that a command carries."""
        ...

    def perform(self, effects: Effects, node: Node, shown: str) -> str:
        """Have the engine act on effects of a node."""
        ...

    def command(self, call: "Call") -> str:
        """Judge one command; returns what it prints."""
        ...


@dataclass(slots=True)
class Frame:
    """Whose effects the engine acts on."""

    walker: Walker
    node: Node
    shown: str
    """The command as understood."""
    stdin: str = ""
    background: bool = False

    @property
    def judge(self) -> Judge:
        """Judges effects of this command."""
        walker = self.walker
        spot = walker.spot(self.node)
        return Judge(walker.report, spot, self.shown, walker.scope.cwd, soft=walker.shared.uncalled)

    @property
    def whole(self) -> Judge:
        """Judges what comes about only with what feeds this command, and shows the whole pipeline."""
        node = self.node
        while node.parent is not None and node.parent.type in {"redirected_statement", "pipeline"}:
            node = node.parent
        return Judge(self.walker.report, self.walker.spot(node), text_of(node), self.walker.scope.cwd)


@dataclass(slots=True)
class Call:
    """One simple command with its arguments worked out, as the handlers get it."""

    walker: Walker
    argv: list[str]
    """The command's base name, then its arguments."""
    node: Node
    stdin: str = ""
    background: bool = False

    @property
    def scope(self) -> Scope:
        """What the shell knows at this point."""
        return self.walker.scope

    @property
    def text(self) -> str:
        """The arguments, joined."""
        return " ".join(self.argv[1:])

    @property
    def frame(self) -> Frame:
        """Whose effects the engine acts on."""
        return Frame(self.walker, self.node, " ".join(self.argv), self.stdin, self.background)

    @property
    def silent(self) -> bool:
        """Whether what the command prints is thrown away, so that only its exit status counts."""
        holder = self.node.parent
        if holder is not None and holder.type == "pipeline":
            return _only_asked(holder, self.node)
        if holder is None or holder.type != "redirected_statement":
            return bool({"-s", "--silent", "--quiet", "-q"} & set(self.argv))
        return bool(_THROWN_AWAY.search(text_of(holder)[len(text_of(self.node)) :]))

    def locate(self, path: str) -> paths.Target:
        """Where a path leads from the working directory."""
        return paths.locate(path, self.scope.cwd)

    def held(self, path: str) -> str | None:
        """What the script itself put there, or feeds; None where that is not known."""
        if path in {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}:
            return self.stdin
        if path.startswith("/dev/fd/"):
            return self.walker.expander.fed
        return self.walker.report.written.get(self.locate(path).text)

    def picked(self) -> str:
        """What a filter prints that picks parts of what it is fed: not known, but whence they come is."""
        kinds = (DOWNLOAD, PROCESS_LIST, OTHER_PROCESS, OWN_PROCESS)
        return next((kind for kind in kinds if kind in self.stdin), UNKNOWN)

    def worked_out(self) -> bool:
        """Whether it is fed a text that is known."""
        return bool(self.stdin) and not is_open(self.stdin)


def _only_asked(pipeline: Node, first: Node) -> bool:
    """Whether filters behind a command leave nothing of its output but a yes, a no or a number."""
    stages = pipeline.named_children
    behind = [text_of(stage) for stage in stages[stages.index(first) + 1 :]] if first in stages else []
    return bool(behind) and all(_FILTER.match(text) for text in behind[:-1]) and bool(_ANSWERS.match(behind[-1]))
