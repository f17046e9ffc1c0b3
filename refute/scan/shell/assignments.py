"""Assignments and declarations of a shell script."""

import re
from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core import hosts
from refute.scan.core.effects import Connect, Effects, Flag, Preload
from refute.scan.core.symbols import FIELD, SECRET
from refute.scan.shell import redirects
from refute.scan.shell.state import Walker
from refute.scan.shell.syntax import text_of
from refute.scan.shell.words import MAX_ALTERNATIVES

_PRELOADS: Final = frozenset(
    {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP", "PROMPT_COMMAND"}
)
_SOURCES: Final = re.compile(
    r"(?i)(?:PIP|UV|GO|NPM_CONFIG|YARN)\w*(?:INDEX|INDEX_URL|FIND_LINKS|PROXY|REGISTRY|REGISTRY_SERVER)\Z"
)
"""Variables by which a package manager gets its packages from somewhere else."""


def effects_of_setting(name: str, text: str) -> Effects:
    """What giving a variable this value does to the programs that are started later."""
    if name in _PRELOADS:
        yield Preload(text)
    elif hosts.sends_through(name, text):
        yield Flag("network-external", detail="All later requests go through that host.")
    elif _SOURCES.match(name):
        for address in re.findall(r"https?://[^\s,|]+", text):
            yield Connect(hosts.host_of(address), fetches=True)
    elif (name == "HISTFILE" and text == "/dev/null") or (name in {"HISTSIZE", "HISTFILESIZE"} and text == "0"):
        yield Flag("history-tampering")
    return None


def assign(walker: Walker, node: Node, _stdin: str) -> str:
    """An assignment by itself, or one of those before a command."""
    name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None:
        return ""
    name = text_of(name_node)
    appends = any(child.type == "+=" for child in node.children)
    if name_node.type == "subscript":
        _assign_element(walker, name, value)
    elif value is not None and value.type == "array":
        words = [word for child in value.named_children for word in walker.expander.words(child)[0]]
        # `[key]=word` names the element; which key is asked for later is not worked out.
        words = [re.sub(r"\A\[[^\]]*\]=", "", word) for word in words]
        walker.scope.arrays[name] = [*(walker.scope.elements(name) if appends else []), *words]
        walker.scope.variables.pop(name, None)
    else:
        _assign_text(walker, name, value, appends=appends)
    return ""


def _assign_text(walker: Walker, name: str, value: Node | None, *, appends: bool) -> None:
    texts = [""] if value is None else [text.replace(FIELD, " ") for text in walker.expander.texts(value, quoted=True)]
    if appends:
        heads = walker.scope.lookup(name) if walker.scope.is_set(name) else ("",)
        texts = [head + text for head, text in islice(product(heads, texts), MAX_ALTERNATIVES)]
    walker.scope.assign(name, tuple(texts))
    for text in texts:
        redirects.evaluated(walker, text, value)
    _watch(walker, name, texts, value)


def _watch(walker: Walker, name: str, texts: list[str], node: Node | None) -> None:
    """Judge setting a variable that changes how programs behave."""
    if node is not None and any(texts):
        walker.perform(effects_of_setting(name, texts[0]), node, f"{name}={texts[0]}")


def _assign_element(walker: Walker, name: str, value: Node | None) -> None:
    array, _, index = name.partition("[")
    elements = walker.scope.arrays.setdefault(array, [])
    text = walker.expander.texts(value, quoted=True)[0] if value is not None else ""
    position = index.rstrip("]")
    if position.isdigit() and int(position) < 256:  # noqa: PLR2004 - larger indexes are only appended
        elements.extend([""] * (int(position) + 1 - len(elements)))
        elements[int(position)] = text
    else:
        elements.append(text)


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
    keyword = text_of(node.children[0])
    refers = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", text_of(child)) for child in node.named_children)
    for child in node.named_children:
        name = re.split(r"[+=\[]", text_of(child), maxsplit=1)[0]
        # What a function declares first is new, whatever the name stood for outside.
        surrounding = walker.scope.branching
        if keyword == "local" and walker.scope.own(name):
            walker.scope.branching = 0
        if child.type == "variable_assignment":
            assign(walker, child, "")
            if refers and (name := child.child_by_field_name("name")) is not None:
                walker.scope.references[text_of(name)] = walker.scope.lookup(text_of(name))[0]
        elif child.type == "variable_name" and keyword in {"local", "declare", "typeset"}:
            walker.scope.assign(text_of(child), ("",))
        else:
            for text in walker.expander.texts(child):
                # `declare "$name=…"`: the name itself is worked out.
                target, equals, value = text.partition("=")
                if equals and re.fullmatch(r"[A-Za-z_]\w*", target):
                    walker.scope.assign(target, (value,))
        walker.scope.branching = surrounding
    listing = node.named_child_count == 0 or all(text_of(child) in {"-p", "-x", "-px"} for child in node.named_children)
    return SECRET if listing else ""


def unset(walker: Walker, node: Node, _stdin: str) -> str:
    """`unset`, which matters for variables that other programs read."""
    for child in node.named_children:
        name = text_of(child)
        _watch(walker, name, ["/dev/null"] if name == "HISTFILE" else [""], child)
    return ""
