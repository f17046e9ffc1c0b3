"""Runs that wait for a person, kept from holding every process of a worker: a work queue of their own, with a limit."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

QUEUE: Final = "attended"
"""Of the deployments in prefect.yaml that ask. What runs unattended has the pool's default queue, without a limit."""


def ensure_attended_queue(client: "SyncPrefectClient", pool: str, most: int) -> bool:
    """Make the queue unless it is there; whether it was made. One that is there keeps what a person gave it.

    Args:
        client: of the server.
        pool: name of the work pool, which is there.
        most: runs of the queue at once; a run counts from its start to its end, also while its question waits.
    """
    from prefect.exceptions import ObjectNotFound

    try:
        client.read_work_queue_by_name(QUEUE, work_pool_name=pool)
    except ObjectNotFound:
        text = "Runs that may wait for a person; others than these never wait behind them."
        client.create_work_queue(QUEUE, description=text, concurrency_limit=most, work_pool_name=pool)
        return True
    return False
