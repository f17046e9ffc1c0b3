"""Redirections: which files and hosts they touch, what they feed in, what the script writes for later."""

import re
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from refute.scan.core.effects import Connect, Effects, Eval, Flag, Read, Write
from refute.scan.core.symbols import DOWNLOAD, FIELD, SECRET, UNKNOWN, is_open
from refute.scan.rules import Language
from refute.scan.shell.state import Walker
from refute.scan.shell.syntax import text_of

_UNASKED: Final = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py"})
"""Files that Python or pytest reads by itself."""
_SHELL: Final = re.compile(r"(?:exec\s+)?(?:\S*/)?(?:ba|z|da|k)?sh\s")


@dataclass(slots=True)
class Effect:
    """What the redirections of one command do."""

    stdin: str | None = None
    """Text fed in; None where input is not redirected."""
    outputs: list[tuple[str, bool]] = field(default_factory=list)
    """(path, whether it is appended to) that standard output goes to."""
    following: list[tuple[Node, bool]] = field(default_factory=list)
    """Commands behind a here-document's marker on its line, and whether they are fed what is printed (`|`)."""


def apply(walker: Walker, nodes: list[Node], command: Node) -> Effect:
    """Judge the redirections and say what they feed in and where output goes."""
    effect = Effect()
    for node in nodes:
        if node.type == "heredoc_redirect":
            _here_document(walker, node, effect, command)
        elif node.type == "herestring_redirect":
            texts = [text for child in node.named_children for text in walker.expander.texts(child, quoted=True)]
            effect.stdin = (texts[0] if texts else "") + "\n"
        else:
            _file(walker, node, effect, command)
    return effect


def _file(walker: Walker, node: Node, effect: Effect, command: Node) -> None:
    operator = next((child.type for child in node.children if not child.is_named), "")
    descriptor = next((text_of(child) for child in node.children if child.type == "file_descriptor"), "")
    for destination in node.children_by_field_name("destination"):
        for words in walker.expander.words(destination):
            path = FIELD.join(words).replace(FIELD, " ")
            if operator.endswith("&") and (path.isdigit() or path == "-"):
                continue
            if path.startswith(("/dev/tcp/", "/dev/udp/")):
                walker.perform(_socket(path, text_of(command)), command, text_of(command))
                effect.stdin = DOWNLOAD
            elif operator.startswith("<") and operator != "<>":
                substituted = destination.type == "process_substitution"
                text = walker.expander.fed if substituted else walker.perform(_read(path), command, text_of(command))
                effect.stdin = text if descriptor in {"", "0"} else effect.stdin
            else:
                walker.perform(_write(Write(path)), command, text_of(command))
                if descriptor in {"", "1"}:
                    effect.outputs.append((path, ">>" in operator))


def _read(path: str) -> Effects:
    # What a person types is nobody's text.
    return "" if path in {"/dev/tty", "/dev/null"} else (yield Read(path))


def _write(write: Write) -> Effects:
    text = write.text or ""
    yield write
    if write.path.rpartition("/")[2] in _UNASKED and text and not is_open(text):
        yield Eval(Language.PYTHON, text)
    if SECRET in text and not write.path.startswith("/dev/null"):
        yield Flag("environment-dump")
    return None


def _socket(path: str, command: str) -> Effects:
    yield Connect(path.split("/")[3] if path.count("/") > 2 else UNKNOWN)  # noqa: PLR2004 - /dev/tcp/host/port
    if _SHELL.match(command):
        yield Flag("reverse-shell")
    return None


def _here_document(walker: Walker, node: Node, effect: Effect, command: Node) -> None:
    start = next((text_of(child) for child in node.children if child.type == "heredoc_start"), "")
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    effect.stdin = ""
    if body is not None:
        quoted = any(mark in start for mark in "'\"\\")
        effect.stdin = text_of(body) if quoted else walker.expander.heredoc(body)
        if any(child.type == "<<-" for child in node.children):
            effect.stdin = re.sub(r"(?m)^\t+", "", effect.stdin)
    after = node.child_by_field_name("right")
    for child in node.named_children:
        if child.type == "pipeline":
            effect.following.extend((stage, True) for stage in child.named_children)
        elif child.type in {"file_redirect", "herestring_redirect"}:
            _file(walker, child, effect, command)
        elif after is not None and child == after:
            effect.following.append((child, False))


def store(walker: Walker, effect: Effect, output: str, node: Node) -> str:
    """Remember what a command wrote into files; returns what is left on standard output."""
    for path, appends in effect.outputs:
        walker.perform(_write(Write(path, output, appends)), node, text_of(node))
    return "" if effect.outputs else output
