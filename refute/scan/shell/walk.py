"""Walks a shell script in the order in which it would run, with symbolic values, and hands every command on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.report import Report, Spot
from refute.scan.shell import assignments, compound, redirects, simple
from refute.scan.shell.call import Call
from refute.scan.shell.calls import Calls, state_of
from refute.scan.shell.respelling import respell
from refute.scan.shell.scope import Scope
from refute.scan.shell.spelling import join_continued, parse_words, plain_placeholders, spell_out
from refute.scan.shell.syntax import first_error, text_of
from refute.scan.shell.words import Expander
from refute.scan.symbols import OUTPUT, UNKNOWN, is_known, is_open, show, strip_symbols

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH: Final = 12
"""Nested substitutions and embedded texts."""
MAX_CALLS: Final = 40
"""Functions called within one another; the walk itself takes stack for each."""
MAX_RECURSION: Final = 2
"""How often a function may call itself, each time with other arguments."""


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
    inlined: set[str] = field(default_factory=set)
    """Files of the workspace that the script has read, by path."""
    borrowed: set[int] = field(default_factory=set)
    """Functions of those files or of evaluated text, by the id of their body: shown where they are called."""
    exported: set[str] = field(default_factory=set)
    """Variables that the script hands to what it runs."""
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
        output = self.run(self._parsed(source))
        self._uncalled(frozenset())
        return output

    def _uncalled(self, known: frozenset[int]) -> None:
        """Walk the functions that nothing has called, but for those with a body that was there before."""
        for name, body in list(self.scope.functions.items()):
            if name not in self.shared.called and body.id not in self.shared.borrowed and body.id not in known:
                self.shared.called.add(name)
                self.shared.uncalled = not self.stack
                self._call_body(name, body, None, "")
                self.shared.uncalled = False

    def borrow(self, pattern: str, node: "Node") -> None:
        """Read the functions and variables that files of the workspace define; they are judged by themselves."""
        for path, data in self.shared.report.library.items():
            if path not in self.shared.inlined and self.depth < MAX_DEPTH and fnmatchcase(path, pattern):
                self.shared.inlined.add(path)
                self._borrow_from(data, node)

    def _borrow_from(self, data: bytes, node: "Node") -> None:
        before = self._bodies()
        inner = Walker(self.shared, self.scope, depth=self.depth + 1, place=self.spot(node))
        inner.stack = self.stack
        self.shared.report.muted += 1
        try:
            inner.run(inner._parsed(strip_symbols(data.decode("utf-8", "replace"))))
        finally:
            self.shared.report.muted -= 1
        self.shared.borrowed |= self._bodies() - before

    def _parsed(self, source: str) -> "Node":
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
        known = is_known(source)
        detail = f"Not understood: {show(spot.text, 60)!r}."
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
        before = self._bodies()
        output = inner.run(inner._parsed(text))
        inner._uncalled(before)
        self.shared.borrowed |= self._bodies() - before
        return output

    def _bodies(self) -> frozenset[int]:
        return frozenset(body.id for body in self.scope.functions.values())

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
        if self.depth >= MAX_DEPTH:
            self.shared.report.add("unanalysable", self.spot(node), "nested too deeply")
            return UNKNOWN
        inner = self.fork(deeper=1)
        children = node.named_children
        if children and children[0].type == "file_redirect":
            return redirects.apply(inner, children[:1], children[0]).stdin or UNKNOWN
        output = inner.all(children)
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

    def call_function(self, call: Call) -> str:
        """Run a function of the script with these arguments."""
        name, *arguments = call.argv
        self.shared.called.add(name)
        inside = [given or () for caller, given in self.stack if caller == name]
        rest = bool(inside) and _is_rest(inside[-1], tuple(arguments))
        if inside and not rest and not any(is_known(word) and word not in inside[-1] for word in arguments):
            self.shared.cuts += 1
            return UNKNOWN
        if len(self.stack) >= MAX_CALLS:
            self.shared.cuts += 1
            self.shared.report.add("unanalysable", self.spot(call.node), f"{name} is called too deeply")
            return UNKNOWN
        if len(inside) >= MAX_RECURSION and not rest:
            self.shared.cuts += 1
            self._taken_for_commands(call, arguments)
            return UNKNOWN
        body = self.scope.functions[name]
        if body.id in self.shared.borrowed and self.place is None:
            # Its lines are those of another file: what it does is shown at the call.
            inner = Walker(self.shared, self.scope, depth=self.depth, place=self.spot(call.node))
            inner.stack = self.stack
            return inner._call_body(name, body, arguments, call.stdin)
        return self._call_body(name, body, arguments, call.stdin)

    def _taken_for_commands(self, call: Call, arguments: list[str]) -> None:
        """What a function hands to itself again and again counts as something that it may run in the end."""
        from refute.scan.shell.dispatch import dispatch, is_dangerous_operand  # noqa: PLC0415 - it needs this module

        for position in range(len(arguments)):
            words = arguments[position:]
            if words[0] not in self.scope.functions and words[0]:
                dispatch(Call(self, words, call.node, ""))
        if any(is_dangerous_operand(call, word) for word in arguments):
            call.act.add("unresolved-command")

    def _call_body(self, name: str, body: "Node", arguments: list[str] | None, stdin: str) -> str:
        outer_arguments, outer_stack = self.scope.arguments, self.stack
        given = None if arguments is None else tuple(arguments)
        state = None
        if outer_stack:
            state = (body.id, given, stdin, self.depth, state_of(self.scope, self.shared.written))
            for key in (state, (*state, outer_stack)):
                if (output := self.shared.calls.find(key, self.scope, self.shared.written)) is not None:
                    return output
        cuts = self.shared.cuts
        self.scope.arguments, self.stack = arguments, (*self.stack, (name, given))
        self.scope.enter()
        try:
            output = self.run(body, stdin)
        finally:
            self.scope.leave()
            self.scope.arguments, self.stack = outer_arguments, outer_stack
        if state is not None:
            # Where a call was left out because it is under way already, what surrounds this one counts as well.
            key = state if cuts == self.shared.cuts else (*state, outer_stack)
            self.shared.calls.keep(key, self.scope, self.shared.written, output)
        return output


def _is_rest(before: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    """Whether a function that calls itself only hands on the rest of what it was given: `run run rm`."""
    return len(arguments) < len(before) and before[len(before) - len(arguments) :] == arguments


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
