"""Walks a shell script in the order in which it would run, with symbolic values, and hands every command on."""

import re
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from refute.scan import paths
from refute.scan.effects import Act
from refute.scan.finding import Severity
from refute.scan.report import Report, Spot
from refute.scan.shell import redirects
from refute.scan.shell.respelling import respell
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import first_error, parse, text_of
from refute.scan.shell.words import MAX_ALTERNATIVES, Expander
from refute.scan.symbols import FIELD, HOME, OUTPUT, UNKNOWN, is_known, is_open, show

if TYPE_CHECKING:
    from tree_sitter import Node

_BARE_FOR: Final = re.compile(r"^([ \t]*for[ \t]+\w+)(?=[ \t]*(?:\n[ \t]*|;[ \t]*|([ \t]))do\b)", re.MULTILINE)
_FILLS: Final = frozenset({"mkdir", "cp", "dd", "fallocate", "mktemp", "touch", "tee"})
_POSITION: Final = re.compile(r"(\$\{\w+(?:\[[@*]\])?:(?:[\w ]+:)?)\$(\w+)(?=[:}])")
_ENDLESS: Final = re.compile(r"while\s+(?:true|:|\[+\s+(?:1|true)\s+\]+|\(\(\s*1\s*\)\))\s*[;\n]|until\s+false\b")
_LEAVES: Final = re.compile(r"\b(?:break|exit|return|sleep|wait|read|inotifywait|kill|exec)\b")
_LENGTH: Final = re.compile(r"\$\{#\w+(?:\[[@*]\])?\}")
MAX_DEPTH: Final = 12
"""Nested function calls, substitutions and embedded texts."""


@dataclass(slots=True)
class Shared:
    """What all walkers of one file share."""

    report: Report
    called: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)
    """Located path → text that the script itself put there."""


@dataclass(slots=True)
class Call:
    """One simple command with its arguments worked out."""

    walker: "Walker"
    argv: list[str]
    """The command's base name, then its arguments."""
    node: "Node"
    stdin: str
    background: bool = False

    @property
    def whole(self) -> Act:
        """Judges effects that come about only with what feeds this command, and shows the whole pipeline."""
        node = self.node
        while node.parent is not None and node.parent.type in {"redirected_statement", "pipeline"}:
            node = node.parent
        return Act(self.walker.shared.report, self.walker.spot(node), text_of(node), self.walker.scope.cwd)

    @property
    def act(self) -> Act:
        """Judges effects of this command."""
        return Act(self.walker.shared.report, self.walker.spot(self.node), " ".join(self.argv), self.walker.scope.cwd)


class Walker:
    """One walk over one tree; embedded texts get a walker of their own that shares the report."""

    def __init__(self, shared: Shared, scope: Scope, *, depth: int = 0, place: Spot | None = None) -> None:
        self.shared = shared
        self.scope = scope
        self.depth = depth
        self.place = place
        self.stack: tuple[str, ...] = ()
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
        # A continued line inside a word is one word; the line ends go behind it so that line numbers stay.
        spelled = spell_out(join_continued(source))
        root = parse(spelled.encode())
        if root.has_error:
            again = respell(spelled)
            second = parse(spell_out(again).encode()) if again is not None else root
            if second.has_error:
                self._misunderstood(root, source)
            else:
                root = second
        output = self.run(root)
        for name, body in list(self.scope.functions.items()):
            if name not in self.shared.called:
                self.shared.called.add(name)
                self._call_body(name, body, None, "")
        return output

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
        return inner.script(text)

    def run(self, node: "Node", stdin: str = "") -> str:
        """Walk a statement; returns what it prints."""
        self.shared.report.budget.spend()
        handler = _HANDLERS.get(node.type)
        if handler is not None:
            return handler(self, node, stdin)
        if node.named_child_count:
            return self._all(node.named_children, stdin)
        return ""

    def _all(self, nodes: "list[Node]", stdin: str = "") -> str:
        return "".join([self.run(child, stdin) for child in nodes])

    def _branch(self, node: "Node", stdin: str) -> str:
        self.scope.branching += 1
        output = self._all(node.named_children, stdin)
        self.scope.branching -= 1
        return output

    def _while(self, node: "Node", stdin: str) -> str:
        endless = bool(_ENDLESS.match(text_of(node))) and not _LEAVES.search(text_of(node))
        self.scope.endless += endless
        output = self._branch(node, stdin)
        self.scope.endless -= endless
        return output

    def _subshell(self, node: "Node", stdin: str) -> str:
        inner = Walker(self.shared, self.scope.fork(), depth=self.depth, place=self.place)
        inner.stack = self.stack
        return inner._all(node.named_children, stdin)

    def _substitute(self, node: "Node") -> str:
        if self.depth >= MAX_DEPTH:
            self.shared.report.add("unanalysable", self.spot(node), "nested too deeply")
            return UNKNOWN
        inner = Walker(self.shared, self.scope.fork(), depth=self.depth + 1, place=self.place)
        inner.stack = self.stack
        children = node.named_children
        if children and children[0].type == "file_redirect":
            return redirects.apply(inner, children[:1], children[0]).stdin or UNKNOWN
        output = inner._all(children)
        return OUTPUT if output == UNKNOWN else output

    def _nothing(self, _node: "Node", _stdin: str) -> str:
        return ""

    def _pipeline(self, node: "Node", stdin: str) -> str:
        output = stdin
        children = node.named_children
        for index, child in enumerate(children):
            if index == 1 and (files := self._shown_files(children[0])):
                self.fed = (child.id, files)
            output = self.run(child, output)
        return output

    def _shown_files(self, node: "Node") -> list[str]:
        """The files of the workspace that `cat` shows and nothing changes; empty for any other command."""
        if node.type != "command" or not text_of(node).startswith("cat "):
            return []
        words = [words for child in node.named_children for words in self.expander.words(child)[:1]]
        names = [word for part in words for word in part]
        return names[1:] if all(self.follows(name) for name in names[1:]) else []

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

    def _list(self, node: "Node", stdin: str) -> str:
        first, *rest = node.named_children
        output = self.run(first, stdin)
        # What follows runs only where the first side ended well, or badly.
        self.scope.branching += 1
        for child in rest:
            printed = self.run(child, stdin)
            output = output or printed if any(part.type == "||" for part in node.children) else output + printed
        self.scope.branching -= 1
        return output

    def _redirected(self, node: "Node", stdin: str) -> str:
        body = node.child_by_field_name("body")
        files = [child for child in node.named_children if child.type.endswith("_redirect")]
        printed = ""
        alternatives = self.scope.branching
        if body is not None and body.type == "list":
            # The grammar hangs a redirection on the whole list; shells apply it to the last command only.
            *before, body = body.named_children
            printed = self._all(before, stdin)
            self.scope.branching += 1
        effect = redirects.apply(self, files, node)
        output = self.run(body, effect.stdin if effect.stdin is not None else stdin) if body is not None else ""
        output = redirects.store(self, effect, output, node)
        for stage in effect.pipeline:
            output = self.run(stage, output)
        self._all(effect.following)
        self.scope.branching = alternatives
        return printed + output

    def _for(self, node: "Node", stdin: str) -> str:
        body = node.child_by_field_name("body")
        variable = node.child_by_field_name("variable")
        values: list[str] = []
        explicit = False
        for child in node.named_children:
            if child not in {body, variable}:
                explicit = True
                for words in self.expander.words(child):
                    values.extend(words)
        list_globs(Call(self, ["for"], node, ""), values)
        if not explicit:
            values = self.scope.elements("@")
        self.scope.branching += 1
        if variable is not None:
            self.scope.variables.pop(text_of(variable), None)
            self.scope.assign(text_of(variable), tuple(dict.fromkeys(values)) or (UNKNOWN,))
        output = self.run(body, stdin) if body is not None else ""
        self.scope.branching -= 1
        return output

    def _case(self, node: "Node", stdin: str) -> str:
        self.scope.branching += 1
        for child in node.named_children:
            if child.type == "case_item":
                for part in child.named_children:
                    if part.type not in {"word", "extglob_pattern", "string", "raw_string", "concatenation"}:
                        self.run(part, stdin)
            else:
                self.expander.texts(child)
        self.scope.branching -= 1
        return UNKNOWN

    def _function(self, node: "Node", _stdin: str) -> str:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            word = text_of(name)
            self.scope.functions[word] = body
            self.shared.called.discard(word)
            if multiplies(word, body):
                self.shared.report.add("fork-bomb", self.spot(node), text_of(node))
        return ""

    def call_function(self, call: Call) -> str:
        """Run a function of the script with these arguments."""
        name = call.argv[0]
        self.shared.called.add(name)
        if name in self.stack or self.depth + len(self.stack) >= MAX_DEPTH:
            return UNKNOWN
        return self._call_body(name, self.scope.functions[name], call.argv[1:], call.stdin)

    def _call_body(self, name: str, body: "Node", arguments: list[str] | None, stdin: str) -> str:
        outer_arguments, outer_stack = self.scope.arguments, self.stack
        self.scope.arguments, self.stack = arguments, (*self.stack, name)
        try:
            return self.run(body, stdin)
        finally:
            self.scope.arguments, self.stack = outer_arguments, outer_stack

    def _assignment(self, node: "Node", _stdin: str) -> str:
        name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name_node is None:
            return ""
        name = text_of(name_node)
        appends = any(child.type == "+=" for child in node.children)
        if name_node.type == "subscript":
            self._assign_element(name, value)
        elif value is not None and value.type == "array":
            words = [word for child in value.named_children for word in self.expander.words(child)[0]]
            self.scope.arrays[name] = [*(self.scope.elements(name) if appends else []), *words]
            self.scope.variables.pop(name, None)
        else:
            self._assign_text(name, value, appends=appends)
        return ""

    def _assign_text(self, name: str, value: "Node | None", *, appends: bool) -> None:
        texts = (
            [""] if value is None else [text.replace(FIELD, " ") for text in self.expander.texts(value, quoted=True)]
        )
        if appends:
            heads = self.scope.lookup(name) if self.scope.is_set(name) else ("",)
            texts = [head + text for head, text in islice(product(heads, texts), MAX_ALTERNATIVES)]
        self.scope.assign(name, tuple(texts))
        redirects.watch_variable(self, name, texts, value)

    def _assign_element(self, name: str, value: "Node | None") -> None:
        array, _, index = name.partition("[")
        elements = self.scope.arrays.setdefault(array, [])
        text = self.expander.texts(value, quoted=True)[0] if value is not None else ""
        position = index.rstrip("]")
        if position.isdigit() and int(position) < 256:  # noqa: PLR2004 - larger indexes are only appended
            elements.extend([""] * (int(position) + 1 - len(elements)))
            elements[int(position)] = text
        else:
            elements.append(text)

    def _command(self, node: "Node", stdin: str) -> str:
        from refute.scan.shell.dispatch import dispatch  # noqa: PLC0415 - the two need each other

        words: list[list[list[str]]] = []
        files: list[Node] = []
        assignments: list[Node] = []
        for child in node.children:
            kind = child.type
            if kind.endswith("_redirect"):
                files.append(child)
            elif kind == "variable_assignment":
                assignments.append(child)
            elif child.is_named or kind == "$":
                words.append(self.expander.words(child))
        before = self._assign_for(assignments)
        effect = redirects.apply(self, files, node) if files else redirects.NOTHING
        if effect.stdin is not None:
            stdin = effect.stdin
        outputs: list[str] = []
        for choice in islice(product(*words), MAX_ALTERNATIVES):
            argv = [word for part in choice for word in part]
            if argv:
                background = node.next_sibling is not None and node.next_sibling.type == "&"
                self._watch_loop(node, argv, background=background)
                outputs.append(dispatch(Call(self, argv, node, stdin, background)))
        output = outputs[0] if outputs else ""
        for name, values in before.items() if words else ():
            # An assignment before a command is over when it ends, but for some builtins: either value may hold.
            self.scope.variables[name] = tuple(dict.fromkeys((*values, *self.scope.variables.get(name, ()))))
        return redirects.store(self, effect, output, node) if files else output

    def _watch_loop(self, node: "Node", argv: list[str], *, background: bool) -> None:
        if self.scope.endless and (background or argv[0] in _FILLS):
            rule = "fork-bomb" if background else "resource-exhaustion"
            self.shared.report.add(rule, self.spot(node), " ".join(argv), severity=Severity.HIGH)

    def _assign_for(self, assignments: "list[Node]") -> dict[str, tuple[str, ...]]:
        """Make the assignments before a command; returns what the variables were before."""
        before: dict[str, tuple[str, ...]] = {}
        for assignment in assignments:
            name = assignment.child_by_field_name("name")
            if name is not None and name.type == "variable_name":
                before[text_of(name)] = self.scope.lookup(text_of(name))
            self._assignment(assignment, "")
        return before

    def _declaration(self, node: "Node", _stdin: str) -> str:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child, "")
            elif child.type == "variable_name" and text_of(node.children[0]) in {"local", "declare", "typeset"}:
                self.scope.assign(text_of(child), ("",))
            else:
                self.expander.texts(child)
        listing = node.named_child_count == 0 or all(
            text_of(child) in {"-p", "-x", "-px"} for child in node.named_children
        )
        return redirects.environment_listing() if listing else ""

    def _unset(self, node: "Node", _stdin: str) -> str:
        for child in node.named_children:
            name = text_of(child)
            redirects.watch_variable(self, name, ["/dev/null"] if name == "HISTFILE" else [""], child)
        return ""

    def _test(self, node: "Node", _stdin: str) -> str:
        for child in node.named_children:
            self.expander.texts(child, quoted=True)
        return ""


def list_globs(call: Call, words: list[str]) -> None:
    """Judge words such as `/etc/*`, which list a directory without a command for it."""
    for word in words:
        if word.endswith("/*") and word.startswith(("/", "~", HOME)):
            call.act.list(word[:-2] or "/")


def join_continued(source: str) -> str:
    """Join words that a backslash and a line end cut in two, keeping the number of lines."""
    if "\\\n" not in source:
        return source
    out: list[str] = []
    owed = 0
    for line in source.split("\n"):
        if line.endswith("\\") and not line.endswith("\\\\") and len(line) > 1 and not line[-2].isspace():
            out.append(line[:-1])
            owed += 1
            continue
        out.append(line + "\n" * (owed + 1))
        owed = 0
    return "".join(out)[:-1] if not owed else "".join(out)


def spell_out(source: str) -> str:
    """Write what the parser stumbles over in another way that means the same."""
    if "for " in source:
        source = _BARE_FOR.sub(_with_arguments, source)
    if ":$" in source:
        # A position held in a variable: `${x:$i:1}` and `${x:i:1}` are the same.
        source = _POSITION.sub(r"\1_\2", _POSITION.sub(r"\1_\2", source))
    # The length of a variable is a number; the parser fails on it inside arithmetic.
    return _LENGTH.sub(lambda match: "1" * len(match[0]), source) if "${#" in source else source


def _with_arguments(match: re.Match[str]) -> str:
    return f'{match[1]} in "$@"' + (";" if match[2] else "")


def multiplies(name: str, body: "Node") -> bool:
    """Whether a function starts itself more than once, or once in the background."""
    selves = 0
    pending = [body]
    piped = False
    while pending:
        node = pending.pop()
        if node.type == "command" and (word := node.child_by_field_name("name")) is not None and text_of(word) == name:
            selves += 1
            parent = node.parent
            sibling = node.next_sibling or (parent.next_sibling if parent is not None else None)
            piped = (
                piped
                or (parent is not None and parent.type == "pipeline")
                or (sibling is not None and sibling.type == "&")
            )
        pending.extend(node.named_children)
    return selves > 0 and piped


_HANDLERS = {
    "pipeline": Walker._pipeline,  # noqa: SLF001 - a table of the class's own methods
    "list": Walker._list,  # noqa: SLF001
    "command": Walker._command,  # noqa: SLF001
    "redirected_statement": Walker._redirected,  # noqa: SLF001
    "subshell": Walker._subshell,  # noqa: SLF001
    "if_statement": Walker._branch,  # noqa: SLF001
    "while_statement": Walker._while,  # noqa: SLF001
    "c_style_for_statement": Walker._branch,  # noqa: SLF001
    "for_statement": Walker._for,  # noqa: SLF001
    "case_statement": Walker._case,  # noqa: SLF001
    "function_definition": Walker._function,  # noqa: SLF001
    "variable_assignment": Walker._assignment,  # noqa: SLF001
    "declaration_command": Walker._declaration,  # noqa: SLF001
    "unset_command": Walker._unset,  # noqa: SLF001
    "test_command": Walker._test,  # noqa: SLF001
    "comment": Walker._nothing,  # noqa: SLF001
}
