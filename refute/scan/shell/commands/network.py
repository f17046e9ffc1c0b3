"""Commands that talk over a network."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan import hosts
from refute.scan.finding import Severity
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import DOWNLOAD, SECRET, UNKNOWN, is_open

_CURL_VALUED: Final = "AbcCdDeEFHhKmoPQrTtuUwxXyYz"
_CURL_LONG: Final = frozenset(
    [
        "data",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "data-ascii",
        "json",
        "header",
        "form",
        "form-string",
        "output",
        "user",
        "user-agent",
        "request",
        "url",
        "upload-file",
        "proxy",
        "cookie",
        "cookie-jar",
        "max-time",
        "connect-timeout",
        "retry",
        "retry-delay",
        "retry-max-time",
        "write-out",
        "cacert",
        "cert",
        "key",
        "config",
        "referer",
        "range",
        "limit-rate",
        "unix-socket",
        "resolve",
        "interface",
        "dump-header",
        "output-dir",
        "ciphers",
        "capath",
        "netrc-file",
        "socks5",
        "preproxy",
        "proto",
        "proto-default",
        "continue-at",
        "max-redirs",
    ]
)
_WGET_LONG: Final = frozenset(
    [
        "output-document",
        "output-file",
        "directory-prefix",
        "user",
        "password",
        "header",
        "post-data",
        "post-file",
        "body-data",
        "tries",
        "timeout",
        "user-agent",
        "input-file",
        "method",
        "wait",
        "quota",
        "limit-rate",
        "accept",
        "reject",
        "referer",
    ]
)
_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!//)(.*)\Z")


_GIT_COMMANDS: Final = re.compile(
    r"(?i)(?:pager(?:\.\w+)?|editor|sshcommand|fsmonitor|hookspath|askpass|textconv|\.cmd|credential\.helper|\.(?:clean|smudge|process|driver))\Z"
)


def _sends(call: Call, values: list[str]) -> None:
    call.act.send([call.stdin, *values])


def _curl(call: Call) -> str:
    options, operands = split_options(call.argv[1:], _CURL_VALUED, _CURL_LONG, mixed=True)
    urls = operands + options.get("url", [])
    for socket in options.get("unix-socket", []):
        call.act.read(socket)
    for url in urls:
        if url.startswith("file:"):
            call.act.read(re.sub(r"^file:(//)?", "", url))
        elif not options.get("unix-socket"):
            call.act.connect(hosts.host_of(url) or None)
    for value in options.get("x", []) + options.get("proxy", []):
        call.act.connect(hosts.host_of(value))
    _uploads(call, options)
    for path in options.get("o", []) + options.get("output", []):
        call.act.write(path)
        redirects.keep(call.walker, path, DOWNLOAD, appends=False)
    for path in options.get("K", []) + options.get("config", []):
        call.act.add("network-unresolved", severity=Severity.MEDIUM, detail=f"Options come from {path}.")
    _sends(call, [value for values in options.values() for value in values])
    return DOWNLOAD if urls else UNKNOWN


def _uploads(call: Call, options: dict[str, list[str]]) -> None:
    for name in ("d", "data", "data-binary", "data-urlencode", "json", "F", "form", "T", "upload-file", "b", "cookie"):
        for value in options.get(name, []):
            path = value if name in {"T", "upload-file"} else value.partition("@")[2] if "@" in value[:40] else ""
            if path and path != "-":
                call.act.send([call.act.read(path.split(";")[0])])


def _wget(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "oOaiPTtwUQBADRIXle", _WGET_LONG, mixed=True)
    for url in operands:
        call.act.connect(hosts.host_of(url) or None)
    targets = options.get("O", []) + options.get("output-document", [])
    for path in targets:
        if path != "-":
            call.act.write(path)
            redirects.keep(call.walker, path, DOWNLOAD, appends=False)
    for path in options.get("P", []) + options.get("directory-prefix", []):
        call.act.write(path)
    for path in options.get("post-file", []) + options.get("body-file", []):
        call.act.send([call.act.read(path)])
    for path in options.get("i", []) + options.get("input-file", []):
        call.act.add("network-unresolved", detail=f"Addresses come from {path}.")
    _sends(call, options.get("post-data", []))
    return DOWNLOAD if targets in (["-"], ["/dev/stdout"]) else UNKNOWN


def _netcat(call: Call) -> str:
    valued = "egGiIMmopPqsTVwWXxcK"
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"exec", "sh-exec", "source", "wait"}), mixed=True
    )
    if options.keys() & {"e", "c", "exec", "sh-exec"} and (operands or "l" in options):
        call.act.add("reverse-shell")
    if options.keys() & {"l", "listen"}:
        local = any(
            hosts.reach_of(word) == hosts.Reach.LOOPBACK and not word.isdigit()
            for word in [*operands, *options.get("s", [])]
        )
        call.act.add("network-listen", severity=Severity.MEDIUM if local else None)
        return DOWNLOAD
    named = [word for word in operands if not re.fullmatch(r"[\d-]+", word)]
    if named or len(operands) > 1:
        call.act.connect((named or operands)[0])
    _sends(call, operands)
    return DOWNLOAD if operands else UNKNOWN


def _socat(call: Call) -> str:
    words = split_options(call.argv[1:], "dlsTtbLWx", mixed=True)[1]
    joined = " ".join(words)
    if re.search(r"(?i)\b(exec|system|shell):", joined) and re.search(r"(?i)\b(tcp|udp|openssl|sctp)", joined):
        call.act.add("reverse-shell")
    for word in words:
        kind, _, rest = word.partition(":")
        if re.match(r"(?i)(tcp|udp|sctp|openssl|ssl)\d?-?(listen|l)\Z", kind):
            local = re.search(r"bind=(127\.|localhost|\[?::1)", rest)
            call.act.add("network-listen", severity=Severity.MEDIUM if local else None)
        elif re.match(r"(?i)(tcp|udp|sctp|openssl|ssl|socks|proxy)", kind):
            call.act.connect(rest.partition(":")[0] if not rest.startswith("[") else rest[1:].partition("]")[0])
        elif re.match(r"(?i)(open|file|create|gopen)\Z", kind):
            call.act.read(rest.split(",")[0])
    _sends(call, [])
    return DOWNLOAD


def _ssh(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "bcDEeFIiJLlmOopQRSWw")
    for path in options.get("i", []):
        call.act.read(path)
    if not operands:
        return UNKNOWN
    call.act.connect(operands[0].rpartition("@")[2].removeprefix("ssh://").split(":")[0])
    if options.keys() & {"R", "D"}:
        call.act.add("network-listen", detail="Opens a tunnel.")
    _sends(call, operands)
    return DOWNLOAD


def _copy_remote(call: Call) -> str:
    valued = "cFiJloPSDX" if call.argv[0] != "rsync" else "efTBM"
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"rsh", "exclude", "include", "exclude-from", "files-from"}), mixed=True
    )
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
        elif not remote:
            call.act.connect(word.rpartition("@")[2])
    return UNKNOWN


def _talk(call: Call) -> str:
    operands = split_options(call.argv[1:], "cWwistlpIM46uHabkPfoe", frozenset(), mixed=True)[1]
    for word in operands[:1]:
        call.act.connect(hosts.host_of(word) if "://" in word else word.rpartition("@")[2])
    _sends(call, operands)
    return DOWNLOAD if operands else UNKNOWN


def _lookup(call: Call) -> str:
    for word in call.argv[1:]:
        name = word.removeprefix("@")
        if re.search(r"\.[A-Za-z]{2,}\.?\Z", name) and not name.startswith(("-", "+")):
            # A name lookup leaves the machine too: what stands before a foreign domain is data on its way out.
            carries = is_open(name) or SECRET in name
            if hosts.reach_of(name) == hosts.Reach.EXTERNAL:
                call.act.add(
                    "network-external",
                    severity=Severity.HIGH if carries else Severity.MEDIUM,
                    detail="Asks a name server.",
                )
    return UNKNOWN


def _git_setting(call: Call, key: str, value: str) -> None:
    """A setting of git whose value is a command."""
    if _GIT_COMMANDS.search(key) or key.startswith("alias."):
        call.walker.embedded(value.lstrip("!"), call.node)
        if value.startswith("!"):
            call.act.add("foreign-code", detail="A git alias that runs a command.")


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
    if verb in {"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"}:
        for word in operands:
            remote = _REMOTE.match(word)
            if "://" in word or (remote and "@" in word):
                call.act.connect(hosts.host_of(word) if "://" in word else remote[1] if remote else None)
    if verb == "config" and len(operands) > 1:
        _git_setting(call, operands[-2], operands[-1])
    if (verb == "config" and "--global" in rest) or (verb == "config" and "--system" in rest):
        reads = any(word in {"--get", "-l", "--list", "--get-all", "--get-regexp"} for word in rest)
        call.act.add(
            "persistence", severity=Severity.MEDIUM, detail="Changes git's settings of this user."
        ) if not reads else None
    if verb == "rev-parse" and "--show-toplevel" in rest:
        from refute.scan.symbols import HERE  # noqa: PLC0415

        return HERE + "\n"
    return UNKNOWN


def _serve(call: Call) -> str:
    call.act.add("network-listen", detail="Starts a server or tunnel for others.")
    return UNKNOWN


def _mail(call: Call) -> str:
    if len(call.argv) > 1:
        call.act.add("network-external", detail="Sends mail.")
    return UNKNOWN


COMMANDS: Final = {
    "curl": _curl,
    "wget": _wget,
    "wget2": _wget,
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"), _netcat),
    "socat": _socat,
    "ssh": _ssh,
    "mosh": _ssh,
    "autossh": _ssh,
    **dict.fromkeys(("scp", "sftp", "rsync"), _copy_remote),
    **dict.fromkeys(
        (
            "telnet ftp tftp lftp ncftp ping ping6 traceroute tracepath mtr whois finger lynx links w3m elinks "
            "aria2c axel http https xh httpie fetch smbclient rlogin rsh websocat grpcurl hping3 ab siege "
            "nmblookup"
        ).split(),
        _talk,
    ),
    **dict.fromkeys(("dig", "host", "nslookup", "drill", "resolvectl"), _lookup),
    "git": _git,
    **dict.fromkeys(
        ("ngrok cloudflared devtunnel localtunnel chisel frpc bore tor dropbear sshd").split(),
        _serve,
    ),
    **dict.fromkeys(("mail", "mailx", "sendmail", "mutt", "msmtp", "swaks"), _mail),
}
