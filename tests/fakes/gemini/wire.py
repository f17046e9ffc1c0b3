"""Bodies as the enterprise endpoint sends them.

Source: https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/GenerateContentResponse, 2026-11-22.
"""

import json
from dataclasses import dataclass, field
from typing import Any

CHARS_PER_TOKEN = 4
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request for content, as it arrived."""

    model: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """What the user's turn says."""
        return "".join(part.get("text", "") for turn in self.body["contents"] for part in turn["parts"])

    @property
    def system(self) -> str:
        """The instructions."""
        return "".join(part.get("text", "") for part in self.body.get("systemInstruction", {}).get("parts", []))

    @property
    def tokens(self) -> int:
        """Tokens of both, roughly."""
        return (len(self.text) + len(self.system)) // CHARS_PER_TOKEN + 1


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server says to one request; every field but the text makes it worse."""

    text: str | None = ""
    """None: a candidate without content."""
    finish: str = "STOP"
    prompt_blocked: str = ""
    """A reason for which there is no candidate at all."""
    thinking_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int | None = None
    without_usage: bool = False
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent as it is, in the place of a body."""
    delay_s: float = 0.0
    cut: bool = False
    """The connection closes in the middle of the body."""
    drip_s: float = 0.0
    """Between two bytes of the body."""
    drip_headers: bool = False
    """The headers come as slowly."""


def json_answer(value: Any, **fields: Any) -> Answer:
    """An answer whose text is this value as JSON."""
    return Answer(text=json.dumps(value), **fields)


def body_of(answer: Answer, asked: Asked) -> bytes:
    """The response's body."""
    if answer.raw is not None:
        return answer.raw
    if answer.status != 200:
        return error_body(answer.status, answer.text or "told to fail")
    body: dict[str, Any] = {"modelVersion": asked.model, "responseId": "r-1"}
    if answer.prompt_blocked:
        body["promptFeedback"] = {"blockReason": answer.prompt_blocked}
    else:
        body["candidates"] = [_candidate(answer)]
    if not answer.without_usage:
        body["usageMetadata"] = _usage(answer, asked)
    return json.dumps(body).encode()


def error_body(status: int, message: str) -> bytes:
    """The body of an error."""
    return json.dumps({"error": {"code": status, "message": message, "status": STATUSES.get(status, "")}}).encode()


def _candidate(answer: Answer) -> dict[str, Any]:
    candidate: dict[str, Any] = {"finishReason": answer.finish}
    if answer.text is not None:
        candidate["content"] = {"role": "model", "parts": [{"text": answer.text}]}
    return candidate


def _usage(answer: Answer, asked: Asked) -> dict[str, int]:
    made = answer.output_tokens
    if made is None:
        made = len(answer.text or "") // CHARS_PER_TOKEN
    usage = {
        "promptTokenCount": asked.tokens,
        "candidatesTokenCount": made,
        "totalTokenCount": asked.tokens + made + answer.thinking_tokens,
    }
    if answer.thinking_tokens:
        usage["thoughtsTokenCount"] = answer.thinking_tokens
    if answer.cached_tokens:
        usage["cachedContentTokenCount"] = answer.cached_tokens
    return usage
