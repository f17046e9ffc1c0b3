"""A local Gemini: the paths of the enterprise endpoint that google-genai calls, and Google's token endpoint.

What the real one refuses is refused: a request without a valid token, of another project, with a field that is not
part of the API. `respond` decides what is said, so that a test can play any model on any day.
"""

import functools
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.fakes.gemini.wire import Answer, Asked, body_of, error_body, json_answer
from tests.fakes.web import Handler

MODELS = re.compile(r"/v1beta1/projects/([^/]+)/locations/([^/]+)/publishers/google/models/([^/:]+):(\w+)")
CACHE_CONFIG = re.compile(r"/v1(?:beta1)?/projects/([^/]+)/cacheConfig")
FIELDS = {"contents", "systemInstruction", "generationConfig", "safetySettings", "labels"}
"""Of a request that keeps nothing on the server: no tools, no cached content."""
GENERATION_FIELDS = {
    "maxOutputTokens",
    "candidateCount",
    "seed",
    "temperature",
    "responseMimeType",
    "responseJsonSchema",
    "responseSchema",
    "thinkingConfig",
}
PLANTING = "Write one edit per clause"
REVIEWING = "You are one of several critics"
Respond = Callable[[Asked], Answer]


class GeminiServer:
    """Runs while its context lasts.

    Args:
        respond: says what is answered; called in the thread of each request.
        project: the only one that it knows.
        caching_disabled: what the project's cache configuration says; None: the path fails with 403.
    """

    def __init__(
        self, respond: Respond, *, project: str = "test-project", caching_disabled: bool | None = True, port: int = 0
    ) -> None:
        self.respond = respond
        self.plant: Respond = no_violations
        """Answers the question for violations of clauses, which comes beside what a test is about."""
        self.criticise: Respond = no_failures
        """Answers the critics' questions."""
        self.project = project
        self.caching_disabled = caching_disabled
        self.asked: list[Asked] = []
        """Every request for content, in the order of arrival."""
        self.counted = 0
        """Requests for a token count."""
        self.tokens: set[str] = set()
        """Access tokens that are valid."""
        self.lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._http.daemon_threads = True
        self._http.gemini = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def write_credentials(self, folder: Path) -> Path:
        """A service account's file whose tokens this server issues; for GOOGLE_APPLICATION_CREDENTIALS."""
        path = folder / "credentials.json"
        account = {
            "type": "service_account",
            "project_id": self.project,
            "private_key_id": "1",
            "private_key": _private_key(),
            "client_email": f"refute@{self.project}.iam.gserviceaccount.com",
            "client_id": "1",
            "token_uri": f"{self.url}/token",
        }
        path.write_text(json.dumps(account))
        return path

    def write_settings(self, folder: Path, **changed: object) -> Path:
        """`gemini.yaml` that leads here, with changes; returns its path."""
        fields = {"enterprise": True, "data_retention": "none", "project": self.project, "location": "europe-west4"}
        ours = {"base_url": self.url, "timeout_s": 10, "attempts": 2}
        path = folder / "gemini.yaml"
        path.write_text(json.dumps({**fields, **ours, **changed}))
        return path

    def answer(self, asked: Asked) -> Answer:
        """What is said to a request, by what it asks."""
        if is_planting(asked):
            return self.plant(asked)
        return self.criticise(asked) if is_review(asked) else self.respond(asked)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def one_after_the_other(answers: Iterable[Answer]) -> Respond:
    """Gives these answers in turn, the last one again and again."""
    waiting = list(answers)
    lock = threading.Lock()

    def respond(_: Asked) -> Answer:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return respond


def is_planting(asked: Asked) -> bool:
    """Whether a request asks for violations of clauses."""
    return PLANTING in asked.text


def is_review(asked: Asked) -> bool:
    """Whether a critic is asked."""
    return REVIEWING in asked.system


def no_failures(_: Asked) -> Answer:
    """A critic that finds nothing."""
    return json_answer({"verdict": "pass", "failures": []})


def no_violations(_: Asked) -> Answer:
    """A model that breaks no clause."""
    return json_answer({"violations": []})


class _Handler(Handler, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def gemini(self) -> GeminiServer:
        server: GeminiServer = self.server.gemini  # type: ignore[attr-defined]
        return server

    def do_GET(self) -> None:
        found = CACHE_CONFIG.fullmatch(self.path)
        if not self._authorised():
            return
        if found is None:
            self.send(404, error_body(404, "no such path"))
        elif found[1] != self.gemini.project or self.gemini.caching_disabled is None:
            self.send(403, error_body(403, "permission denied on the project"))
        else:
            config: dict[str, Any] = {"name": f"projects/{self.gemini.project}/cacheConfig"}
            if self.gemini.caching_disabled:
                config["disableCache"] = True
            self.send(200, json.dumps(config).encode())

    def do_POST(self) -> None:
        body = self.body()
        if self.path == "/token":
            token = f"ya29.{secrets.token_hex(16)}"
            self.gemini.tokens.add(token)
            issued = {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}
            self.send(200, json.dumps(issued).encode())
            return
        if not self._authorised():
            return
        found = MODELS.fullmatch(self.path)
        fault = self._fault(found, body)
        if fault:
            self.send(400, error_body(400, fault))
            return
        asked = Asked(model=found[3], body=json.loads(body))
        if found[4] == "countTokens":
            self.gemini.counted += 1
            self.send(200, json.dumps({"totalTokens": asked.tokens}).encode())
        else:
            with self.gemini.lock:
                self.gemini.asked.append(asked)
            self._answer(asked, self.gemini.answer(asked))

    def _authorised(self) -> bool:
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        if scheme == "Bearer" and token in self.gemini.tokens and "x-goog-api-key" not in self.headers:
            return True
        self.send(401, error_body(401, "expected an OAuth 2 access token"))
        return False

    def _fault(self, found: re.Match[str] | None, body: bytes) -> str:
        if found is None or found[4] not in {"generateContent", "countTokens"}:
            return f"no such method: {self.path}"
        if found[1] != self.gemini.project:
            return f"no such project: {found[1]}"
        try:
            data = json.loads(body)
        except ValueError:
            return "the body is not JSON"
        strange = set(data) - FIELDS | set(data.get("generationConfig", {})) - GENERATION_FIELDS
        if strange:
            return f"unknown or forbidden fields: {sorted(strange)}"
        return "" if data.get("contents") else "contents is empty"

    def _answer(self, asked: Asked, answer: Answer) -> None:
        time.sleep(answer.delay_s)
        body = body_of(answer, asked)
        if answer.drip_s:  # an answer that comes a byte at a time
            head = f"HTTP/1.1 {answer.status} OK\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            slowly = head + body if answer.drip_headers else body
            first = b"" if answer.drip_headers else head
            self.drip([first, *map(bytes, zip(slowly, strict=True))], lambda: time.sleep(answer.drip_s))
            return
        whole = str(len(body))
        self.send(answer.status, body[: len(body) // 2] if answer.cut else body, content_length=whole, **answer.headers)
        self.close_connection |= answer.cut


@functools.cache
def _private_key() -> str:
    """A key, made once a process: that takes up to a second."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    # Small: whoever loads it proves its primes, which takes 60 ms of a key twice as long.
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505  # of nothing
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem.decode()
