"""A web hook on the loopback interface that keeps what it is told."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from tests.fakes.web import Handler, serving


class WebhookReceiver(HTTPServer):
    """Keeps the JSON object of each POST; answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told: list[dict[str, Any]] = []
        self.status = 204

    @property
    def url(self) -> str:
        """Where to post."""
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(Handler, BaseHTTPRequestHandler):
    server: WebhookReceiver

    def do_POST(self) -> None:
        self.server.told.append(json.loads(self.body()))
        self.send(self.server.status, location=self.server.url)


@contextmanager
def receiving() -> Iterator[WebhookReceiver]:
    """Listens until the block ends."""
    with serving(WebhookReceiver()) as server:
        yield server
