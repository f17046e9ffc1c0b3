"""How many requests to models are under way at once, over all workers: a global limit of Prefect's server."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from refute.errors import OrchestratorUnavailable

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

LIMIT: Final = "refute-gemini"
LEASE_S: Final = 60.0
"""For so long a killed process keeps its slot; the shortest that the server allows, renewed while a request lasts."""
ASKED_AGAIN_S: Final = 2.0
"""How often whoever waits for a slot looks whether it should still wait."""


def ensure_model_limit(client: "SyncPrefectClient", most: int) -> bool:
    """Make the limit unless it is there; whether it was made. One that is there keeps what a person gave it.

    Args:
        client: of the server.
        most: requests at once.
    """
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    try:
        client.read_global_concurrency_limit_by_name(LIMIT)
    except ObjectNotFound:
        with contextlib.suppress(ObjectAlreadyExists):  # another run made it just now
            client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=LIMIT, limit=most))
            return True
    return False


@contextlib.contextmanager
def model_turn(check: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Wait for a slot, and hold it while the block runs.

    Args:
        check: called every few seconds of waiting; ends it by raising.

    Raises:
        OrchestratorUnavailable: the server has no such limit, or does not answer. Nothing was sent.
    """
    with contextlib.ExitStack() as held:
        while not _taken(held):
            check()
        yield


def _taken(held: contextlib.ExitStack) -> bool:
    from prefect.concurrency.sync import concurrency

    slot = concurrency(
        LIMIT,
        timeout_seconds=ASKED_AGAIN_S,
        lease_duration=LEASE_S,
        strict=True,
        raise_on_lease_renewal_failure=False,  # an answer that is paid for is taken, whatever became of the slot
    )
    try:
        held.enter_context(slot)
    except TimeoutError:
        return False
    except Exception as error:
        raise OrchestratorUnavailable(
            f"no turn to ask a model: {error}",
            hint="The Prefect server bounds how many requests are under way at once. Where it has no limit "
            f"{LIMIT!r} (under Concurrency in its UI), run deployments/apply.py.",
        ) from error
    return True
