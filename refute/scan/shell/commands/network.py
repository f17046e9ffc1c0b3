"""Commands that talk over a network."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan import hosts
from refute.scan.finding import Severity
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import DOWNLOAD, NAME, SECRET, UNKNOWN, is_open

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


def sends(call: Call, values: list[str]) -> None:
    """Judge what a command sends: its input and these values."""
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
            call.act.connect(hosts.host_of(url) or None, fetches=not options.keys() & _CURL_HANDS_OVER)
    for value in options.get("x", []) + options.get("proxy", []):
        call.act.connect(hosts.host_of(value))
    _uploads(call, options)
    for path in options.get("o", []) + options.get("output", []):
        call.act.write(path)
        redirects.keep(call.walker, path, DOWNLOAD, appends=False)
    for url in urls if options.keys() & {"O", "remote-name", "remote-name-all", "J"} else ():
        _keep_by_name(call, url, (options.get("output-dir") or [""])[0])
    for path in options.get("K", []) + options.get("config", []):
        call.act.add("network-unresolved", severity=Severity.MEDIUM, detail=f"Options come from {path}.")
    sends(call, [*operands, *(value for values in options.values() for value in values)])
    return DOWNLOAD if urls else UNKNOWN


_CURL_HANDS_OVER: Final = frozenset(
    """d data data-binary data-raw data-urlencode data-ascii json F form form-string T upload-file X request K config
    x proxy socks5 preproxy resolve connect-to""".split()
)
"""Options with which curl hands something over, or asks another host than the address says."""


def _keep_by_name(call: Call, url: str, directory: str) -> None:
    """A download into a file named as the address ends."""
    name = re.split(r"[?#]", url, maxsplit=1)[0].rstrip("/").rpartition("/")[2]
    if name and not is_open(name):
        redirects.keep(call.walker, f"{directory}/{name}" if directory else name, DOWNLOAD, appends=False)


def _uploads(call: Call, options: dict[str, list[str]]) -> None:
    for name in ("d", "data", "data-binary", "data-urlencode", "json", "F", "form", "T", "upload-file", "b", "cookie"):
        for value in options.get(name, []):
            path = value if name in {"T", "upload-file"} else value.partition("@")[2] if "@" in value[:40] else ""
            if path and path != "-":
                call.act.send([call.act.read(path.split(";")[0])])


def _wget(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "oOaiPTtwUQBADRIXle", _WGET_LONG, mixed=True)
    fetches = not options.keys() & {"post-data", "post-file", "body-data", "body-file", "method", "e", "execute"}
    for url in operands:
        call.act.connect(hosts.host_of(url) or None, fetches=fetches)
    targets = options.get("O", []) + options.get("output-document", [])
    for path in targets:
        if path != "-":
            call.act.write(path)
            redirects.keep(call.walker, path, DOWNLOAD, appends=False)
    for path in options.get("P", []) + options.get("directory-prefix", []):
        call.act.write(path)
    for url in () if targets else operands:
        _keep_by_name(call, url, (options.get("P") or options.get("directory-prefix") or [""])[0])
    for path in options.get("post-file", []) + options.get("body-file", []):
        call.act.send([call.act.read(path)])
    for path in options.get("i", []) + options.get("input-file", []):
        call.act.add("network-unresolved", detail=f"Addresses come from {path}.")
    sends(call, [*operands, *options.get("post-data", [])])
    return DOWNLOAD if targets in (["-"], ["/dev/stdout"]) else UNKNOWN


def _netcat(call: Call) -> str:
    valued = "egGiIMmopPqsTVwWXxcK"
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"exec", "sh-exec", "source", "wait"}), mixed=True
    )
    if options.keys() & {"e", "c", "exec", "sh-exec"} and (operands or "l" in options):
        call.act.add("reverse-shell")
    if options.keys() & {"l", "listen"}:
        local = any(hosts.binds_locally(word) and not word.isdigit() for word in [*operands, *options.get("s", [])])
        call.act.add("network-listen", severity=Severity.MEDIUM if local else None)
        return DOWNLOAD
    named = [word for word in operands if not re.fullmatch(r"[\d-]+", word)]
    if named or len(operands) > 1:
        call.act.connect((named or operands)[0])
    sends(call, operands)
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
    sends(call, [])
    return DOWNLOAD


_BROWSERS: Final = frozenset({"lynx", "links", "links2", "elinks", "w3m"})


_VERBS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


def _talk(call: Call) -> str:
    operands = split_options(call.argv[1:], "cWwistlpIM46uHabkPfoe", frozenset(), mixed=True)[1]
    if operands[1:] and operands[0] in _VERBS:
        del operands[0]
    shows = call.argv[0] in _BROWSERS and not {"-dump", "-source", "-dump_source", "-dump_both"} & set(call.argv)
    for word in operands[:1]:
        host = hosts.host_of(word) if "://" in word else word.rpartition("@")[2]
        if call.argv[0] in {"http", "https", "xh", "httpie"} and re.match(r":(?:\d|/|\Z)", word):
            host = "localhost"
        if shows and host is not None and hosts.reach_of(host) == hosts.Reach.UNKNOWN:
            # A person looks at what the caller names; without a terminal nothing is fetched.
            call.act.add("network-unresolved", severity=Severity.MEDIUM)
        else:
            call.act.connect(host)
    sends(call, operands)
    return DOWNLOAD if operands else UNKNOWN


def _open(call: Call) -> str:
    """Browsers with a window, and what hands an address to one; files of the machine are only shown."""
    for word in call.argv[1:]:
        if "://" in word and not word.startswith(("file:", "-")):
            call.act.connect(hosts.host_of(word))
    return UNKNOWN


def _lookup(call: Call) -> str:
    if call.argv[:1] == ["resolvectl"] and call.argv[1:2] in (["dns"], ["domain"], ["dnssec"]) and len(call.argv) > 3:  # noqa: PLR2004 - verb, link, value
        call.act.add("system-control", detail="Sets which name server is asked.")
    for word in call.argv[1:]:
        name = word.removeprefix("@")
        if re.search(r"\.[A-Za-z]{2,}\.?\Z", name) and not name.startswith(("-", "+")):
            # A name lookup leaves the machine too: what stands before a foreign domain is data on its way out.
            carries = is_open(name) or SECRET in name or NAME in name
            if hosts.reach_of(name) == hosts.Reach.EXTERNAL:
                call.act.add(
                    "network-external",
                    severity=Severity.HIGH if carries else Severity.MEDIUM,
                    detail="Asks a name server.",
                )
    return UNKNOWN


COMMANDS: Final = {
    "curl": _curl,
    "wget": _wget,
    "wget2": _wget,
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"), _netcat),
    "socat": _socat,
    **dict.fromkeys(
        (
            "telnet ftp tftp lftp ncftp ping ping6 traceroute tracepath mtr whois finger lynx links w3m elinks "
            "aria2c axel http https xh httpie fetch smbclient rlogin rsh websocat grpcurl hping3 ab siege "
            "nmblookup"
        ).split(),
        _talk,
    ),
    **dict.fromkeys(
        (
            "xdg-open x-www-browser sensible-browser gio firefox chromium chromium-browser google-chrome "
            "google-chrome-stable brave-browser microsoft-edge opera epiphany"
        ).split(),
        _open,
    ),
    **dict.fromkeys(("dig", "host", "nslookup", "drill", "resolvectl"), _lookup),
}
