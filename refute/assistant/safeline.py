"""The API of a SafeLine WAF: token, envelope, pinned CA, no redirects. What is not a clear success is a failure."""

import json
import os
import ssl
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Protocol

import httpx2

from refute.assistant.instances import SafeLineInstance
from refute.deadline import punctual, within
from refute.errors import RefuteError
from refute.guardrails.plain_text import printable
from refute.guardrails.results import parse_tool_result

TOKEN_HEADER: Final = "X-SLCE-API-TOKEN"
MAX_ANSWER_BYTES: Final = 4_000_000
PAGE_SIZE: Final = 100
MAX_PAGES: Final = 50
OK: Final = range(200, 300)
REDIRECTS: Final = range(300, 400)
GROUPS: Final = "/api/open/ipgroup"
POLICIES: Final = "/api/open/policy"
SITES: Final = "/api/open/site"
SITE_MODE: Final = "/api/open/site/mode"
STRENGTH: Final = "/api/open/global/mode"
EVENTS: Final = "/api/open/events"


class WafFailed(RefuteError):
    """A WAF could not be asked, or did not say that it did what it was asked."""


class Waf(Protocol):
    """Whoever answers requests to SafeLine's API."""

    name: str
    """Of the instance, as the settings have it."""

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """The body of an answer with a 2xx status; raises WafFailed where there is none."""
        ...


class SafeLine:
    """A real instance, asked over TLS."""

    def __init__(self, name: str, instance: SafeLineInstance) -> None:
        self.name = name
        self._instance = instance

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Ask once; nothing is tried again, since nobody knows whether a write that got lost was done."""
        headers = {TOKEN_HEADER: self._token()}
        limit_s = self._instance.timeout_s
        try:
            with (
                within(limit_s),
                self._client.stream(method, self._instance.url + path, json=body, headers=headers) as response,
            ):
                if response.status_code not in OK:
                    raise self._failed(_status(response.status_code))
                return self._read(response)
        except httpx2.TimeoutException as error:
            raise self._failed(f"no whole answer within {limit_s:g} s") from error
        except httpx2.HTTPError as error:
            raise self._failed(printable(str(error), max_chars=200) or type(error).__name__) from error

    def _read(self, response: httpx2.Response) -> bytes:
        answer = bytearray()
        for chunk in response.iter_bytes():
            answer += chunk
            if len(answer) > MAX_ANSWER_BYTES:
                raise self._failed(f"answered more than {MAX_ANSWER_BYTES} bytes")
        return bytes(answer)

    def _token(self) -> str:
        variable = self._instance.token_env
        token = os.environ.get(variable, "").strip()
        if not token:
            raise self._failed(f"the environment variable {variable}, with its API token, is not set")
        if not token.isascii() or not token.isprintable() or " " in token:
            raise self._failed(f"the environment variable {variable} does not hold an API token")
        return token

    @cached_property
    def _client(self) -> httpx2.Client:
        """One for all requests: nearly all of a request's time is the handshake."""
        limit_s = self._instance.timeout_s
        return punctual(httpx2.Client(verify=self._trust(), trust_env=False, follow_redirects=False, timeout=limit_s))

    def _trust(self) -> ssl.SSLContext:
        ca = self._instance.ca
        try:
            return ssl.create_default_context(cafile=None if ca == "system" else str(ca))
        except OSError as error:  # also an SSLError
            raise self._failed(f"CA file {ca}: {error.strerror or error}") from error

    def _failed(self, problem: str) -> WafFailed:
        return WafFailed(f"SafeLine {self.name}: {problem}")


def _status(status: int) -> str:
    if status in REDIRECTS:
        return f"HTTP {status}: redirects are not followed"
    return f"HTTP {status}" + (": is the API token right?" if status in {401, 403} else "")


def data_of(waf: Waf, raw: bytes) -> Any:
    """What an envelope `{data, err, msg}` carries; raises WafFailed where it says that it failed, or is none."""
    ok, message = parse_tool_result(raw)
    if not ok:
        raise WafFailed(f"SafeLine {waf.name}: {message}")
    envelope = json.loads(raw)
    if "data" not in envelope or envelope.get("err", "") is not None:
        raise WafFailed(f"SafeLine {waf.name}: the answer is not an envelope of data, err and msg")
    return envelope["data"]


def read(waf: Waf, path: str) -> Any:
    """What a GET answers; raises WafFailed where that is nothing, or a failure."""
    return data_of(waf, waf.send("GET", path))


def read_list(waf: Waf, path: str, *, limit: int = PAGE_SIZE * MAX_PAGES) -> list[dict[str, Any]]:
    """At most `limit` entries of a list, page by page; raises WafFailed where a page failed, or is no list."""
    entries: list[dict[str, Any]] = []
    size = min(PAGE_SIZE, limit)
    for page in range(1, MAX_PAGES + 1):
        data = read(waf, f"{path}?page={page}&page_size={size}")
        found = data if isinstance(data, list) else _inner(data)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise WafFailed(f"SafeLine {waf.name}: {path} answered no list")
        new = [one for one in found if one not in entries]
        entries += new
        if len(found) < size or not new or len(entries) >= limit:
            break
    return entries[:limit]


def _inner(data: Any) -> Any:
    """Lists stand under `nodes` or `data`, by the path; an empty one may be null."""
    named = data if isinstance(data, dict) else {}
    return next((named[name] or [] for name in ("nodes", "data") if name in named), None)
