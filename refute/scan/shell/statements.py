"""Statements of a shell script: commands, assignments, conditions, loops, lists, pipelines and functions."""

import re
from contextlib import nullcontext
from itertools import chain, islice, product
from typing import Any, Final

from tree_sitter import Node

from refute.scan.core.effects import Effects, Flag
from refute.scan.core.symbols import FIELD, OUTPUT, SECRET, UNKNOWN
from refute.scan.shell import redirects
from refute.scan.shell.roles import listed_by
from refute.scan.shell.scope import ENDED
from refute.scan.shell.state import Call, Walker
from refute.scan.shell.syntax import below, text_of
from refute.scan.shell.words import MAX_ALTERNATIVES

_INSTALLED: Final = re.compile(
    rf"(?:(?:/usr)?/(?:lib|\$LIB)(?!.*\.\.)[^{UNKNOWN}:\s]+|lib[\w.+-]*\.so[.\d]*|{OUTPUT}|[ :])*\Z"
)
_PRELOADS: Final = frozenset(
    {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP", "PROMPT_COMMAND"}
)
_WORDS: Final = frozenset({"$", "-", "=", "==", "=~", "!="})
"""Words for which the grammar has no node of their own."""
_CLAUSES: Final = frozenset({"elif_clause", "else_clause", "do_group"})
_FALLS: Final = frozenset({";&", ";;&"})
"""How an item of a `case` ends that goes on to the next."""
_PATTERNS: Final = frozenset({"word", "extglob_pattern", "string", "raw_string", "concatenation"})


class Statements(Walker):
    """The part of the walk that takes statements, each by the name that the grammar gives its kind."""

    def run(self, node: Node, stdin: str = "") -> str:
        """Walk a statement, or part by part what is none; returns what it prints."""
        self.report.spend()
        handler: Any = getattr(self, f"_{node.type}", None)
        beside = node.next_sibling
        with self.scope.branch() if beside is not None and beside.type == "&" else nullcontext():
            printed: str = handler(node, stdin) if handler else self.all(node.named_children, stdin)
        return printed

    def all(self, nodes: list[Node], stdin: str = "") -> str:
        """Walk several statements; returns what they print."""
        return "".join([self.run(child, stdin) for child in nodes])

    def _command(self, node: Node, stdin: str) -> str:
        """A simple command, in each of the readings that its words allow."""
        words: list[list[list[str]]] = []
        files: list[Node] = []
        assignments: list[Node] = []
        for child in node.children:
            if child.type.endswith("_redirect"):
                files.append(child)
            elif child.type == "variable_assignment":
                assignments.append(child)
            elif child.is_named or child.type in _WORDS:
                words.append(self.expander.words(child))
        names = [text_of(part) for one in assignments if (part := one.child_by_field_name("name")) is not None]
        before = {name: self.scope.lookup(name) for name in names}
        self.all(assignments)
        effect = redirects.apply(self, files, node)
        stdin = stdin if effect.stdin is None else effect.stdin
        choices = [[word for part in choice for word in part] for choice in islice(product(*words), MAX_ALTERNATIVES)]
        ways = self.scope.each([argv for argv in choices if argv])
        outputs = [self.command(Call(self, argv, node, stdin)) for argv in ways]
        # Of several readings, the one that says something.
        output = next((text for text in outputs if text != UNKNOWN), outputs[0]) if outputs else ""
        for name, values in before.items() if words else ():
            # An assignment before a command is over when it ends, but for some builtins: either value may hold.
            self.scope.variables[name] = tuple(dict.fromkeys((*values, *self.scope.variables.get(name, ()))))
        return redirects.store(self, effect, output, node)

    def _redirected_statement(self, node: Node, stdin: str) -> str:
        """A command with redirections behind it."""
        body = node.child_by_field_name("body")
        files = [child for child in node.named_children if child.type.endswith("_redirect")]
        # The grammar hangs a redirection on the whole list; shells apply it to the last command only.
        parts = [] if body is None else body.named_children if body.type == "list" else [body]
        printed = self.all(parts[:-1], stdin)
        with self.scope.branch() if parts[1:] else nullcontext():
            effect, ended = redirects.apply(self, files, node), ENDED in self.scope.variables
            output = self.all(parts[-1:], stdin if effect.stdin is None else effect.stdin)
            if not ended:  # where a file cannot be opened, `exit` does not run
                self.scope.variables.pop(ENDED, None)
            output = redirects.store(self, effect, output, node)
            for stage, fed in effect.following:
                output = self.run(stage, output) if fed else output + self.run(stage)
        return printed + output

    def _subshell(self, node: Node, stdin: str) -> str:
        return self.fork().all(node.named_children, stdin)

    def _test_command(self, node: Node, _stdin: str) -> str:
        """`[ … ]` and `[[ … ]]`, whose words may run something."""
        for child in node.named_children:
            self.expander.texts(child, quoted=True)
        return ""

    def _if_statement(self, node: Node, stdin: str) -> str:
        """A condition with its parts: each begins with what held where the ones before it were passed over."""
        scope, output = self.scope, ""
        passed, ends = None, []
        for child in chain.from_iterable(one.children if one.type in _CLAUSES else [one] for one in node.children):
            if child.type in {"then", "do"}:
                passed = dict(scope.variables)
            elif child.type in {"elif", "else"} and passed is not None:
                ends.append(scope.variables)
                scope.variables, passed = passed, None
            elif child.is_named:
                output += self.run(child, stdin)
        scope.join(*ends, *([] if passed is None else [passed]))
        return output

    def _while_statement(self, node: Node, stdin: str) -> str:
        """A loop of which nothing more is known, walked once."""
        with self.scope.leaving(loop=True), self.scope.branch():
            return self._if_statement(node, stdin)

    _c_style_for_statement = _while_statement

    def _for_statement(self, node: Node, stdin: str) -> str:
        """A `for` loop, walked once with all values of its variable."""
        body, variable = node.child_by_field_name("body"), node.child_by_field_name("variable")
        listed = [child for child in node.named_children if child not in {body, variable}]
        values = [word for child in listed for words in self.expander.words(child) for word in words]
        self.perform(listed_by(Call(self, ["for"], node), values), node, "for")
        if not listed:
            values = self.scope.elements("@")
        with self.scope.leaving(loop=True), self.scope.branch():
            if variable is not None:
                self.scope.assign(text_of(variable), tuple(dict.fromkeys(values)) or (UNKNOWN,))
            return self.run(body, stdin) if body is not None else ""

    def _case_statement(self, node: Node, stdin: str) -> str:
        """A `case`: every item may run, after the one before it where that falls through."""
        scope, ends = self.scope, []
        for child in node.named_children:
            if child.type != "case_item":
                self.expander.texts(child)
                continue
            passed = dict(scope.variables)
            self.all([part for part in child.named_children if part.type not in _PATTERNS], stdin)
            if child.children[-1].type in _FALLS:
                scope.join(passed)
            else:
                ends.append(scope.variables)
                scope.variables = passed
        scope.join(*ends)
        return UNKNOWN

    def _list(self, node: Node, stdin: str) -> str:
        """Commands joined by `&&` or `||`: what follows runs only where the first side ended well, or badly."""
        first, *rest = node.named_children
        output = self.run(first, stdin)
        either = any(part.type == "||" for part in node.children)
        for child in rest:
            with self.scope.branch():
                printed = self.run(child, stdin)
            output = output or printed if either else output + printed
        return output

    def _pipeline(self, node: Node, stdin: str) -> str:
        """Commands of which each reads what the one before it prints; what they assign may be theirs alone."""
        output = stdin
        with self.scope.branch():
            for child in node.named_children:
                output = self.run(child, output)
        return output

    def _function_definition(self, node: Node, _stdin: str) -> str:
        """A function definition; its body is walked where it is called."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            word = text_of(name)
            self.scope.functions[word] = body, self.place
            self.shared.called.discard(word)
            if word == "exit":
                self.report.add("unresolved-command", self.spot(node), word, detail="Where a script ends is hidden.")
            if any(_starts_beside(word, inner) for inner in below(body)):
                self.report.add("resource-exhaustion", self.spot(node), text_of(node))
        return ""

    def _variable_assignment(self, node: Node, _stdin: str) -> str:
        """An assignment by itself, or one of those before a command."""
        name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name_node is None:
            return ""
        name, scope = text_of(name_node), self.scope
        appends = any(child.type == "+=" for child in node.children)
        if value is not None and value.type == "array":
            words = [word for child in value.named_children for word in self.expander.words(child)[0]]
            # `[key]=word` names the element; which key is asked for later is not worked out.
            words = [re.sub(r"\A\[[^\]]*\]=", "", word) for word in words]
            scope.arrays[name] = [*(scope.elements(name) if appends else []), *words]
            scope.variables.pop(name, None)
            return ""
        given = [""] if value is None else self.expander.texts(value, quoted=True)
        texts = [text.replace(FIELD, " ") for text in given]
        if name_node.type == "subscript":
            # Which element it is does not matter: most arrays are filled in their order.
            scope.arrays.setdefault(name.partition("[")[0], []).append(texts[0])
            return ""
        if appends:
            heads = scope.lookup(name) if scope.is_set(name) else ("",)
            texts = [head + text for head, text in islice(product(heads, texts), MAX_ALTERNATIVES)]
        scope.assign(name, tuple(texts))
        if value is not None and any(texts):
            self.perform(effects_of_setting(name, texts[0]), value, f"{name}={texts[0]}")
        return ""

    def _declaration_command(self, node: Node, _stdin: str) -> str:
        """`local`, `export`, `unset`, `declare` and the like; without operands they list the environment."""
        keyword, scope = text_of(node.children[0]), self.scope
        if keyword == "unset" and any(text_of(child) == "HISTFILE" for child in node.named_children):
            self.report.add("history-tampering", self.spot(node), text_of(node))
        for child in node.named_children:
            if keyword == "local":
                # What a function declares is new, whatever the name stood for outside.
                scope.variables.pop(re.split(r"[+=\[]", text_of(child), maxsplit=1)[0], None)
            if child.type == "variable_assignment":
                self.run(child)
            elif child.type == "variable_name" and keyword in {"local", "declare", "typeset"}:
                scope.assign(text_of(child), ("",))
            else:
                self.expander.texts(child)
        lists = all(text_of(child) in {"-p", "-x", "-px"} for child in node.named_children)
        return SECRET if lists and keyword in {"export", "declare", "typeset"} else ""

    _unset_command = _declaration_command


def _starts_beside(name: str, node: Node) -> bool:
    """Whether a command starts this function beside itself: in a pipeline or in the background."""
    word = node.child_by_field_name("name") if node.type == "command" else None
    parent = node.parent
    if word is None or text_of(word) != name or parent is None:
        return False
    following = node.next_sibling or parent.next_sibling
    return parent.type == "pipeline" or (following is not None and following.type == "&")


def effects_of_setting(name: str, text: str) -> Effects:
    """What giving a variable this value does to the programs that are started later."""
    if name in _PRELOADS and text != "/dev/null":
        # A library that the machine has installed is nobody's payload: sanitizers and wrappers are loaded so.
        yield Flag("preload", mild=bool(_INSTALLED.match(text)))
    elif (name == "HISTFILE" and text == "/dev/null") or (name in {"HISTSIZE", "HISTFILESIZE"} and text == "0"):
        yield Flag("history-tampering")
    return None
