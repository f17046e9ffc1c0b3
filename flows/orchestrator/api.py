"""Prefect's API by its paths, asked without importing Prefect or by its client; and automations, known by their names.

https://docs.prefect.io/v3/api-ref/rest-api
"""

import hashlib
import json
import urllib.request
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

Ask = Callable[[str, str, Any], Any]
"""Takes method, path and a body for JSON; returns what the answer's JSON says, None where it says nothing.

Raises `OSError` where nothing answers, or the server refuses.
"""
TIMEOUT_S: Final = 15.0


def over_http(api_url: str) -> Ask:
    """Ask a server of this machine, which wants no password, past every proxy.

    Args:
        api_url: ends with `/api`.
    """
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(method: str, path: str, body: Any) -> Any:
        request = urllib.request.Request(  # noqa: S310  # our own server
            api_url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
        )
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read() or b"null")

    return ask


def over_client(client: "SyncPrefectClient") -> Ask:
    """Ask by Prefect's client: with its password, certificate, proxy and retries."""
    import httpx

    def ask(method: str, path: str, body: Any) -> Any:
        try:
            answer = client._client.request(method, path, json=body)  # noqa: SLF001  # the public way takes listed paths
            return answer.raise_for_status().json() if answer.content else None
        except httpx.HTTPError as error:
            raise OSError(f"the Prefect server did not take {method} {path}: {error}") from error

    return ask


def upsert_automation(ask: Ask, automation: Mapping[str, Any]) -> str:
    """Make or change the automation of this name, and remove others of it; what was done, in a word.

    One that a person has switched off stays off. One that was made of the same definition is not touched: a change,
    even to the same, makes the server forget what it waits for.

    Args:
        ask: the server.
        automation: as `POST /automations/` takes it.
    """
    definition = json.dumps(automation, sort_keys=True).encode()
    made = {**automation, "tags": [f"made-of-{hashlib.sha256(definition).hexdigest()[:16]}"]}
    same_name = {"automations": {"name": {"any_": [automation["name"]]}}}
    first, *others = ask("POST", "/automations/filter", same_name) or [None]
    for other in others:
        ask("DELETE", f"/automations/{other['id']}", None)
    if first is None:
        ask("POST", "/automations/", made)
        return "made"
    if first["tags"] != made["tags"]:
        ask("PUT", f"/automations/{first['id']}", {**made, "enabled": first["enabled"]})
    return "there already"
