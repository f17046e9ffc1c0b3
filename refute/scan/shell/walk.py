"""Walks a shell script in the order in which it would run, with symbolic values, and hands every command on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.report import Report, Spot
from refute.scan.shell import assignments, compound, functions, redirects, simple
from refute.scan.shell.calls import Calls
from refute.scan.shell.respelling import respell, unclear_line
from refute.scan.shell.scope import Scope
from refute.scan.shell.spelling import join_continued, parse_words, plain_placeholders, spell_out
from refute.scan.shell.syntax import first_error, substitutions, text_of
from refute.scan.shell.words import Expander
from refute.scan.symbols import OUTPUT, UNKNOWN, is_known, is_open, show

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.call import Call

_MAX_LATE: Final = 50
MAX_DEPTH: Final = 12
"""Nested substitutions and embedded texts."""


@dataclass(slots=True)
class Shared:
    """What all walkers of one file share."""

    report: Report
    called: set[str] = field(default_factory=set)
    calls: Calls = field(default_factory=Calls)
    cuts: int = 0
    """How many calls were left out because they were under way already."""
    written: dict[str, str] = field(default_factory=dict)
    """Located path → text that the script itself put there."""
    copies: dict[str, str] = field(default_factory=dict)
    """Located path → the file of the workspace that the script has put there."""
    contents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Variable → the files whose content it holds."""
    inlined: set[str] = field(default_factory=set)
    """Files of the workspace that the script has read, by path."""
    borrowed: set[int] = field(default_factory=set)
    """Functions of those files or of evaluated text, by the id of their body: shown where they are called."""
    exported: set[str] = field(default_factory=set)
    """Variables that the script hands to what it runs."""
    late: list[tuple["Call", str]] = field(default_factory=list)
    """Commands that set a trap, with what it runs."""
    substituted: dict[int, "Node"] = field(default_factory=dict)
    """Substitutions that were walked, by id; the nodes keep their trees, so that no id comes up again."""
    walking: bool = False
    """Whether the outermost text is under way."""
    uncalled: bool = False
    """Whether what is walked is a function that nothing in this file calls, as in a library."""


class Walker:
    """One walk over one tree; embedded texts get a walker of their own that shares the report."""

    def __init__(self, shared: Shared, scope: Scope, *, depth: int = 0, place: Spot | None = None) -> None:
        self.shared = shared
        self.scope = scope
        self.depth = depth
        self.place = place
        self.stack: tuple[tuple[str, tuple[str, ...] | None], ...] = ()
        """The functions that surround this point, with what they were given."""
        self.fed: tuple[int, list[str]] = (0, [])
        """A command and the files of the workspace whose text is its whole input."""
        self.expander = Expander(scope, self._substitute)

    def spot(self, node: "Node") -> Spot:
        """Where a node stands in the scanned file."""
        if self.place is None:
            row, column = node.start_point
            return Spot(line=row + 1, column=column + 1, text=text_of(node))
        return Spot(line=self.place.line + node.start_point[0], column=self.place.column, text=self.place.text)

    def place_of(self, text: str, node: "Node") -> Spot:
        """Where a text that a command carries begins: its own line in a here-document or a quoted string."""
        parent = node.parent
        holder = parent if parent is not None and parent.type == "redirected_statement" else node
        spot = self.spot(node)
        if self.place is not None:
            return spot
        first = text.strip("\n").split("\n", 1)[0]
        source = text_of(holder)
        position = source.find(first) if len(first) > 2 else -1  # noqa: PLR2004 - shorter texts stand anywhere
        if position < 0:
            return spot
        leading = len(text) - len(text.lstrip("\n"))
        row = source.count("\n", 0, position)
        column = spot.column if row == 0 else 1
        shown = spot.text if row == 0 else first
        return Spot(line=spot.line + row - leading, column=column, text=shown)

    def script(self, source: str) -> str:
        """Parse and walk a whole text; returns what it prints."""
        outermost, self.shared.walking = not self.shared.walking, True
        root = self.parsed(source)
        output = self.run(root)
        if outermost:
            self._run_late()
        functions.walk_uncalled(self, frozenset())
        self._walk_rest(root)
        return output

    def _walk_rest(self, root: "Node") -> None:
        """Walk the substitutions that no handler came upon, such as one in the index of an array."""
        for node in substitutions(root):
            if node.id not in self.shared.substituted:
                self._substitute(node)

    def _run_late(self) -> None:
        """Judge what traps run, with what is known at the end."""
        from refute.scan.shell.commands.builtins import run_late  # noqa: PLC0415 - the table needs this module

        late = {(id(call.walker.scope), action): call for call, action in self.shared.late}
        self.shared.late = []
        for number, ((_, action), call) in enumerate(late.items()):
            if number >= _MAX_LATE:
                self.shared.report.add("unanalysable", self.spot(call.node), f"more than {_MAX_LATE} traps")
                break
            run_late(call, action)

    def parsed(self, source: str) -> "Node":
        """The tree of a text; what is not understood is reported."""
        # A continued line inside a word is one word; the line ends go behind it so that line numbers stay.
        spelled = spell_out(join_continued(source))
        root = parse_words(spelled)
        # `x\${$name}` is cut in two words without a word of complaint.
        if root.has_error or "\\${$" in spelled:
            again = respell(plain_placeholders(spelled))
            second = parse_words(spell_out(again)) if again is not None else root
            if not second.has_error:
                root = second
            elif root.has_error:
                self._misunderstood(root, source)
        return root

    def _misunderstood(self, root: "Node", source: str) -> None:
        """Text with unknown parts may fail to parse because of them; text that is all known must be understood."""
        spot = self.spot(first_error(root))
        vague = spot.line == 1 or not spot.text.strip()
        if self.place is None and vague and (line := unclear_line(source)) is not None:
            # The grammar gives up on the whole text; where a quote stays open says more.
            spot = Spot(line=line, column=1, text=source.split("\n")[line - 1].strip() or spot.text)
        known = is_known(source)
        detail = (
            f"Not understood: {show(spot.text, 60)!r}."
            if spot.text.strip()
            else "The text ends while something is still open: an `if`, a loop, a `case`, a bracket."
        )
        if known:
            self.shared.report.add("unanalysable", spot, "shell syntax", detail=detail)
        else:
            self.shared.report.add("unresolved-command", spot, "shell syntax", severity=Severity.MEDIUM, detail=detail)

    def embedded(self, text: str, node: "Node", *, forked: bool = True) -> str:
        """Walk shell text that a command carries."""
        if self.depth >= MAX_DEPTH:
            self.shared.report.add("unanalysable", self.spot(node), "nested too deeply")
            return UNKNOWN
        scope = self.scope.fork() if forked else self.scope
        inner = Walker(self.shared, scope, depth=self.depth + 1, place=self.place_of(text, node))
        inner.stack = self.stack
        if forked:
            return inner.script(text)
        before = functions.bodies(self)
        output = inner.run(inner.parsed(text))
        functions.walk_uncalled(inner, before)
        self.shared.borrowed |= functions.bodies(self) - before
        return output

    def fork(self, *, deeper: int = 0) -> "Walker":
        """A walker for a subshell, which keeps its variables and directory to itself."""
        inner = Walker(self.shared, self.scope.fork(), depth=self.depth + deeper, place=self.place)
        inner.stack = self.stack
        return inner

    def run(self, node: "Node", stdin: str = "") -> str:
        """Walk a statement; returns what it prints."""
        self.shared.report.budget.spend()
        handler = HANDLERS.get(node.type)
        if handler is not None:
            return handler(self, node, stdin)
        if node.named_child_count:
            return self.all(node.named_children, stdin)
        return ""

    def all(self, nodes: "list[Node]", stdin: str = "") -> str:
        """Walk several statements; returns what they print."""
        return "".join([self.run(child, stdin) for child in nodes])

    def _substitute(self, node: "Node") -> str:
        self.shared.substituted[node.id] = node
        if self.depth >= MAX_DEPTH:
            self.shared.report.add("unanalysable", self.spot(node), "nested too deeply")
            return UNKNOWN
        inner = self.fork(deeper=1)
        children = node.named_children
        if children and children[0].type == "file_redirect":
            return redirects.apply(inner, children[:1], children[0]).stdin or UNKNOWN
        # What the script writes into `>(…)` comes later.
        output = inner.all(children, UNKNOWN if node.children[0].type == ">(" else "")
        return OUTPUT if output == UNKNOWN else output

    def follows(self, path: str) -> bool:
        """Whether a path leads to a file of the workspace that the script has not written itself."""
        target = paths.locate(path, self.scope.cwd)
        plain = target.place == paths.Place.WORKSPACE and not is_open(target.text) and not path.startswith("-")
        return plain and target.text not in self.shared.written

    def files_fed(self, node: "Node") -> list[str]:
        """The files whose text a command reads as its input, where that is all it reads."""
        holder = node.parent
        ids = {node.id} if holder is None or holder.type != "redirected_statement" else {node.id, holder.id}
        return self.fed[1] if self.fed[0] in ids else []


HANDLERS: Final[Mapping[str, Callable[[Walker, "Node", str], str]]] = MappingProxyType(
    {
        "pipeline": compound.pipeline,
        "list": compound.alternatives,
        "command": simple.command,
        "redirected_statement": simple.redirected,
        "subshell": compound.subshell,
        "if_statement": compound.branch,
        "while_statement": compound.loop_while,
        "c_style_for_statement": compound.branch,
        "for_statement": compound.loop_for,
        "case_statement": compound.choose_case,
        "function_definition": compound.define,
        "variable_assignment": assignments.assign,
        "declaration_command": assignments.declare,
        "unset_command": assignments.unset,
        "test_command": simple.test,
        "comment": simple.nothing,
    }
)
"""Kind of statement → what walks it and returns what it prints; any other kind is walked part by part."""
