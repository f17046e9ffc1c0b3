"""Walks a shell script in the order in which it would run, with symbolic values: what each command is known to do.

Functions and aliases are followed, words that are not known are judged.
"""

import re
from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from refute.scan.core import effects as e
from refute.scan.core import paths
from refute.scan.core import symbols as sym
from refute.scan.core.report import Spot
from refute.scan.core.symbols import OUTPUT, UNKNOWN, is_known, show
from refute.scan.shell import redirects
from refute.scan.shell.builtins import BUILTINS
from refute.scan.shell.programs import INSTALLED, PROGRAMS
from refute.scan.shell.roles import is_dangerous_operand, listed_by
from refute.scan.shell.rows import effects_of
from refute.scan.shell.state import Call
from refute.scan.shell.statements import Statements
from refute.scan.shell.syntax import complaint, first_error, join_continued, parse_words, respell, substitutions

_READ_AGAIN: Final = 200
"""Steps that reading a text a second time costs: a program is started for it."""
MAX_DEPTH: Final = 12
"""Nested substitutions and embedded texts."""
_HANDLERS: Final = {one.__name__.strip("_"): one for one in (*BUILTINS, *PROGRAMS)}
"""What works out what a row cannot say, by the name that a row gives."""
_GLOB: Final = re.compile(r"(?=.*[*?\[])(?!\[)[*?\[\]]*([A-Za-z])?[\w.+*?\[\]-]*")
_SETTING: Final = re.compile(r"[\w.-]+=!?((?:/\S+/)?(?:ba|da|z|k)?sh -c .+)", re.DOTALL)
"""A setting that names a command to run, as `core.pager=sh -c …` does."""
_LEAVES: Final = r"exec (?!.*(?:py|\b(?:ba|da|k|z|mk|a)?sh\b)|tail |cat )[\w./+-]+[^\n;|&<>`]*"
_EXEC: Final = re.compile(rf"\A(?:\s*#.*\n)*\s*(?:eval '|if [^;\n]+; *then {_LEAVES}; *else )?{_LEAVES}(?:; *fi)?\n")
"""How a text may begin of which a shell reads one command: the rest is a program for what that starts."""
MAX_CALLS: Final = 40
"""Functions called within one another; the walk itself takes stack for each."""
MAX_RECURSION: Final = 2
"""How often a function may call itself, each time with other arguments."""


class ShellWalker(Statements):
    """One walk over one tree, as `state.Walker` says."""

    def script(self, source: str) -> str:
        """Parse and walk a whole text; returns what it prints."""
        root = self._parsed(source)
        outer = dict(self.scope.functions)
        output = self.run(root)
        self._walk_uncalled(outer)
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
        first = _EXEC.match(source) if self.place is None else None
        if first and ("$0" in first[0] or first_error(root)):
            spot = Spot(line=first[0].count("\n"), column=1, text=first[0].strip().rpartition("\n")[2])
            self.report.add("foreign-code", spot, "exec", detail="It is no shell script but for its first command.")
            root = parse_words(first[0])
        elif first_error(root):
            self.report.spend(_READ_AGAIN)
            again = respell(spelled)
            root = parse_words(again) if again is not None else root
            if error := first_error(root):
                self._misunderstood(error, source)
        return root

    def _misunderstood(self, error: Node, source: str) -> None:
        """A file must be understood; a text with unknown parts may fail to parse because of them."""
        spot = self.spot(error)
        detail = f"Not understood: {show(spot.text, 60)!r}."
        if self.place is None and (told := complaint(source)) is not None:
            # Where the grammar gives up on the whole text, the line where a quote stays open says more.
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
        """Judge one command; returns what it prints, as far as that is known."""
        known = call.argv[0] in self.scope.functions
        return self._call_function(call) if known else str(self.shared.engine.perform(_effects(call), call))

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

    def _walk_uncalled(self, outer: Mapping[str, object]) -> None:
        """Walk the functions that nothing has called; those of an outer text may still be."""
        shared = self.shared
        for name, function in list(self.scope.functions.items()):
            place = function[1]
            if name not in shared.called and function is not outer.get(name) and not (place and place.holds):
                shared.called.add(name)
                shared.uncalled = not self.stack
                with self.scope.branch():
                    self._run_body(name, None, "")
                shared.uncalled = False

    def _call_function(self, call: Call) -> str:
        """Run a function of the script with these arguments."""
        name, *arguments = call.argv
        self.shared.called.add(name)
        inside = [given for caller, given in self.stack if caller == name]
        if len(self.stack) >= MAX_CALLS:
            self.report.add("unanalysable", self.spot(call.node), f"{name} is called too deeply")
        elif tuple(arguments) not in inside and (len(inside) < MAX_RECURSION or len(arguments) < len(inside[-1] or ())):
            # It may call itself to hand on the rest of what it was given: `run run rm`.
            return self._run_body(name, arguments, call.stdin)
        return sym.UNKNOWN

    def _run_body(self, name: str, arguments: list[str] | None, stdin: str) -> str:
        body, place = self.scope.functions[name]
        inner = self.fork(shares=True)
        inner.place = place
        inner.stack = (*self.stack, (name, None if arguments is None else tuple(arguments)))
        with self.scope.given(arguments), self.scope.leaving(loop=False):
            return inner.run(body, stdin)


def _effects(call: Call) -> e.Effects:
    """What a command does that is no function of the script; comes back as what it prints."""
    call.argv = ["" if argument == sym.EMPTY else argument for argument in call.argv]
    word, walker, printed = call.argv[0], call.walker, None
    if alias := call.scope.variables.pop(f"alias {word}", None):
        return walker.embedded(" ".join([alias[0], *call.argv[1:]]), call.node)
    if (yield from _unresolved(call)):
        return UNKNOWN
    name = word.rpartition("/")[2] if not word.endswith("/") else word
    commands = walker.report.knowledge.commands
    row = commands.get(name) or commands.get(re.sub(r"[\d.]+\Z", "", name))
    if word != name and not (row and INSTALLED.match(word)):
        printed = yield e.RunFile(word, arguments=tuple(call.argv[1:]))
    for setting in filter(None, map(_SETTING.match, call.argv)):
        walker.embedded(setting[1], call.node)
    if "PATH" in call.scope.variables:
        walker.report.reached.append((f"**/{name}", ""))
    if row is None:
        yield from listed_by(call, call.argv[1:])
        return printed
    call.shown = " ".join(call.argv)
    call.argv[0] = name
    return (yield from _HANDLERS.get(row.handler, effects_of)(call, row))


def _unresolved(call: Call) -> e.Effects:
    """What a command word that is not known means; True when nothing more can be said about the command."""
    word = call.argv[0]
    if sym.DOWNLOAD in word or sym.DERIVED in word:
        yield e.Flag("pipe-to-shell")
        return True
    dangerous = any(is_dangerous_operand(call, argument) for argument in call.argv[1:])
    pattern = _GLOB.fullmatch(word.rpartition("/")[2])
    own = "/" in word and paths.inside_or_temporary(call.locate(word))
    if pattern and not own and (dangerous or pattern[1] or word.startswith("/")):
        yield e.Flag("unresolved-command", detail="The command word is a pattern for file names.")
        return True
    if not sym.is_open(word) or sym.SECRET in word:
        if sym.NAME in word and "/" not in word and dangerous:
            yield e.Flag("unresolved-command")
        return False
    if word.startswith(sym.UNKNOWN) and "/" in word and not sym.is_open(word.rpartition("/")[2]):
        return False
    if dangerous:
        yield e.Flag("unresolved-command")
    return True
