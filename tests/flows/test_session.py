import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import pytest
from websockets.sync.server import ServerConnection, serve

from flows.orchestrator.session import environment, on_running_server
from refute.settings import Settings


def test_the_environment_of_a_run_is_undone_so_that_the_next_run_holds_its_own_lease(monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "intern.example")
    with environment("http://127.0.0.1:4242/api"):
        assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4242/api"
        assert os.environ["NO_PROXY"] == "intern.example,127.0.0.1"
    assert "PREFECT_API_URL" not in os.environ
    assert os.environ["NO_PROXY"] == "intern.example"


def test_a_proxy_stays_in_use_for_a_server_elsewhere(monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    with environment("https://prefect.example/api"):
        assert "NO_PROXY" not in os.environ


@contextmanager
def prefect_of_events(names: list[str]) -> Iterator[str]:
    """As much of a Prefect server as takes events, whose names it notes; its API's URL."""

    def take(connection: ServerConnection) -> None:
        for message in connection:
            names.append(json.loads(message).get("event", "authentication"))
            if names[-1] == "authentication":
                connection.send(json.dumps({"type": "auth_success"}))

    def answer(connection: ServerConnection, request: object) -> object:
        if request.path.endswith("/events/in"):
            return None
        return connection.respond(HTTPStatus.OK, "3.0.0" if request.path.endswith("version") else "true")

    with serve(take, "127.0.0.1", 0, process_request=answer, subprotocols=["prefect"]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}/api"


@pytest.mark.prefect
def test_a_second_run_in_one_process_tells_its_own_server_what_happens(monkeypatch, tmp_path):
    from prefect.events import emit_event

    first: list[str] = []
    second: list[str] = []
    for names in (first, second):
        with prefect_of_events(names) as api_url:
            monkeypatch.setenv("PREFECT_API_URL", api_url)
            with on_running_server(Settings(state_dir=tmp_path)):
                emit_event(f"event-{len(first)}", resource={"prefect.resource.id": "refute.test"})
    assert [name for name in first if name.startswith("event")] == ["event-0"]
    assert [name for name in second if name.startswith("event")] == [f"event-{len(first)}"]
