"""How a single request to a model ends when it brings no reply; whether it may have been billed decides the money."""

from typing import Final

RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
"""HTTP statuses that another try may clear (https://cloud.google.com/vertex-ai/generative-ai/docs/retry-strategy,
2026-11-22)."""


class RequestFailed(Exception):  # what happened to a request, not an error for a person
    """A request brought no reply.

    Args:
        message: what happened, without any of the prompt.
        billed: it may have been answered, and so billed, without the answer reaching us.
        retry: another try may succeed.
        retry_after_s: what the server asked to wait.
    """

    def __init__(self, message: str, *, billed: bool, retry: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.billed = billed
        self.retry = retry
        self.retry_after_s = retry_after_s
