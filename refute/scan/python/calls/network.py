"""Python calls that talk over a network."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Any, Final

from refute.scan import hosts
from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.values import UNK, PathValue, Ref, as_text
from refute.scan.symbols import DERIVED, DOWNLOAD, SECRET

_VERBS: Final = ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send", "ws_connect")
_CLIENTS: Final = ("requests", "requests.Session()", "requests.session()", "httpx", "httpx.Client()", "httpx.AsyncClient()", "aiohttp", "aiohttp.ClientSession()", "urllib3", "urllib3.PoolManager()", "urllib3.ProxyManager()", "treq", "niquests")  # fmt: skip  # noqa: E501 - a table


def _sends(call: PythonCall) -> None:
    """Judge what a request carries."""
    texts = [text for value in (*call.arguments, *call.keywords.values()) for text in _carried(value)]
    call.act.send(texts)


def _carried(value: Any) -> list[str]:
    if isinstance(value, Ref):
        return [SECRET] if value.name.startswith("os.environ") else []
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _carried(inner)]
    if isinstance(value, list | tuple):
        return [text for inner in value[:20] for text in _carried(inner)]
    return [as_text(value)]


def connect_url(call: PythonCall, value: Any) -> Any:
    """Judge a request to a URL."""
    if isinstance(value, Ref) and value.name == "download()":
        return value
    url = as_text(value)
    if url.startswith("file:"):
        call.act.read(url.removeprefix("file:").removeprefix("//"))
    elif DERIVED in url:
        call.act.add("network-external", detail="The address is hidden.")
    elif "://" in url or isinstance(value, str):
        call.act.connect(hosts.host_of(url))
    else:
        call.act.connect("\ue000")
    _sends(call)
    return Ref("download()")


def _url(call: PythonCall) -> Any:
    return connect_url(call, call.argument(0, "url"))


def _address_if_any(call: PythonCall) -> Any:
    """Calls that take something else as well as a URL, such as a path or an option."""
    for value in (*call.arguments, *call.keywords.values()):
        if isinstance(value, str) and re.match(r"[\w+.-]+://", value):
            return connect_url(call, value)
        if isinstance(value, str | PathValue) and call.name.startswith("pandas."):
            call.act.read(as_text(value))
            break
    return UNK


def _verb(call: PythonCall) -> Any:
    last = call.name.rpartition(".")[2]
    position = 1 if last in {"request", "stream"} else 0
    return connect_url(call, call.argument(position, "url"))


def _request_object(call: PythonCall) -> Any:
    url = call.argument(0, "url")
    _sends(call)
    return url if isinstance(url, str) else UNK


def _socket(call: PythonCall) -> Any:
    """Judge opening a socket: one that gets whatever passes by listens to others."""
    kinds = [*call.arguments[:2], call.keywords.get("family"), call.keywords.get("type")]
    if {"socket.AF_PACKET", "socket.SOCK_RAW", "socket.PF_PACKET"} & {v.name for v in kinds if isinstance(v, Ref)}:
        call.act.add("attack-tool", detail="A raw socket reads what other programs send.")
    return Ref("socket.socket()")


def _host(call: PythonCall) -> Any:
    value = call.argument(0, "host")
    if value is not UNK:
        call.act.connect(hosts.host_of(as_text(value)))
    _sends(call)
    return Ref(f"{call.name}()")


def _address(call: PythonCall) -> Any:
    value = next((v for v in (*call.arguments, *call.keywords.values()) if isinstance(v, tuple | list) and v[1:]), UNK)
    if isinstance(value, tuple | list):
        call.act.connect(as_text(value[0]))
    elif call.arguments and not isinstance(call.arguments[0], str | bytes):
        call.act.connect("\ue000")
    call.walker.facts.add("socket")
    _reverse(call)
    _sends(call)
    return Ref("socket.socket()")


def _reverse(call: PythonCall) -> None:
    if {"socket", "terminal"} <= call.walker.facts:
        call.act.add("reverse-shell")


def terminal(call: PythonCall) -> Any:
    """Judge connecting a terminal or standard streams to something else."""
    call.walker.facts.add("terminal")
    _reverse(call)
    return UNK


def _bind(call: PythonCall) -> Any:
    value = call.argument(0)
    if isinstance(value, tuple | list) and len(value) >= 2:  # noqa: PLR2004 - host and port
        _listen(call, value[0], value[1])
    return UNK


def _server(call: PythonCall) -> Any:
    value = call.argument(0, "server_address")
    if isinstance(value, tuple | list) and len(value) >= 2:  # noqa: PLR2004 - host and port
        _listen(call, value[0], value[1])
    return UNK


def _listen(call: PythonCall, host: Any, port: Any) -> None:
    if isinstance(host, str) and host in {"", "0.0.0.0", "::"}:  # noqa: S104 - the notation to find
        free = port == 0 or not isinstance(port, int)
        call.act.add("network-listen", severity=Severity.MEDIUM if free else None)


def _run_app(call: PythonCall) -> Any:
    if call.keywords.get("host") in {"0.0.0.0", "::"}:  # noqa: S104 - as above
        call.act.add("network-listen")
    return UNK


def _start_server(call: PythonCall) -> Any:
    _listen(call, call.argument(1, "host"), call.argument(2, "port"))
    return UNK


def _client(call: PythonCall) -> Any:
    """A client that is told once where all its requests go."""
    if "base_url" in call.keywords:
        connect_url(call, call.keywords["base_url"])
    return Ref(f"{call.name}()")


def _proxies(call: PythonCall) -> Any:
    table = call.argument(0, "proxies")
    for address in table.values() if isinstance(table, dict) else ():
        if isinstance(address, str):
            call.act.connect(hosts.host_of(address))
    return UNK


def _open_connection(call: PythonCall) -> Any:
    call.act.connect(as_text(call.argument(0, "host")))
    call.walker.facts.add("socket")
    _reverse(call)
    return (UNK, UNK)


def _lookup(call: PythonCall) -> Any:
    host = as_text(call.argument(0, "host"))
    if hosts.reach_of(host) == hosts.Reach.EXTERNAL:
        call.act.connect(host)
    return UNK


def _retrieve(call: PythonCall) -> Any:
    connect_url(call, call.argument(0, "url"))
    target = call.argument(1, "filename")
    if isinstance(target, str | PathValue):
        call.act.write(as_text(target))
        call.walker.written[as_text(target)] = DOWNLOAD
    return UNK


HANDLERS: Final = {
    **{f"{client}.{verb}": _verb for client in _CLIENTS for verb in _VERBS},
    **dict.fromkeys(
        (
            "urllib.request.urlopen urllib.urlopen webbrowser.open wget.download pandas.read_html "
            "xmlrpc.client.ServerProxy websocket.create_connection websockets.connect "
            "urllib.request.OpenerDirector().open urllib.request.build_opener().open feedparser.parse "
            "websocket.WebSocketApp git.Repo.clone_from smbclient.open_file"
        ).split(),
        _url,
    ),
    **{f"pandas.read_{kind}": _address_if_any for kind in ("csv", "table", "json", "excel", "parquet", "xml", "fwf")},
    **{f"selenium.webdriver.{name}().get": _url for name in ("Chrome", "Firefox", "Edge", "Safari", "Remote")},
    "pycurl.Curl().setopt": _address_if_any,
    "urllib.request.Request": _request_object,
    "socket.socket": _socket,
    **dict.fromkeys(("urllib.request.urlretrieve", "urllib.urlretrieve"), _retrieve),
    **dict.fromkeys(
        (
            "http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP "
            "ftplib.FTP_TLS telnetlib.Telnet imaplib.IMAP4 imaplib.IMAP4_SSL poplib.POP3 poplib.POP3_SSL "
            "paramiko.SSHClient().connect redis.Redis pymongo.MongoClient pysftp.Connection "
            "ftplib.FTP().connect fabric.Connection asyncssh.connect ldap3.Server nntplib.NNTP"
        ).split(),
        _host,
    ),
    **dict.fromkeys(
        (
            "socket.create_connection socket.socket().connect socket.socket().connect_ex socket.socket().sendto "
            "ssl.wrap_socket().connect ssl.create_default_context().wrap_socket().connect "
            "ssl.SSLContext().wrap_socket().connect ssl.get_server_certificate paramiko.Transport"
        ).split(),
        _address,
    ),
    **dict.fromkeys(("socket.socket().bind", "socket.create_server", "asyncore.dispatcher().bind"), _bind),
    **dict.fromkeys(
        (
            "http.server.HTTPServer",
            "http.server.ThreadingHTTPServer",
            "socketserver.TCPServer",
            "socketserver.ThreadingTCPServer",
            "socketserver.UDPServer",
            "xmlrpc.server.SimpleXMLRPCServer",
        ),
        _server,
    ),
    **dict.fromkeys(
        ("flask.Flask().run", "uvicorn.run", "bottle.run", "aiohttp.web.run_app", "waitress.serve"), _run_app
    ),
    "asyncio.start_server": _start_server,
    **dict.fromkeys(("httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession"), _client),
    "urllib.request.ProxyHandler": _proxies,
    **dict.fromkeys(("asyncio.open_connection", "anyio.connect_tcp", "trio.open_tcp_stream"), _open_connection),
    **dict.fromkeys(
        (
            "socket.gethostbyname",
            "socket.gethostbyname_ex",
            "socket.getaddrinfo",
            "dns.resolver.resolve",
            "dns.resolver.query",
        ),
        _lookup,
    ),
    **dict.fromkeys(
        (
            "socket.socket().recv",
            "socket.socket().recvfrom",
            "socket.socket().makefile().read",
            "socket.socket().recv_into",
            "telnetlib.Telnet().read_all",
        ),
        lambda _call: DOWNLOAD,
    ),
    **dict.fromkeys(("socket.socket().accept",), lambda _call: (Ref("socket.socket()"), UNK)),
    **dict.fromkeys(("os.dup2", "pty.fork"), terminal),
    **dict.fromkeys(("ssl.create_default_context", "ssl.SSLContext"), lambda call: Ref(f"{call.name}()")),
}
UNKNOWN_METHODS: Final = {"goto": _address_if_any}
"""`page.goto("…")` of browsers that are driven by code."""
