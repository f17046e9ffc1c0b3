"""How many requests to models are under way at once, over all workers: a global limit of Prefect's server."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from flows.orchestrator.server import still_answers
from refute.errors import OrchestratorUnavailable

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

LIMIT: Final = "refute-gemini"
LEASE_S: Final = 60.0
"""For so long a killed process keeps its slot; the shortest that the server allows, renewed while a request lasts."""
ASKED_AGAIN_S: Final = 2.0
"""How often whoever waits for a slot looks whether it should still wait."""
SILENT_S: Final = 120.0
"""For so long a server may be away, as when it is started again; after it nobody waits for a turn any more."""


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
        OrchestratorUnavailable: the server has no such limit, or is not heard of for `SILENT_S`. Nothing was sent.
    """
    from tasks.outcome import CLIENT_ERRORS  # the command line imports Prefect late

    with contextlib.ExitStack() as held:
        heard = time.monotonic()
        while not (taken := _taken(held)):
            check()
            if taken is not None:
                heard = time.monotonic()
            elif time.monotonic() - heard > SILENT_S:
                raise OrchestratorUnavailable(
                    f"no turn to ask a model: the Prefect server has not answered for {SILENT_S:.0f} s",
                    hint="It bounds how many requests are under way at once. A local one is started again by the next "
                    "run of refute; start another one again where it runs.",
                )
        try:
            yield
        finally:  # an answer that is paid for is taken, whatever became of the slot
            with contextlib.suppress(*CLIENT_ERRORS):  # the slot comes back with its lease
                held.close()


def _taken(held: contextlib.ExitStack) -> bool | None:
    """Whether there was a slot; None where the server did not say."""
    from prefect.concurrency.sync import concurrency

    slot = concurrency(
        LIMIT,
        timeout_seconds=ASKED_AGAIN_S,
        lease_duration=LEASE_S,
        strict=True,
        raise_on_lease_renewal_failure=False,
    )
    try:
        held.enter_context(slot)
    except TimeoutError:  # also where nothing answers: Prefect's client tries again until its time is over
        return False if still_answers() else None
    except Exception as error:
        if _may_pass(error.__cause__):
            time.sleep(ASKED_AGAIN_S)
            return None
        raise OrchestratorUnavailable(
            f"no turn to ask a model: {error}",
            hint="The Prefect server bounds how many requests are under way at once. Where it has no limit "
            f"{LIMIT!r} (under Concurrency in its UI), run deployments/apply.py.",
        ) from error
    return True


def _may_pass(cause: BaseException | None) -> bool:
    """Whether a server that is ending, starting, overloaded or given up (`NO_ANSWER`) fails like this."""
    import httpx

    return isinstance(cause, httpx.TransportError | AssertionError) or (
        isinstance(cause, httpx.HTTPStatusError) and cause.response.is_server_error
    )
