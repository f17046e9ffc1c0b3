"""Redirections: which files and hosts they touch, what they feed in, what the script writes for later."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from refute.scan import paths
from refute.scan.effects import Act
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import DOWNLOAD, FIELD, SECRET, UNKNOWN, is_open

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker

_MAX_KEPT: Final = 100_000
_INDEX: Final = re.compile(r"\w\[[^\]]*?(\$\([^)]*\)|`[^`]*`)")


@dataclass(slots=True)
class Effect:
    """What the redirections of one command do."""

    stdin: str | None = None
    """Text fed in; None where input is not redirected."""
    outputs: list[tuple[str, bool]] = field(default_factory=list)
    """(path, whether it is appended to) that standard output goes to."""
    pipeline: list["Node"] = field(default_factory=list)
    """Stages that follow a here-document's marker on its line."""
    following: list["Node"] = field(default_factory=list)
    """Commands after `&&` or `||` there."""


NOTHING: Final = Effect()


def apply(walker: "Walker", nodes: "list[Node]", command: "Node") -> Effect:
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


def _file(walker: "Walker", node: "Node", effect: Effect, command: "Node") -> None:
    operator = next((child.type for child in node.children if not child.is_named), "")
    descriptor = next((text_of(child) for child in node.children if child.type == "file_descriptor"), "")
    for destination in node.children_by_field_name("destination"):
        for words in walker.expander.words(destination):
            path = FIELD.join(words).replace(FIELD, " ")
            if operator.endswith("&") and (path.isdigit() or path == "-"):
                effect.stdin = walker.scope.descriptors.get(path, effect.stdin) if operator == "<&" else effect.stdin
                continue
            act = Act(walker.shared.report, walker.spot(command), text_of(command), walker.scope.cwd)
            if path.startswith(("/dev/tcp/", "/dev/udp/")):
                _socket(act, path, command)
                effect.stdin = DOWNLOAD
            elif operator.startswith("<") and operator != "<>":
                content = act.read(path)
                kept = walker.shared.written.get(paths.locate(path, walker.scope.cwd).text, UNKNOWN)
                substituted = destination.type == "process_substitution"
                # What a person types is nobody's text.
                typed = path in {"/dev/tty", "/dev/null"}
                text = "" if typed else walker.expander.fed if substituted else content or kept
                if descriptor in {"", "0"}:
                    effect.stdin = text
                else:
                    walker.scope.descriptors[descriptor] = text
                if not content and walker.follows(path):
                    walker.fed = (command.id, [path])
            else:
                act.write(path)
                if descriptor in {"", "1"}:
                    effect.outputs.append((path, ">>" in operator))


def _socket(act: Act, path: str, command: "Node") -> None:
    act.connect(path.split("/")[3] if path.count("/") > 2 else UNKNOWN)  # noqa: PLR2004 - /dev/tcp/host/port
    words = text_of(command).split()
    if words and words[0].rpartition("/")[2] in {"bash", "sh", "zsh", "dash", "ksh", "exec"}:
        act.add("reverse-shell")


def _here_document(walker: "Walker", node: "Node", effect: Effect, command: "Node") -> None:
    start = next((text_of(child) for child in node.children if child.type == "heredoc_start"), "")
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    quoted = any(mark in start for mark in "'\"\\")
    if body is not None:
        effect.stdin = text_of(body) if quoted else walker.expander.heredoc(body)
        if any(child.type == "<<-" for child in node.children):
            effect.stdin = "\n".join(line.lstrip("\t") for line in effect.stdin.split("\n"))
    else:
        effect.stdin = ""
    after = node.child_by_field_name("right")
    for child in node.named_children:
        if child.type == "pipeline":
            effect.pipeline.extend(child.named_children)
        elif child.type in {"file_redirect", "herestring_redirect"}:
            _file(walker, child, effect, command)
        elif after is not None and child == after:
            effect.following.append(child)


def store(walker: "Walker", effect: Effect, output: str, node: "Node") -> str:
    """Remember what a command wrote into files; returns what is left on standard output."""
    for path, appends in effect.outputs:
        keep(walker, path, output, appends=appends)
        _run_unasked(walker, path, node)
        if SECRET in output and not path.startswith("/dev/null"):
            act = Act(walker.shared.report, walker.spot(node), text_of(node), walker.scope.cwd)
            act.add("environment-dump")
    endless = _endless(node) or (walker.scope.endless and any(appends for _, appends in effect.outputs))
    if effect.outputs and endless and not effect.outputs[0][0].startswith("/dev/"):
        Act(walker.shared.report, walker.spot(node), text_of(node), walker.scope.cwd).add("resource-exhaustion")
    return "" if effect.outputs else output


_UNASKED: Final = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py"})


def _run_unasked(walker: "Walker", path: str, node: "Node") -> None:
    """Judge what the script wrote into a file that Python or pytest reads by itself."""
    from refute.scan.python import scan_embedded  # noqa: PLC0415 - the two languages need each other

    if path.rpartition("/")[2] in _UNASKED:
        text = walker.shared.written.get(paths.locate(path, walker.scope.cwd).text, "")
        if text and not is_open(text):
            scan_embedded(walker.shared.report, text, walker.place_of(text, node), depth=walker.depth + 1)


def _endless(node: "Node") -> bool:
    body = node.child_by_field_name("body") or node
    words = text_of(body).split()
    return body.type == "command" and (
        words[:1] == ["yes"] or words[:2] in (["cat", "/dev/zero"], ["cat", "/dev/urandom"])
    )


def keep(walker: "Walker", path: str, text: str, *, appends: bool) -> None:
    """Remember a file's text for when the script runs it."""
    located = paths.locate(path, walker.scope.cwd).text
    before = walker.shared.written.get(located, "") if appends else ""
    walker.shared.written[located] = (before + text)[:_MAX_KEPT]


def evaluated(walker: "Walker", text: str, node: "Node | None") -> None:
    """Judge a text that a shell may take for arithmetic: an index in it is expanded, commands and all."""
    index = _INDEX.search(text)
    if node is not None and index is not None:
        walker.embedded(f": {index[1]}", node)


def environment_listing() -> str:
    """What a command that lists all variables prints."""
    return SECRET
