"""Assignments and declarations of a shell script."""

import re
from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.effects import Effects, Flag
from refute.scan.core.symbols import FIELD, OUTPUT, SECRET, UNKNOWN
from refute.scan.shell.expansion import MAX_ALTERNATIVES
from refute.scan.shell.state import Walker
from refute.scan.shell.syntax import text_of

_INSTALLED: Final = re.compile(
    rf"(?:(?:/usr)?/(?:lib|\$LIB)(?!.*\.\.)[^{UNKNOWN}:\s]+|lib[\w.+-]*\.so[.\d]*|{OUTPUT}|[ :])*\Z"
)
_PRELOADS: Final = frozenset(
    {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP", "PROMPT_COMMAND"}
)


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
    """`local`, `export`, `declare` and the like; without operands they list the environment."""
    keyword, scope = text_of(node.children[0]), walker.scope
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
    return SECRET if all(text_of(child) in {"-p", "-x", "-px"} for child in node.named_children) else ""


def unset(walker: Walker, node: Node, _stdin: str) -> str:
    """`unset`, which matters for variables that other programs read."""
    if any(text_of(child) == "HISTFILE" for child in node.named_children):
        walker.report.add("history-tampering", walker.spot(node), text_of(node))
    return ""
