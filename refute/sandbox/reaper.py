"""Labels that say whose a container is and until when it may live, and the sweep that removes what nobody needs.

A container that runs ends itself (PID 1 sleeps until expiry, auto-remove takes it and its volumes away). What is left
for the sweep: containers created but never started, what an engine that died left behind, and at once, without waiting
for their expiry, those of a process of this machine that was killed. In doubt a container stays until its deadline.
"""

import contextlib
import time
from typing import Any, Final

from docker.errors import APIError, NotFound

from refute.owner import Owner
from refute.sandbox.connection import EngineClient, engine_errors, is_on_this_machine
from refute.sandbox.job import Job
from refute.sandbox.profile import EXPIRY_MARGIN_S

OURS: Final = "refute"
DEADLINE: Final = "refute.deadline"
"""Unix time in whole seconds."""
OWNER: Final = "refute.owner"
"""The process that made it and will remove it, as `Owner` writes it."""
REMOVAL_TIMEOUT_S: Final = 60.0
REMOVAL_ROUND_S: Final = 2.0


def labels(job: Job, *, now: float) -> dict[str, str]:
    """The labels of a job's container and volumes.

    Args:
        job: whose.
        now: Unix time of creation.
    """
    return {
        OURS: "1",
        "refute.run": job.run_id,
        "refute.ticket": job.ticket_id,
        "refute.stage": job.name,
        DEADLINE: str(int(now + job.limits.timeout_s) + 2 * EXPIRY_MARGIN_S),
        OWNER: str(Owner.here()),
    }


def reap(client: EngineClient, *, now: float | None = None) -> tuple[str, ...]:
    """Remove containers, volumes and networks of ours that are past their deadline, or whose process was killed.

    Whether a process lives is known of those of this machine alone, so on an engine elsewhere only deadlines count.

    Args:
        client: the engine.
        now: Unix time; the present one by default.

    Returns:
        The ids and names of what was removed.

    Raises:
        EngineDied, SandboxFailed: the engine could not list or remove them.
    """
    moment = time.time() if now is None else now
    here = is_on_this_machine(client)

    def is_left(thing: dict[str, Any]) -> bool:
        return _expired(thing, moment) or (here and _orphaned(thing))

    with engine_errors("remove expired containers"):
        containers = client.containers(all=True, filters={"label": f"{OURS}=1"})
        volumes = client.volumes(filters={"label": f"{OURS}=1", "dangling": "true"}).get("Volumes") or []
        removed = []
        for container in filter(is_left, containers):
            removed.append(str(container["Id"]))
            _remove(client.remove_container, container["Id"], force=True, v=True)
        for network in filter(is_left, client.networks(filters={"label": f"{OURS}=1"})):
            removed.append(str(network["Name"]))
            _remove(client.remove_network, network["Id"])
        for volume in filter(is_left, volumes):
            removed.append(str(volume["Name"]))
            _remove(client.remove_volume, volume["Name"])
    return tuple(removed)


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
    deadline = (thing.get("Labels") or {}).get(DEADLINE, "")
    return deadline.isdigit() and int(deadline) < now


def _orphaned(thing: dict[str, Any]) -> bool:
    owner = (thing.get("Labels") or {}).get(OWNER, "")
    with contextlib.suppress(ValueError):  # of an older version, or not ours after all
        return Owner.parse(owner).is_gone()
    return False


def _remove(call: Any, name: str, **options: bool) -> None:
    """Remove something that may be gone (404) or going (409, auto-remove is at it) already."""
    try:
        call(name, **options)
    except APIError as error:
        if error.response is None or error.response.status_code not in {404, 409}:
            raise
