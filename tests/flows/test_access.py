"""No approval is taken from a Prefect server that lets strangers answer."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from flows.orchestrator.access import require_protected
from refute.errors import OrchestratorUnavailable
from tests.fakes.web import Handler, serving


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], str]]:
    """An API on this machine that is reached under a name of its own, and answers with a status."""
    ended = ExitStack()

    def serve(status: int) -> str:
        class Telling(Handler, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send(status)

        server = ended.enter_context(serving(HTTPServer(("127.0.0.1", 0), Telling)))

        def connect(self: http.client.HTTPConnection) -> None:
            import socket

            self.sock = socket.create_connection(("127.0.0.1", server.server_port))

        monkeypatch.setattr(http.client.HTTPConnection, "connect", connect)
        return "http://prefect.example:4200/api"

    yield serve
    ended.close()


def test_a_server_that_asks_for_a_password_is_taken(api):
    require_protected(api(401))


OPEN = r"takes orders from anybody(.|\n)*PREFECT_SERVER_API_AUTH_STRING"


def test_a_server_that_answers_anybody_is_refused_with_what_to_set(api):
    with pytest.raises(OrchestratorUnavailable, match=OPEN):
        require_protected(api(200))


def test_a_server_that_cannot_be_asked_is_refused():
    with pytest.raises(OrchestratorUnavailable, match="whether it wants a password"):
        require_protected("http://prefect.invalid:4200/api")


@pytest.mark.parametrize("address", [None, "http://127.0.0.1:1/api", "http://localhost:1/api", "http://[::1]:1/api"])
def test_a_server_that_only_this_machine_reaches_needs_none(address):
    require_protected(address)
