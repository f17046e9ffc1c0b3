"""Ask other workers to share a batch: each is a deployment run that joins it, and takes tickets from the ledger."""

from collections.abc import Callable
from typing import Final

from prefect.deployments import run_deployment

DEPLOYMENT: Final = "verify-batch/join"


def call_helpers(batch_id: str, count: int, *, fresh: bool, tell: Callable[[str], None]) -> None:
    """Ask for so many helpers, once per batch; without them it only takes longer.

    Args:
        batch_id: the batch to join; open, with its answers given.
        count: helpers in all.
        fresh: whether they run everything anew, as the batch does.
        tell: is told where they cannot be asked for.
    """
    for number in range(1, count + 1):
        request = {"resume": batch_id, "approval": "pending", "fresh": fresh}
        try:
            run_deployment(
                DEPLOYMENT,
                parameters={"request": request},
                flow_run_name=f"join {batch_id} ({number} of {count})",
                timeout=0,
                as_subflow=False,
                idempotency_key=f"{batch_id}-{number}",
            )
        except Exception as error:  # noqa: BLE001  # no such deployment, or a server that does not take it
            tell(f"no helper for {batch_id}: {DEPLOYMENT}: {type(error).__name__}: {error}")
            return
