"""A SafeLine WAF's management API over TLS: token, envelope, replace semantics, defence rule; and what can go wrong.

`python -m tests.fakes.safeline --folder DIR` serves one to try by hand; commands typed there change how it fails.
"""

import argparse
import json
import os
import ssl
import sys
import threading
import time
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from refute.evaluation.waf import RehearsalWaf
from tests.fakes.tls import self_signed
from tests.fakes.web import Handler


class Fault(StrEnum):
    """How it fails."""

    NONE = "none"
    ERR = "err"
    """200 with `err`."""
    NOT_APPLIED = "not-applied"
    """Writes are accepted, and nothing comes of them."""
    SLOW = "slow"
    DRIP = "drip"
    """A byte now and then."""
    HTTP_500 = "500"
    GARBAGE = "garbage"
    EMPTY = "empty"
    REDIRECT = "redirect"
    HANG_UP = "hang-up"


WRITES_ONLY = frozenset({Fault.ERR, Fault.NOT_APPLIED})
"""Faults of requests that change something; all others are of every request."""


class SafeLineServer:
    """Runs while its context lasts.

    Args:
        folder: gets `ca.pem`.
        name: of the instance.
        token: the only one that it takes.
        port: by default a free one.
    """

    def __init__(self, folder: Path, *, name: str = "prod", token: str = "test-token-1234", port: int = 0) -> None:
        self.waf = RehearsalWaf(name)
        self.token = token
        self.fault = Fault.NONE
        self.faulty = "all"
        """`writes`: the fault is of requests that change something alone."""
        self.slow_s = 30.0
        self.asked: list[tuple[str, str, str | None]] = []
        """Method, path and token of every request."""
        self.ended = threading.Event()
        self.ca = folder / "ca.pem"
        key, certificate = self_signed("127.0.0.1")
        self.ca.write_bytes(certificate)
        chain = folder / "server.pem"
        chain.write_bytes(key + certificate)
        self._http = _Server(("127.0.0.1", port), _Handler)
        self._http.safeline = self  # type: ignore[attr-defined]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients that do not trust it hang up."""


class _Handler(Handler, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    @property
    def safeline(self) -> SafeLineServer:
        server: SafeLineServer = self.server.safeline  # type: ignore[attr-defined]
        return server

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PUT(self) -> None:
        self._handle()

    def _handle(self) -> None:
        server = self.safeline
        raw = self.body()
        token = self.headers.get("X-SLCE-API-TOKEN")
        server.asked.append((self.command, self.path, token))
        if token != server.token:
            self.send(401, b'{"data": null, "err": "login-required", "msg": "Login required"}')
            return
        fault = server.fault
        if self.command == "GET" and (fault in WRITES_ONLY or server.faulty == "writes"):
            fault = Fault.NONE
        if self._failed(fault):
            return
        server.waf.applies = fault is not Fault.NOT_APPLIED
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        status, envelope = server.waf.answer(self.command, self.path, body)
        answer = json.dumps(envelope).encode()
        if fault is Fault.DRIP:
            head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(answer)}\r\n\r\n".encode()
            self.drip([head, *map(bytes, zip(answer, strict=True))], lambda: server.ended.wait(0.1))
        else:
            self.send(status, answer)

    def _failed(self, fault: Fault) -> bool:
        """Whether the fault was all of the answer."""
        match fault:
            case Fault.ERR:
                self.send(200, b'{"data": null, "err": "internal-error", "msg": "database is locked"}')
            case Fault.HTTP_500:
                self.send(500, b"Internal Server Error")
            case Fault.GARBAGE:
                self.send(200, b"<html>Welcome</html>")
            case Fault.EMPTY:
                self.send(200, b"")
            case Fault.REDIRECT:
                self.send(302, b"", location=f"{self.safeline.url}/stolen")
            case Fault.HANG_UP:
                self.close_connection = True
            case Fault.SLOW:
                self.safeline.ended.wait(self.safeline.slow_s)
                self.close_connection = True
            case _:
                return False
        return True


def another_ca(folder: Path) -> Path:
    """A certificate that nothing here has the key of."""
    path = folder / "another-ca.pem"
    path.write_bytes(self_signed("another")[1])
    return path


def main() -> None:
    """Serve until standard input ends, or for ever where there is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.safeline", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="gets ca.pem and refute.yaml")
    parser.add_argument("--port", type=int, default=0, help="by default a free one")
    parser.add_argument("--name", default="prod")
    parser.add_argument("--fault", type=Fault, choices=list(Fault), default=Fault.NONE)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with SafeLineServer(options.folder, name=options.name, port=options.port) as server:
        server.fault = options.fault
        another_ca(options.folder)
        settings = {
            "safeline": {options.name: {"url": server.url, "token_env": "SAFELINE_TOKEN", "ca": str(server.ca)}}
        }
        (options.folder / "refute.yaml").write_text(json.dumps(settings, indent=1))
        _say(f"SafeLine answers at {server.url}. In another terminal:")
        _say(f"  cd {options.folder} && export SAFELINE_TOKEN={server.token} && refute ask")
        _say(f"Type a fault here ({', '.join(Fault)}; `writes FAULT` for writes alone), or `state`.")
        for line in sys.stdin:
            _command(server, line.split())
        if not os.isatty(0):
            time.sleep(10**8)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _command(server: SafeLineServer, words: list[str]) -> None:
    if words == ["state"]:
        waf = server.waf
        _say(json.dumps({"sites": waf.sites, "groups": waf.groups, "policies": waf.policies, "writes": waf.writes}))
    elif words and words[-1] in list(Fault):
        server.fault = Fault(words[-1])
        server.faulty = "writes" if words[0] == "writes" else "all"
        _say(f"fault: {server.fault} ({server.faulty})")
    else:
        _say(f"got {' '.join(words)!r}, expected state or one of {', '.join(Fault)}")


if __name__ == "__main__":
    main()
