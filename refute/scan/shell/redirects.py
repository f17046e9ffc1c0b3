"""Redirections: which files and hosts they touch, what they feed in, what the script writes for later."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from refute.scan import hosts, paths
from refute.scan.effects import Act
from refute.scan.finding import Severity
from refute.scan.public_sources import is_public_source
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import DOWNLOAD, FIELD, OUTPUT, SECRET, UNKNOWN, is_open

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker

_INSTALLED: Final = re.compile(
    rf"(?:/usr)?/(?:lib(?:32|64)?|\$LIB)/(?!.*\.\.)[^{UNKNOWN}]+|lib[\w.+-]*\.so[.\d]*|{OUTPUT}|"
)
_MAX_KEPT: Final = 100_000
_PRELOADS: Final = frozenset(
    {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP", "PROMPT_COMMAND"}
)


_COMMANDS: Final = frozenset(
    """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH GIT_ASKPASS
    SSH_ASKPASS
    SUDO_ASKPASS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND RSYNC_RSH CVS_RSH LESSOPEN LESSCLOSE BROWSER MAILCHECK""".split()
)
"""Variables whose value other programs run as a command."""
_SOURCES: Final = frozenset(
    """PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INDEX
    GOPROXY NPM_CONFIG_REGISTRY YARN_REGISTRY YARN_NPM_REGISTRY_SERVER""".split()
)
"""Variables by which a package manager gets its packages from somewhere else."""
_PROMPTS: Final = frozenset({"PS0", "PS1", "PS2", "PS4"})
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


def watch_variable(walker: "Walker", name: str, texts: list[str], node: "Node | None") -> None:
    """Judge setting a variable that changes how programs behave."""
    if node is None or not any(texts):
        return
    act = Act(walker.shared.report, walker.spot(node), f"{name}={texts[0]}", walker.scope.cwd)
    if name in _PRELOADS and texts == ["/dev/null"]:
        return
    if name in _PRELOADS:
        # A library that the machine has installed is nobody's payload: sanitizers and wrappers are loaded so.
        installed = name.startswith("LD_") and all(_INSTALLED.fullmatch(part) for part in re.split("[ :]+", texts[0]))
        act.add("preload", severity=Severity.MEDIUM if installed else None)
    elif name in _COMMANDS or (name in _PROMPTS and re.search(r"\$\(|`", texts[0])):
        command = texts[0].lstrip("|-").strip()
        if command:
            walker.embedded(f': "{command}"' if name in _PROMPTS else command, node)
    elif name.upper() in _SOURCES:
        for address in re.findall(r"https?://[^\s,|]+", texts[0]):
            host = hosts.host_of(address)
            if host and hosts.reach_of(host) == hosts.Reach.EXTERNAL and not is_public_source(host):
                act.add("package-install", detail="Packages come from there.")
    elif name == "HISTFILE" and texts[0] == "/dev/null":
        act.add("history-tampering")


def evaluated(walker: "Walker", text: str, node: "Node | None") -> None:
    """Judge a text that a shell may take for arithmetic: an index in it is expanded, commands and all."""
    index = _INDEX.search(text)
    if node is not None and index is not None:
        walker.embedded(f": {index[1]}", node)


def environment_listing() -> str:
    """What a command that lists all variables prints."""
    return SECRET
