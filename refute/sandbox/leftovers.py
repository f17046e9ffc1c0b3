"""Containers that a run which was killed left on the engine, while they are still within their time."""

import contextlib
from collections.abc import Callable, Collection

from refute.sandbox.connection import EngineClient, connect, engine_errors
from refute.sandbox.reaper import remove_container


def remove_leftovers(run_id: str, *, spare: Callable[[], Collection[str]]) -> int:
    """Remove the containers of a run, with their volumes, and wait until they are gone.

    Args:
        run_id: whose.
        spare: says which tickets' containers somebody needs. Asked once the containers are listed: who claims a ticket
            after that has made no container that is on the list.

    Returns:
        How many there were.

    Raises:
        EngineUnavailable, EngineDied, SandboxFailed: the engine does not answer, or cannot list them.
    """
    with contextlib.closing(connect()) as client, engine_errors("remove what a killed run left"):
        there = _containers(client, run_id)
        needed = spare()
        left = [name for name, ticket in there if ticket not in needed]
        for name in left:
            remove_container(client, name)
    return len(left)


def _containers(client: EngineClient, run_id: str) -> list[tuple[str, str]]:
    """Id of the container, id of its ticket."""
    found = client.containers(all=True, filters={"label": f"refute.run={run_id}"})
    return [(str(one["Id"]), str((one.get("Labels") or {}).get("refute.ticket", ""))) for one in found]
