"""Variables that change how the shell or other programs behave, where a script sets them."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan.core import hosts, paths
from refute.scan.core.effects import Connect, Effects, Eval, Flag, Preload
from refute.scan.rules import Language

_PRELOADS: Final = frozenset("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PYTHONSTARTUP PROMPT_COMMAND".split())
_COMMANDS: Final = frozenset(
    """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH GIT_ASKPASS
    SSH_ASKPASS SUDO_ASKPASS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND RSYNC_RSH CVS_RSH LESSOPEN LESSCLOSE BROWSER""".split()
)
"""Variables whose value other programs run as a command."""
_SOURCES: Final = re.compile(
    r"(?i)(?:PIP|UV|GO|NPM_CONFIG|YARN)\w*(?:INDEX|INDEX_URL|FIND_LINKS|PROXY|REGISTRY|REGISTRY_SERVER)\Z"
)
"""Variables by which a package manager gets its packages from somewhere else."""
_OPTIONS: Final = frozenset("NODE_OPTIONS RUBYOPT PERL5OPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS".split())
"""Variables with options of an interpreter, which may name code to load first."""
_LOADS: Final = re.compile(r"(?:--require|--import|--loader|-javaagent|-agentpath|-r|-I)[ =:]?(/\S+)")
_PROMPTS: Final = frozenset({"PS0", "PS1", "PS2", "PS4"})


def effects_of_setting(cwd: str, name: str, text: str) -> Effects:  # noqa: C901 - one branch per kind
    """What giving a variable this value does."""
    if name in _PRELOADS:
        yield Preload(text)
    elif name in _COMMANDS or (name in _PROMPTS and re.search(r"\$\(|`", text)):
        command = text.lstrip("|-").strip()
        if command.encode("ascii", "ignore").strip():
            yield Eval(Language.SHELL, f': "{command}"' if name in _PROMPTS else command)
    elif hosts.sends_through(name, text):
        yield Flag("network-external", detail="All later requests go through that host.")
    elif name in _OPTIONS:
        for path in _LOADS.findall(text):
            if not paths.inside_or_temporary(paths.locate(path, cwd)) or path.startswith("/tmp/"):  # noqa: S108 - a name
                yield Flag("preload")
    elif _SOURCES.match(name):
        for address in re.findall(r"https?://[^\s,|]+", text):
            yield Connect(hosts.host_of(address), fetches=True)
    elif (name == "HISTFILE" and text == "/dev/null") or (name in {"HISTSIZE", "HISTFILESIZE"} and text == "0"):
        yield Flag("history-tampering")
    return None
