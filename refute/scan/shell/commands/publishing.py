"""Commands that publish what a workspace holds, and settings of package managers that name another source."""

import re
from collections.abc import Callable
from typing import Final

from refute.scan import hosts
from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.commands.network import sends
from refute.scan.shell.commands.system import only_asks
from refute.scan.shell.options import split_options
from refute.scan.symbols import UNKNOWN, is_known, is_open

_ASKS: Final = re.compile(
    r"(?:auth status|completion|version"
    r"|(?:repo|pr|issue|release|run|workflow|label) (?:view|list|status|checks|diff|watch))\b"
)
"""What `gh` only shows of the project itself."""
_PUBLISHES: Final = re.compile(
    r"(?:release (?:create|edit|upload)|pr (?:create|edit|comment|merge|ready|review|close|checkout)"
    r"|issue (?:create|edit|comment|close|reopen)|workflow run|run rerun)\b"
)
"""What `gh` puts before those who already watch the project, as `git push` does."""
_SOURCES: Final = re.compile(r"(?:^|[.])(?:registry|proxy|https-proxy|(?:extra-)?index-url|trusted-host|find-links)\Z")
"""Settings by which a package manager gets its packages from somewhere else."""
_VALUED: Final = frozenset({"repo", "title", "notes", "notes-file", "target", "body", "body-file", "base", "head"})


def publish(call: Call) -> str:
    """Judge publishing a package: shown, but for another place than the one that everybody uses."""
    if not only_asks(call):
        call.act.add("network-external", severity=Severity.MEDIUM, detail="Publishes what the workspace holds.")
        for word in call.argv[1:]:
            if "://" in word:
                call.act.connect(hosts.host_of(word.rpartition("=")[2] if word.startswith("-") else word))
        sends(call, call.argv[1:])
    return UNKNOWN


def configure(call: Call, words: list[str]) -> None:
    """Judge `config set KEY VALUE` of a package manager.

    Args:
        call: the package manager's call.
        words: what follows `set`; the value may be a word of its own or stand behind `=`.
    """
    key, _, value = " ".join(words[:2]).replace("=", " ", 1).partition(" ")
    if _SOURCES.search(key) and not key.startswith("@"):
        host = hosts.host_of(value) if "://" in value else value or None
        if host and hosts.reach_of(host) not in {hosts.Reach.LOOPBACK, hosts.Reach.PRIVATE}:
            call.act.add("package-install", detail="Later installs come from there.")


def _gh(call: Call) -> str:
    if len(call.argv) < 2 or only_asks(call):  # noqa: PLR2004 - the command alone prints its help
        return UNKNOWN
    text = " ".join(call.argv[1:])
    options, operands = split_options(call.argv[1:], "RtnFbBH", _VALUED, mixed=True)
    elsewhere = any(is_known(repository) for repository in options.get("R", []) + options.get("repo", []))
    shown = bool(_ASKS.match(text)) or (bool(_PUBLISHES.match(text)) and not elsewhere)
    call.act.add("cloud-control", severity=Severity.MEDIUM if shown else None)
    for path in [*operands[3:], *options.get("F", []), *options.get("notes-file", []), *options.get("body-file", [])]:
        if not is_open(path):
            call.act.send([call.act.read(path)])
    sends(call, [value for values in options.values() for value in values])
    return UNKNOWN


def _with_verb(*verbs: str) -> Callable[[Call], str]:
    def judge(call: Call) -> str:
        return publish(call) if set(call.argv[1:3]) & set(verbs) else UNKNOWN

    return judge


COMMANDS: Final = {
    "gh": _gh,
    **dict.fromkeys(
        ("twine", "flit", "hatch", "maturin", "ovsx", "vsce", "wapm", "jsr"), _with_verb("upload", "publish")
    ),
}
