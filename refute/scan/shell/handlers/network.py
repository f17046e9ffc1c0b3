"""Commands that talk over a network."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan.core import hosts
from refute.scan.core.effects import Connect, Effects, Eval, Flag, List, Reach, Read, Run, Send, Write
from refute.scan.core.symbols import DOWNLOAD, HERE, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import split
from refute.scan.shell.state import Call

_HANDS_OVER: Final = frozenset(
    """d data data-binary data-raw data-urlencode data-ascii json F form form-string T upload-file X request K config
    x proxy socks5 preproxy resolve connect-to post-data post-file body-data body-file method e execute""".split()
)
"""Options with which a client hands something over, or asks another host than the address says."""
_UPLOADS: Final = "d data data-binary data-urlencode json F form T upload-file b cookie".split()
_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!//)(.*)\Z")
_GIT_COMMANDS: Final = re.compile(
    r"(?i)(?:pager(?:\.\w+)?|editor|sshcommand|fsmonitor|hookspath|askpass|textconv|\.cmd|credential\.helper|\.(?:clean|smudge|process|driver))\Z"
)
_GIT_EVERYWHERE: Final = re.compile(
    r"hookspath\Z|fsmonitor\Z|gpg\.program\Z|^include(?:if\..*)?\.path\Z|insteadof\Z|proxy\Z"
)


def _curl(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    urls = operands + options.get("url", [])
    sockets = options.get("unix-socket", [])
    for socket in sockets:
        yield Read(socket)
    for url in urls:
        if url.startswith("file:"):
            yield Read(re.sub(r"^file:(//)?", "", url))
        elif not sockets:
            yield Connect(hosts.host_of(url) or None, fetches=not options.keys() & _HANDS_OVER)
    for value in options.get("x", []) + options.get("proxy", []):
        yield Connect(hosts.host_of(value))
    yield from _uploads(options)
    targets = options.get("o", []) + options.get("output", [])
    if options.keys() & {"O", "remote-name", "remote-name-all", "J"}:
        targets = targets + _named(urls, (options.get("output-dir") or [""])[0])
    for path in targets:
        yield Write(path, DOWNLOAD)
    for path in options.get("K", []) + options.get("config", []):
        yield Flag("network-unresolved", mild=True, detail=f"Options come from {path}.")
    yield Send((call.stdin, *operands, *(value for values in options.values() for value in values)))
    return DOWNLOAD if urls else UNKNOWN


def _uploads(options: dict[str, list[str]]) -> Effects:
    for name in _UPLOADS:
        for value in options.get(name, []):
            path = value if name in {"T", "upload-file"} else value.partition("@")[2] if "@" in value[:40] else ""
            if path and path != "-":
                yield Send(((yield Read(path.split(";")[0])),))


def _named(urls: list[str], directory: str) -> list[str]:
    """Files named as the addresses end."""
    names = [re.split(r"[?#]", url, maxsplit=1)[0].rstrip("/").rpartition("/")[2] for url in urls]
    return [f"{directory}/{name}" if directory else name for name in names if name and not is_open(name)]


def _wget(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    for url in operands:
        yield Connect(
            hosts.host_of(url) or None, fetches=not options.keys() & (_HANDS_OVER - {"x", "T", "X", "d", "F"})
        )
    targets = options.get("O", []) + options.get("output-document", [])
    directory = (options.get("P") or options.get("directory-prefix") or [""])[0]
    for path in targets or _named(operands, directory):
        if path != "-":
            yield Write(path, DOWNLOAD)
    for path in options.get("post-file", []) + options.get("body-file", []):
        yield Send(((yield Read(path)),))
    for path in options.get("i", []) + options.get("input-file", []):
        yield Flag("network-unresolved", detail=f"Addresses come from {path}.")
    yield Send((call.stdin, *operands, *options.get("post-data", [])))
    return DOWNLOAD if targets in (["-"], ["/dev/stdout"]) else UNKNOWN


def _ssh(call: Call, row: Command) -> Effects:
    options, operands = split_options(call.argv[1:], row.values)
    yield from _commands_in(options)
    for path in options.get("i", []):
        yield Read(path)
    if not operands:
        return UNKNOWN
    host = operands[0].rpartition("@")[2].removeprefix("ssh://").split(":")[0]
    yield Connect(host)
    if options.keys() & {"R", "D"}:
        yield Flag("network-listen", detail="Opens a tunnel.")
    yield Send((call.stdin, *operands))
    if hosts.reach_of(host) == hosts.Reach.LOOPBACK:
        # The other machine is this one.
        yield Eval(Language.SHELL, " ".join(operands[1:]) or call.stdin)
        if len(operands) > 1 and call.stdin:
            yield Run(tuple(operands[1:]), call.stdin)
    return DOWNLOAD


def _commands_in(options: dict[str, list[str]]) -> Effects:
    for value in options.get("o", []):
        name, _, command = (value if "=" in value else value.replace(" ", "=", 1)).partition("=")
        if name.strip().lower() in {"proxycommand", "localcommand", "knownhostscommand", "remotecommand"}:
            yield Eval(Language.SHELL, command)
    return None


def _remote_copy(call: Call, row: Command) -> Effects:
    name = call.argv[0]
    valued = row.values.replace("P", "").replace("D", "").replace("S", "") if name == "rsync" else row.values
    options, operands = split_options(
        call.argv[1:], valued.replace("e", "") if name != "rsync" else valued, row.long, mixed=True
    )
    yield from _commands_in(options)
    for text in options.get("rsync-path", []):
        yield Eval(Language.SHELL, text)
    for shell in options.get("e", []) + options.get("rsh", []) if name == "rsync" else ():
        yield Eval(Language.SHELL, shell + " x")
    for position, word in enumerate(operands):
        remote = _REMOTE.match(word) if not word.startswith(("/", ".", "~")) else None
        if word.startswith(("rsync://", "scp://", "sftp://")) or (remote and "/" not in remote[1]):
            yield Connect(hosts.host_of(word) if "://" in word else remote[1] if remote else None)
        elif name in {"rsync", "scp"} and position == len(operands) - 1 and position:
            yield Write(word)
        elif name in {"rsync", "scp"}:
            yield Read(word)
            yield List(word, asks=name == "scp" and "r" not in options)
        elif not remote:
            yield Connect(word.rpartition("@")[2])
    return None


def _git(call: Call, _row: Command) -> Effects:
    options, words = split_options(call.argv[1:], "Cc", frozenset({"git-dir", "work-tree", "namespace"}))
    for setting in options.get("c", []):
        key, _, value = setting.partition("=")
        yield from _git_setting(key, value)
    verb, *rest = words or [""]
    long = frozenset("depth branch origin reference template config exec".split())
    given, operands = split_options(rest, "boujxO", long, mixed=True)
    for text in [*given.get("exec", []), *given.get("x", [])]:
        yield Eval(Language.SHELL, text)
    for word in operands:
        if word.startswith("ext::"):
            yield Flag("foreign-code", detail="A transport of git that runs a command.")
            yield Eval(Language.SHELL, re.sub(r"% ?", " ", word[5:]))
    if words[:2] in (["bisect", "run"], ["submodule", "foreach"]):
        yield Eval(Language.SHELL, " ".join(words[2:]))
    if re.match(r"credential(?: fill|-\S+ (?:.* )?get)\b", " ".join(words)):
        yield Flag("read-credentials", detail="Asks git for a stored password.")
    if verb == "config":
        yield from _git_config(rest, operands, call.walker.report.knowledge.public)
    elif verb in {"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}:
        yield from _git_network(call, verb, operands)
    return HERE + "\n" if verb == "rev-parse" and "--show-toplevel" in rest else None


def _git_setting(key: str, value: str) -> Effects:
    """A setting of git whose value is a command, or a directory of them."""
    if key.lower() == "core.hookspath":
        yield Reach(f"{value}/*", "")
    if _GIT_COMMANDS.search(key) or key.startswith("alias."):
        yield Eval(Language.SHELL, value.lstrip("!"))
        if value.startswith("!"):
            yield Flag("foreign-code", detail="A git alias that runs a command.")
    return None


def _git_config(words: list[str], operands: list[str], public_hosts: frozenset[str]) -> Effects:
    if len(operands) > 1:
        yield from _git_setting(operands[-2], operands[-1])
    asks = {"--get", "-l", "--list", "--get-all", "--get-regexp"} & set(words)
    if {"--global", "--system"} & set(words) and not asks:
        key = operands[-2].lower() if len(operands) > 1 else ""
        host = hosts.host_of(key.partition(".")[2].rpartition(".")[0]) if key.endswith("insteadof") else None
        public = host is not None and hosts.is_listed(host.rpartition("@")[2], public_hosts)
        yield Flag(
            "persistence", mild=public or not _GIT_EVERYWHERE.search(key), detail="Changes git's settings of this user."
        )
    return None


def _git_network(call: Call, verb: str, operands: list[str]) -> Effects:
    for word in operands:
        remote = _REMOTE.match(word)
        if "://" in word or (remote and "@" in word):
            host = hosts.host_of(word) if "://" in word else remote[1] if remote else None
            yield Connect(host.rpartition("@")[2] if host else None, fetches=True)
    yield Send((call.stdin, *operands))
    if verb == "clone" and operands:
        source, *target = operands
        name = target[0] if target else source.rstrip("/").rpartition("/")[2].removesuffix(".git")
        if ("://" in source or _REMOTE.match(source)) and name and not is_open(name):
            # Nobody has scanned what the script may run from there.
            yield Write(name, DOWNLOAD)
    return None


HANDLERS: Final = {
    "curl": _curl,
    "wget": _wget,
    "ssh": _ssh,
    "remote_copy": _remote_copy,
    "git": _git,
}
