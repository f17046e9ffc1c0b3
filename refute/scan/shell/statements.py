"""Statements of a shell script: commands, assignments, conditions, loops, lists, pipelines and functions."""

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Final

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
_FALLS: Final = frozenset({";&", ";;&"})
"""How an item of a `case` ends that goes on to the next."""
_PATTERNS: Final = frozenset({"word", "extglob_pattern", "string", "raw_string", "concatenation"})


def command(walker: Walker, node: Node, stdin: str) -> str:
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
            words.append(walker.expander.words(child))
    before = assign_before(walker, assignments)
    effect = redirects.apply(walker, files, node)
    stdin = stdin if effect.stdin is None else effect.stdin
    choices = [[word for part in choice for word in part] for choice in islice(product(*words), MAX_ALTERNATIVES)]
    ways = walker.scope.each([argv for argv in choices if argv])
    outputs = [walker.command(Call(walker, argv, node, stdin)) for argv in ways]
    # Of several readings, the one that says something.
    output = next((text for text in outputs if text != UNKNOWN), outputs[0]) if outputs else ""
    for name, values in before.items() if words else ():
        # An assignment before a command is over when it ends, but for some builtins: either value may hold.
        walker.scope.variables[name] = tuple(dict.fromkeys((*values, *walker.scope.variables.get(name, ()))))
    return redirects.store(walker, effect, output, node)


def redirected(walker: Walker, node: Node, stdin: str) -> str:
    """A command with redirections behind it."""
    body = node.child_by_field_name("body")
    files = [child for child in node.named_children if child.type.endswith("_redirect")]
    if body is None or body.type != "list":
        return _redirected(walker, node, body, files, stdin)
    # The grammar hangs a redirection on the whole list; shells apply it to the last command only.
    *before, body = body.named_children
    printed = walker.all(before, stdin)
    with walker.scope.branch():
        return printed + _redirected(walker, node, body, files, stdin)


def _redirected(walker: Walker, node: Node, body: Node | None, files: list[Node], stdin: str) -> str:
    effect, ended = redirects.apply(walker, files, node), ENDED in walker.scope.variables
    output = walker.run(body, stdin if effect.stdin is None else effect.stdin) if body is not None else ""
    if not ended:  # where a file cannot be opened, `exit` does not run
        walker.scope.variables.pop(ENDED, None)
    output = redirects.store(walker, effect, output, node)
    for stage, fed in effect.following:
        output = walker.run(stage, output) if fed else output + walker.run(stage)
    return output


def test(walker: Walker, node: Node, _stdin: str) -> str:
    """`[ … ]` and `[[ … ]]`, whose words may run something."""
    for child in node.named_children:
        walker.expander.texts(child, quoted=True)
    return ""


def branch(walker: Walker, node: Node, stdin: str) -> str:
    """A condition with its parts: each begins with what held where the ones before it were passed over."""
    scope, output = walker.scope, ""
    passed, ends = None, []
    for child in _parts(node):
        if child.type in {"then", "do"}:
            passed = dict(scope.variables)
        elif child.type in {"elif", "else"} and passed is not None:
            ends.append(scope.variables)
            scope.variables, passed = passed, None
        elif child.is_named:
            output += walker.run(child, stdin)
    scope.join(*ends, *([] if passed is None else [passed]))
    return output


def _parts(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in {"elif_clause", "else_clause", "do_group"}:
            yield from child.children
        else:
            yield child


def loop(walker: Walker, node: Node, stdin: str) -> str:
    """A loop of which nothing more is known, walked once."""
    with walker.scope.leaving(loop=True), walker.scope.branch():
        return branch(walker, node, stdin)


def loop_for(walker: Walker, node: Node, stdin: str) -> str:
    """A `for` loop, walked once with all values of its variable."""
    body, variable = node.child_by_field_name("body"), node.child_by_field_name("variable")
    listed = [child for child in node.named_children if child not in {body, variable}]
    values = [word for child in listed for words in walker.expander.words(child) for word in words]
    walker.perform(listed_by(values), node, "for")
    if not listed:
        values = walker.scope.elements("@")
    with walker.scope.leaving(loop=True), walker.scope.branch():
        if variable is not None:
            walker.scope.assign(text_of(variable), tuple(dict.fromkeys(values)) or (UNKNOWN,))
        return walker.run(body, stdin) if body is not None else ""


def choose_case(walker: Walker, node: Node, stdin: str) -> str:
    """A `case`: every item may run, after the one before it where that falls through."""
    scope, ends = walker.scope, []
    for child in node.named_children:
        if child.type != "case_item":
            walker.expander.texts(child)
            continue
        passed = dict(scope.variables)
        walker.all([part for part in child.named_children if part.type not in _PATTERNS], stdin)
        if child.children[-1].type in _FALLS:
            scope.join(passed)
        else:
            ends.append(scope.variables)
            scope.variables = passed
    scope.join(*ends)
    return UNKNOWN


def alternatives(walker: Walker, node: Node, stdin: str) -> str:
    """Commands joined by `&&` or `||`: what follows runs only where the first side ended well, or badly."""
    first, *rest = node.named_children
    output = walker.run(first, stdin)
    either = any(part.type == "||" for part in node.children)
    for child in rest:
        with walker.scope.branch():
            printed = walker.run(child, stdin)
        output = output or printed if either else output + printed
    return output


def pipeline(walker: Walker, node: Node, stdin: str) -> str:
    """Commands of which each reads what the one before it prints; what they assign may be theirs alone."""
    output = stdin
    with walker.scope.branch():
        for child in node.named_children:
            output = walker.run(child, output)
    return output


def define(walker: Walker, node: Node, _stdin: str) -> str:
    """A function definition; its body is walked where it is called."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        word = text_of(name)
        walker.scope.functions[word] = body, walker.place
        walker.shared.called.discard(word)
        if word == "exit":
            walker.report.add("unresolved-command", walker.spot(node), word, detail="Where a script ends is hidden.")
        if any(_starts_beside(word, inner) for inner in below(body)):
            walker.report.add("resource-exhaustion", walker.spot(node), text_of(node))
    return ""


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


def assign(walker: Walker, node: Node, _stdin: str) -> str:
    """An assignment by itself, or one of those before a command."""
    name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None:
        return ""
    name, scope = text_of(name_node), walker.scope
    appends = any(child.type == "+=" for child in node.children)
    if value is not None and value.type == "array":
        words = [word for child in value.named_children for word in walker.expander.words(child)[0]]
        # `[key]=word` names the element; which key is asked for later is not worked out.
        words = [re.sub(r"\A\[[^\]]*\]=", "", word) for word in words]
        scope.arrays[name] = [*(scope.elements(name) if appends else []), *words]
        scope.variables.pop(name, None)
        return ""
    texts = [""] if value is None else [text.replace(FIELD, " ") for text in walker.expander.texts(value, quoted=True)]
    if name_node.type == "subscript":
        # Which element it is does not matter: most arrays are filled in their order.
        scope.arrays.setdefault(name.partition("[")[0], []).append(texts[0])
        return ""
    if appends:
        heads = scope.lookup(name) if scope.is_set(name) else ("",)
        texts = [head + text for head, text in islice(product(heads, texts), MAX_ALTERNATIVES)]
    scope.assign(name, tuple(texts))
    if value is not None and any(texts):
        walker.perform(effects_of_setting(name, texts[0]), value, f"{name}={texts[0]}")
    return ""


def assign_before(walker: Walker, assignments: list[Node]) -> dict[str, tuple[str, ...]]:
    """Make the assignments before a command; returns what the variables were before."""
    before: dict[str, tuple[str, ...]] = {}
    for assignment in assignments:
        name = assignment.child_by_field_name("name")
        if name is not None and name.type == "variable_name":
            before[text_of(name)] = walker.scope.lookup(text_of(name))
        assign(walker, assignment, "")
    return before


def declare(walker: Walker, node: Node, _stdin: str) -> str:
    """`local`, `export`, `unset`, `declare` and the like; without operands they list the environment."""
    keyword, scope = text_of(node.children[0]), walker.scope
    if keyword == "unset" and any(text_of(child) == "HISTFILE" for child in node.named_children):
        walker.report.add("history-tampering", walker.spot(node), text_of(node))
    for child in node.named_children:
        if keyword == "local":
            # What a function declares is new, whatever the name stood for outside.
            scope.variables.pop(re.split(r"[+=\[]", text_of(child), maxsplit=1)[0], None)
        if child.type == "variable_assignment":
            assign(walker, child, "")
        elif child.type == "variable_name" and keyword in {"local", "declare", "typeset"}:
            scope.assign(text_of(child), ("",))
        else:
            walker.expander.texts(child)
    lists = all(text_of(child) in {"-p", "-x", "-px"} for child in node.named_children)
    return SECRET if lists and keyword in {"export", "declare", "typeset"} else ""
