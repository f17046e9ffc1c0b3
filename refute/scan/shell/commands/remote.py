"""Commands that reach another machine as a user: shells, copies, repositories, mail, tunnels."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan import hosts
from refute.scan.finding import Severity
from refute.scan.public_sources import is_public_source
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import from_stdin, note_run
from refute.scan.shell.commands.network import sends
from refute.scan.shell.options import split_options
from refute.scan.symbols import DERIVED, DOWNLOAD, UNKNOWN, is_open

_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!//)(.*)\Z")


_GIT_COMMANDS: Final = re.compile(
    r"(?i)(?:pager(?:\.\w+)?|editor|sshcommand|fsmonitor|hookspath|askpass|textconv|\.cmd|credential\.helper|\.(?:clean|smudge|process|driver))\Z"
)


_RECIPIENT: Final = re.compile(r"(?im)^(?:to|b?cc):(.*)$")
_DOMAIN: Final = re.compile(r"@([\w-]+(?:\.[\w-]+)+)")


def _ssh(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "bcDEeFIiJLlmOopQRSWw")
    _commands_in_options(call, options)
    for path in options.get("i", []):
        call.act.read(path)
    if not operands:
        return UNKNOWN
    call.act.connect(operands[0].rpartition("@")[2].removeprefix("ssh://").split(":")[0])
    if options.keys() & {"R", "D"}:
        call.act.add("network-listen", detail="Opens a tunnel.")
    sends(call, operands)
    if hosts.reach_of(operands[0].rpartition("@")[2]) == hosts.Reach.LOOPBACK:
        # The other machine is this one.
        call.walker.embedded(" ".join(operands[1:]), call.node)
        from_stdin(call)
    return DOWNLOAD


def _commands_in_options(call: Call, options: dict[str, list[str]]) -> None:
    for value in options.get("o", []):
        name, _, command = value.replace(" ", "=", 1).partition("=") if "=" not in value else value.partition("=")
        if name.strip().lower() in {"proxycommand", "localcommand", "knownhostscommand", "remotecommand"}:
            call.walker.embedded(command, call.node)


def _copy_remote(call: Call) -> str:
    valued = "cFiJloPSDX" if call.argv[0] != "rsync" else "efTBM"
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"rsh", "exclude", "include", "exclude-from", "files-from"}), mixed=True
    )
    if call.argv[0] != "rsync":
        _commands_in_options(call, options)
    if call.argv[0] == "rsync":
        for shell in options.get("e", []) + options.get("rsh", []):
            call.walker.embedded(shell + " x", call.node)
    for position, word in enumerate(operands):
        remote = _REMOTE.match(word) if not word.startswith(("/", ".", "~")) else None
        if word.startswith(("rsync://", "scp://", "sftp://")) or (remote and "/" not in remote[1]):
            call.act.connect(hosts.host_of(word) if "://" in word else remote[1] if remote else None)
        elif call.argv[0] in {"rsync", "scp"} and position == len(operands) - 1 and position:
            call.act.write(word)
        elif call.argv[0] in {"rsync", "scp"}:
            call.act.read(word)
            call.act.list(word, asks=call.argv[0] == "scp" and "r" not in options)
        elif not remote:
            call.act.connect(word.rpartition("@")[2])
    return UNKNOWN


def _git_setting(call: Call, key: str, value: str) -> None:
    """A setting of git whose value is a command, or a directory of them."""
    if key.lower() == "core.hookspath":
        note_run(call, f"{value}/*", "")
    if _GIT_COMMANDS.search(key) or key.startswith("alias."):
        call.walker.embedded(value.lstrip("!"), call.node)
        if value.startswith("!"):
            call.act.add("foreign-code", detail="A git alias that runs a command.")


def _turns_git(key: str, value: str) -> bool:
    """Whether a setting makes git run something, or talk to another host, in every repository of the user."""
    name = key.lower()
    if name.endswith(".insteadof"):
        host = hosts.host_of(key.partition(".")[2].rpartition(".")[0])
        return host is None or not is_public_source(host.rpartition("@")[2])
    proxy = name.endswith("proxy") and hosts.reach_of(hosts.host_of(value) or value) == hosts.Reach.EXTERNAL
    return proxy or bool(re.search(r"hookspath\Z|fsmonitor\Z|gpg\.program\Z|^include(?:if\..*)?\.path\Z", name))


def _git_user_setting(call: Call, words: list[str], operands: list[str]) -> None:
    if not {"--get", "-l", "--list", "--get-all", "--get-regexp"} & set(words):
        turned = len(operands) > 1 and _turns_git(operands[-2], operands[-1])
        severity = Severity.HIGH if turned else Severity.MEDIUM
        call.act.add("persistence", severity=severity, detail="Changes git's settings of this user.")


def _git_hosts(call: Call, operands: list[str]) -> None:
    for word in operands:
        remote = _REMOTE.match(word)
        if "://" in word or (remote and "@" in word):
            host = hosts.host_of(word) if "://" in word else remote[1] if remote else None
            call.act.connect(host.rpartition("@")[2] if host else None, fetches=True)
    sends(call, operands)


def _keep_clone(call: Call, operands: list[str]) -> None:
    """Remember a directory of cloned code: nobody has scanned what the script may run from there."""
    source, *target = operands
    name = target[0] if target else source.rstrip("/").rpartition("/")[2].removesuffix(".git")
    if ("://" in source or _REMOTE.match(source)) and name and not is_open(name):
        redirects.keep(call.walker, name, DOWNLOAD, appends=False)


def _git_network(call: Call, verb: str, operands: list[str]) -> None:
    if verb in {"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}:
        _git_hosts(call, operands)
    if verb == "clone" and operands:
        _keep_clone(call, operands)


def _git(call: Call) -> str:
    options, words = split_options(call.argv[1:], "Cc", frozenset({"git-dir", "work-tree", "namespace"}))
    for setting in options.get("c", []):
        key, _, value = setting.partition("=")
        _git_setting(call, key, value)
    if not words:
        return UNKNOWN
    verb, *rest = words
    operands = split_options(
        rest, "bouj", frozenset({"depth", "branch", "origin", "reference", "template", "config"}), mixed=True
    )[1]
    for word in operands:
        if word.startswith("ext::"):
            call.act.add("foreign-code", detail="A transport of git that runs a command.")
            call.walker.embedded(re.sub(r"% ?", " ", word[5:]), call.node)
    _git_network(call, verb, operands)
    if re.match(r"credential(?: fill|-\S+ (?:.* )?get)\b", " ".join([verb, *rest])):
        call.act.add("read-credentials", detail="Asks git for a stored password.")
    if verb == "config" and len(operands) > 1:
        _git_setting(call, operands[-2], operands[-1])
    if verb == "config" and {"--global", "--system"} & set(rest):
        _git_user_setting(call, rest, operands)
    if verb == "rev-parse" and "--show-toplevel" in rest:
        from refute.scan.symbols import HERE  # noqa: PLC0415

        return HERE + "\n"
    return UNKNOWN


def _serve(call: Call) -> str:
    call.act.add("network-listen", detail="Starts a server or tunnel for others.")
    return UNKNOWN


def _mail(call: Call) -> str:
    """Mail to a named address outside blocks, and so does what it must not carry; any other is shown."""
    if len(call.argv) == 1 or call.argv[1] in {"--version", "--help", "-bp", "-bv"}:
        return UNKNOWN
    options, operands = split_options(
        call.argv[1:], "sfFrcbaSqeHi" if call.argv[0] == "mutt" else "sfFrcbaSq", mixed=True
    )
    named = [*operands, *options.get("c", []), *options.get("b", []), *_RECIPIENT.findall(call.stdin)]
    outside = any(hosts.reach_of(domain) == hosts.Reach.EXTERNAL for domain in _DOMAIN.findall(" ".join(named)))
    attached = bool(options.get("a")) or DERIVED in call.stdin
    strong = outside or attached or call.argv[0] == "swaks"
    call.act.add("network-external", severity=None if strong else Severity.MEDIUM, detail="Sends mail.")
    sends(call, operands)
    return UNKNOWN


COMMANDS: Final = {
    "ssh": _ssh,
    "mosh": _ssh,
    "autossh": _ssh,
    **dict.fromkeys(("scp", "sftp", "rsync"), _copy_remote),
    "git": _git,
    **dict.fromkeys(
        ("ngrok cloudflared devtunnel localtunnel chisel frpc bore tor dropbear sshd").split(),
        _serve,
    ),
    **dict.fromkeys(("mail", "mailx", "sendmail", "mutt", "msmtp", "swaks"), _mail),
}
