"""Labels that say whose a container is and how long it may live, and the sweep that removes what nobody needs.

A container that runs ends itself (PID 1 sleeps until expiry, auto-remove takes it and its volumes away). What is left
for the sweep: containers created but never started, what an engine that died left behind, and at once, without waiting
for their expiry, those of a process of this machine that was killed.

Clocks of machines differ and are set. So age is what the engine's own clock says of both ends; what a living process of
this machine owns is that process's to remove, whatever its age; and what runs is left to its own end. In doubt a
container stays.
"""

import contextlib
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from docker.errors import APIError, NotFound

from refute.owner import Owner
from refute.sandbox.connection import EngineClient, connect, engine_errors, is_on_this_machine
from refute.sandbox.job import Job
from refute.sandbox.profile import EXPIRY_MARGIN_S

OURS: Final = "refute"
RUN: Final = "refute.run"
TICKET: Final = "refute.ticket"
LIFETIME_S: Final = "refute.lifetime_s"
"""Seconds after its creation from when on it is left over."""
OWNER: Final = "refute.owner"
"""The process that made it and will remove it, as `Owner` writes it."""
REMOVAL_TIMEOUT_S: Final = 60.0
REMOVAL_ROUND_S: Final = 2.0


def labels(job: Job, *, waiting_s: float = 0.0) -> dict[str, str]:
    """The labels of a job's container and volumes.

    Args:
        job: whose.
        waiting_s: how long the container may wait for its job.
    """
    return {
        OURS: "1",
        RUN: job.run_id,
        TICKET: job.ticket_id,
        "refute.stage": job.name,
        LIFETIME_S: str(int(waiting_s + job.limits.timeout_s) + 2 * EXPIRY_MARGIN_S),
        OWNER: str(Owner.here()),
    }


def reap(client: EngineClient) -> tuple[str, ...]:
    """Remove containers, volumes and networks of ours that outlived their time, or whose process was killed.

    Whether a process was killed is known of those of this machine alone, and not concluded on an engine elsewhere.

    Args:
        client: the engine.

    Returns:
        The ids and names of what was removed.

    Raises:
        EngineDied, SandboxFailed: the engine could not list or remove them.
    """
    here = is_on_this_machine(client)
    with engine_errors("remove expired containers"):
        now = _moment(client.info()["SystemTime"])  # before the lists: nobody's age is overrated

        def is_left(thing: dict[str, Any]) -> bool:
            owner = _owner(thing)
            if owner is not None and owner.is_alive():
                return False
            return (here and owner is not None and owner.is_gone()) or _expired(thing, now)

        containers = client.containers(all=True, filters={"label": f"{OURS}=1"})
        volumes = client.volumes(filters={"label": f"{OURS}=1", "dangling": "true"}).get("Volumes") or []
        removed = []
        for container in filter(is_left, containers):
            removed.append(str(container["Id"]))
            _remove(client.remove_container, container["Id"], force=True, v=True)
        for network in filter(is_left, client.networks(filters={"label": f"{OURS}=1"})):
            removed.append(str(network["Name"]))
            _remove(client.remove_network, network["Id"])
        # An engine that was killed loses containers and keeps their volumes, which no owner can find by name then.
        for volume in (one for one in volumes if is_left(one) or _expired(one, now)):
            removed.append(str(volume["Name"]))
            _remove(client.remove_volume, volume["Name"])
    return tuple(removed)


def remove_leftovers(run_id: str, *, tickets: Iterable[str] | None = None) -> None:
    """Remove what a run that was killed or ended left and is within its time, and wait until it is gone.

    Args:
        run_id: whose containers.
        tickets: only those of these tickets.

    Raises:
        EngineUnavailable, EngineDied, SandboxFailed: the engine does not answer, or cannot list them.
    """
    wanted = None if tickets is None else set(tickets)
    with contextlib.closing(connect()) as client, engine_errors("remove what a killed run left"):
        for container in client.containers(all=True, filters={"label": f"{RUN}={run_id}"}):
            if wanted is None or (container.get("Labels") or {}).get(TICKET, "") in wanted:
                remove_container(client, str(container["Id"]))


def remove_container(client: EngineClient, name: str) -> None:
    """Kill and remove a container and its volumes, and wait until it is gone; no error if it is gone already.

    Tried again and again: a kill can miss processes that are just being frozen (control groups v1), and an engine
    under load gives up waiting for an exit. What withstands all of it is left to the container's expiry or the sweep.

    Raises:
        requests.ConnectionError and the like (`connection.LOST`): the engine went away.
    """
    deadline = time.monotonic() + REMOVAL_TIMEOUT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(APIError):  # gone, or auto-remove is at it, or the next round
            client.remove_container(name, force=True, v=True)
        if _is_gone(client, name):
            return
        with contextlib.suppress(APIError):
            client.unpause(name)


def _is_gone(client: EngineClient, name: str) -> bool:
    deadline = time.monotonic() + REMOVAL_ROUND_S
    while time.monotonic() < deadline:
        try:
            client.inspect_container(name)
        except NotFound:
            return True
        except APIError:
            pass  # being removed at this moment
        time.sleep(0.02)
    return False


def _expired(thing: dict[str, Any], now: float) -> bool:
    """Whether it is older than it may become, by the engine's clock; what runs ends itself, whatever clocks say."""
    created = thing.get("Created") or thing.get("CreatedAt", "")
    if thing.get("State") != "running":
        with contextlib.suppress(ValueError):  # of an older version, or not ours after all
            return now - _moment(created) > int((thing.get("Labels") or {}).get(LIFETIME_S, ""))
    return False


def _moment(told: str | int) -> float:
    """Unix time of a moment as the engine tells it: containers' in seconds, the others' in words (RFC 3339)."""
    return told if isinstance(told, int) else datetime.fromisoformat(told).timestamp()


def _owner(thing: dict[str, Any]) -> Owner | None:
    with contextlib.suppress(ValueError):  # of an older version, or not ours after all
        return Owner.parse((thing.get("Labels") or {}).get(OWNER, ""))
    return None


def _remove(call: Any, name: str, **options: bool) -> None:
    """Remove something that may be gone (404), going (409, auto-remove is at it) or in use (403, a network)."""
    try:
        call(name, **options)
    except APIError as error:
        if error.status_code not in {403, 404, 409}:
            raise
