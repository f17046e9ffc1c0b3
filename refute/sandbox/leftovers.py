"""Containers that a run which was killed or ended left on the engine, while they are still within their time."""

import contextlib
from collections.abc import Iterable

from refute.sandbox.connection import EngineClient, connect, engine_errors
from refute.sandbox.reaper import remove_container


def remove_leftovers(run_id: str, *, tickets: Iterable[str] | None = None) -> int:
    """Remove the containers of a run, with their volumes, and wait until they are gone.

    Args:
        run_id: whose.
        tickets: only those of these tickets.

    Returns:
        How many there were.

    Raises:
        EngineUnavailable, EngineDied, SandboxFailed: the engine does not answer, or cannot list them.
    """
    wanted = None if tickets is None else set(tickets)
    with contextlib.closing(connect()) as client, engine_errors("remove what a killed run left"):
        left = [name for name, ticket in _containers(client, run_id) if wanted is None or ticket in wanted]
        for name in left:
            remove_container(client, name)
    return len(left)


def _containers(client: EngineClient, run_id: str) -> list[tuple[str, str]]:
    """Id of the container, id of its ticket."""
    found = client.containers(all=True, filters={"label": f"refute.run={run_id}"})
    return [(str(one["Id"]), str((one.get("Labels") or {}).get("refute.ticket", ""))) for one in found]
