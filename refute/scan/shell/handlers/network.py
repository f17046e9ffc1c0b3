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
from refute.scan.shell.rows import effects_of, split
from refute.scan.shell.state import Call

_HANDS_OVER: Final = frozenset(
    """d data data-binary data-raw data-urlencode data-ascii json F form form-string T upload-file X request K config
    x proxy socks5 preproxy resolve connect-to post-data post-file body-data body-file method e execute""".split()
)
"""Options with which a client hands something over, or asks another host than the address says."""
_UPLOADS: Final = "d data data-binary data-urlencode json F form T upload-file b cookie".split()
_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!//)(.*)\Z")


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
    yield from effects_of(call, row)
    operands = split_options(call.argv[1:], row.values)[1]
    if not operands:
        return UNKNOWN
    host = operands[0].rpartition("@")[2].removeprefix("ssh://").split(":")[0]
    yield Connect(host)
    yield Send((call.stdin, *operands))
    if hosts.reach_of(host) == hosts.Reach.LOOPBACK:
        # The other machine is this one.
        yield Eval(Language.SHELL, " ".join(operands[1:]) or call.stdin)
        if len(operands) > 1 and call.stdin:
            yield Run(tuple(operands[1:]), call.stdin)
    return DOWNLOAD


def _remote_copy(call: Call, row: Command) -> Effects:
    name = call.argv[0]
    yield from effects_of(call, row)
    valued = row.values if name != "rsync" else "eFfTBM"
    options, operands = split_options(call.argv[1:], valued, row.long, mixed=True)
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


def _git(call: Call, row: Command) -> Effects:
    yield from effects_of(call, row)
    words = split_options(call.argv[1:], "Cc", frozenset({"git-dir", "work-tree", "namespace"}))[1]
    verb, *rest = words or [""]
    for hooks in re.findall(r"(?i)core\.hookspath[= ](\S+)", call.text):
        yield Reach(f"{hooks}/*", "")
    if verb in {"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}:
        long = frozenset("depth branch origin reference template config".split())
        yield from _git_network(call, verb, split_options(rest, "boujO", long, mixed=True)[1])
    return HERE + "\n" if verb == "rev-parse" and "--show-toplevel" in rest else None


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
