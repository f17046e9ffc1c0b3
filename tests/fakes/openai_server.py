"""A local endpoint that speaks the OpenAI chat protocol, and refuses what the real one refuses."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.web import Handler, serving

FIELDS = {"model", "messages", "max_completion_tokens", "seed", "response_format"}
KEY = "sk-local-0123456789"


@dataclass(slots=True)
class Said:
    """One answer."""

    content: str = "{}"
    status: int = 200
    finish: str = "stop"
    body: bytes | None = None
    """In the place of an answer."""
    usage: bool = True


@dataclass(slots=True)
class OpenAIServer:
    """What it is asked, and what it says."""

    url: str
    respond: Callable[[dict[str, Any]], Said]
    asked: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def openai_server(respond: Callable[[dict[str, Any]], Said] = lambda _: Said()) -> Iterator[OpenAIServer]:
    """Serves while the block runs."""
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), _Handler)) as http:
        server = OpenAIServer(f"http://127.0.0.1:{http.server_port}/v1", respond)
        http.openai = server  # type: ignore[attr-defined]
        yield server


class _Handler(Handler, BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: OpenAIServer = self.server.openai  # type: ignore[attr-defined]
        asked = json.loads(self.body())
        if self.headers["authorization"] != f"Bearer {KEY}":
            self._send(Said(status=401), asked)
        elif self.path != "/v1/chat/completions" or set(asked) - FIELDS or not asked["messages"]:
            self._send(Said(status=400), asked)
        else:
            server.asked.append(asked)
            self._send(server.respond(asked), asked)

    def _send(self, said: Said, asked: dict[str, Any]) -> None:
        answer: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{asked['model']}-2026",
            "choices": [
                {"index": 0, "finish_reason": said.finish, "message": {"role": "assistant", "content": said.content}}
            ],
        }
        if said.usage:
            answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if said.status >= 400:
            answer = {"error": {"message": "no", "type": "error"}}
        body = said.body if said.body is not None else json.dumps(answer).encode()
        self.send(said.status, body)
