"""Walks a shell script in the order in which it would run, with symbolic values, and hands every command on."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tree_sitter import Node

from refute.scan.core.report import Spot
from refute.scan.core.symbols import OUTPUT, UNKNOWN, is_known, show
from refute.scan.shell import commands, redirects, statements
from refute.scan.shell.state import Call, Walker
from refute.scan.shell.syntax import complaint, first_error, join_continued, parse_words, respell, substitutions

_READ_AGAIN: Final = 500
"""Steps that reading a text a second time costs: a program is started for it."""
MAX_DEPTH: Final = 12
"""Nested substitutions and embedded texts."""


class ShellWalker(Walker):
    """One walk over one tree, as `state.Walker` says."""

    def script(self, source: str) -> str:
        """Parse and walk a whole text; returns what it prints."""
        root = self._parsed(source)
        output = self.run(root)
        commands.walk_uncalled(self)
        for node in substitutions(root):
            # Those that no handler came upon, such as one in the index of an array.
            if node.id not in self.shared.substituted:
                self.substitute(node)
        return output

    def _parsed(self, source: str) -> Node:
        """The tree of a text; what is not understood is reported."""
        # A continued line inside a word is one word; the line ends go behind it so that line numbers stay.
        spelled = join_continued(source)
        root = parse_words(spelled)
        if root.has_error:
            self.report.spend(_READ_AGAIN)
            again = respell(spelled)
            root = parse_words(again) if again is not None else root
            if root.has_error:
                self._misunderstood(root, source)
        return root

    def _misunderstood(self, root: Node, source: str) -> None:
        """A file must be understood; a text with unknown parts may fail to parse because of them."""
        spot = self.spot(first_error(root))
        detail = f"Not understood: {show(spot.text, 60)!r}."
        vague = spot.line == 1 or not spot.text.strip()
        if self.place is None and vague and (told := complaint(source)) is not None:
            # The grammar gives up on the whole text; where a quote stays open says more.
            spot = Spot(line=told[0], column=1, text=source.split("\n")[told[0] - 1].strip() or spot.text)
            detail = f"Not understood: {show(told[1], 80)}."
        if is_known(source) and not self.depth:
            self.report.add("unanalysable", spot, "shell syntax", detail=detail)
        else:
            # A line put together from values that perhaps never meet; of one that does not parse a shell runs nothing.
            composed = self.place is not None and "$" in self.place.text and "\n" not in source.strip()
            mild = composed or not is_known(source)
            self.report.add("unresolved-command", spot, "shell syntax", mild=mild, detail=detail)

    def embedded(self, text: str, node: Node, *, forked: bool = True) -> str:
        """Walk shell text that a command carries."""
        if self._too_deep(node):
            return UNKNOWN
        inner = self.fork(deeper=1, place=self.place_of(text, node), shares=not forked)
        return inner.script(text) if forked else inner.run(inner._parsed(text))  # noqa: SLF001 - its own kind

    def _too_deep(self, node: Node) -> bool:
        if self.depth >= MAX_DEPTH:
            self.report.add("unanalysable", self.spot(node), "nested too deeply")
        return self.depth >= MAX_DEPTH

    def command(self, call: Call) -> str:
        """Judge one command; returns what it prints."""
        return commands.dispatch(call)

    def run(self, node: Node, stdin: str = "") -> str:
        """Walk a statement; returns what it prints."""
        self.report.spend()
        handler = _STATEMENTS.get(node.type)
        return handler(self, node, stdin) if handler is not None else self.all(node.named_children, stdin)

    def substitute(self, node: Node) -> str:
        """Walk a substitution; returns what stands there then."""
        self.shared.substituted[node.id] = node
        if self._too_deep(node):
            return UNKNOWN
        inner = self.fork(deeper=1)
        children = node.named_children
        if children and children[0].type == "file_redirect":
            return redirects.apply(inner, children[:1], children[0]).stdin or UNKNOWN
        # What the script writes into `>(…)` comes later.
        output = inner.all(children, UNKNOWN if node.children[0].type == ">(" else "")
        return OUTPUT if output == UNKNOWN else output


_STATEMENTS: Final[Mapping[str, Callable[[Walker, Node, str], str]]] = MappingProxyType(
    {
        "pipeline": statements.pipeline,
        "list": statements.alternatives,
        "command": statements.command,
        "redirected_statement": statements.redirected,
        "subshell": statements.subshell,
        "if_statement": statements.branch,
        "while_statement": statements.branch,
        "c_style_for_statement": statements.branch,
        "for_statement": statements.loop_for,
        "case_statement": statements.choose_case,
        "function_definition": statements.define,
        "variable_assignment": statements.assign,
        "declaration_command": statements.declare,
        "unset_command": statements.unset,
        "test_command": statements.test,
        "comment": lambda _walker, _node, _stdin: "",
    }
)
"""Kind of statement → what walks it and returns what it prints; any other kind is walked part by part."""
