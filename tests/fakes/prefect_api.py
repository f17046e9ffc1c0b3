"""Prefect's API as the tests ask it: asked again where the server says that its database is busy."""

import time
from collections.abc import Mapping
from typing import Any, Final

import httpx

WITHIN_S: Final = 600.0
POLL_S: Final = 0.5
BUSY: Final = 503
"""What Prefect's server on SQLite answers at once where another transaction wrote meanwhile."""


def asked(
    api_url: str, method: str, path: str, body: Mapping[str, Any] | None = None, auth: tuple[str, str] | None = None
) -> Any:
    """What the API answers.

    Args:
        api_url: ends with `/api`.
        method: of HTTP.
        path: below it, with its slash.
        body: sent as JSON.
        auth: name and password, where the server wants them.

    Raises:
        httpx.HTTPStatusError: any refusal but that it is busy.
    """
    deadline = time.monotonic() + WITHIN_S
    with httpx.Client(trust_env=False, timeout=WITHIN_S, auth=auth) as client:
        while (answer := client.request(method, api_url + path, json=body)).status_code == BUSY:
            assert time.monotonic() < deadline, "the server stays busy"
            time.sleep(POLL_S)
    return answer.raise_for_status().json()
