"""Variables that change how the shell or other programs behave, judged where a script sets them."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import TYPE_CHECKING, Final

from refute.scan import hosts, paths
from refute.scan.effects import Act
from refute.scan.finding import Severity
from refute.scan.public_sources import is_public_source
from refute.scan.symbols import OUTPUT, UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker

_INSTALLED: Final = re.compile(
    rf"(?:/usr)?/(?:lib(?:32|64)?|\$LIB)/(?!.*\.\.)[^{UNKNOWN}]+|lib[\w.+-]*\.so[.\d]*|{OUTPUT}|"
)
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
_OPTIONS: Final = frozenset(
    {"NODE_OPTIONS", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"}
)
"""Variables with options of an interpreter, which may name code to load first."""
_LOADS: Final = re.compile(r"(?:--require|--import|--loader|-javaagent|-agentpath|-r|-I)[ =:]?(/\S+)")
_PROMPTS: Final = frozenset({"PS0", "PS1", "PS2", "PS4"})


def watch_variable(walker: "Walker", name: str, texts: list[str], node: "Node | None") -> None:
    """Judge setting a variable that changes how programs behave."""
    if node is None or not any(texts):
        return
    act = Act(walker.shared.report, walker.spot(node), f"{name}={texts[0]}", walker.scope.cwd)
    if name in _PRELOADS:
        _preload(act, name, texts)
    elif name in _COMMANDS or (name in _PROMPTS and re.search(r"\$\(|`", texts[0])):
        command = texts[0].lstrip("|-").strip()
        if command:
            walker.embedded(f': "{command}"' if name in _PROMPTS else command, node)
    elif hosts.sends_through(name, texts[0]):
        act.add("network-external", detail="All later requests go through that host.")
    elif name in _OPTIONS:
        _loads_first(act, texts[0])
    elif name.upper() in _SOURCES:
        _packages_from(act, texts[0])
    elif (name == "HISTFILE" and texts[0] == "/dev/null") or (name in {"HISTSIZE", "HISTFILESIZE"} and texts == ["0"]):
        act.add("history-tampering")


def _preload(act: Act, name: str, texts: list[str]) -> None:
    # A library that the machine has installed is nobody's payload: sanitizers and wrappers are loaded so.
    installed = name.startswith("LD_") and all(_INSTALLED.fullmatch(part) for part in re.split("[ :]+", texts[0]))
    if texts != ["/dev/null"]:
        act.add("preload", severity=Severity.MEDIUM if installed else None)


def _loads_first(act: Act, options: str) -> None:
    """Options that make an interpreter load code from elsewhere, named by its path."""
    for path in _LOADS.findall(options):
        target = paths.locate(path, act.cwd)
        if not paths.inside_or_temporary(target) or path.startswith("/tmp/"):  # noqa: S108 - a name to recognise
            act.add("preload")


def _packages_from(act: Act, text: str) -> None:
    for address in re.findall(r"https?://[^\s,|]+", text):
        host = hosts.host_of(address)
        if host and hosts.reach_of(host) == hosts.Reach.EXTERNAL and not is_public_source(host):
            act.add("package-install", detail="Packages come from there.")
