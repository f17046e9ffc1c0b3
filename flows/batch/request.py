"""The batch flow's parameter; the form in the Prefect UI is made from it."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from flows.request import Request
from refute.ledger.bench_runs import BENCH

BATCH_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
LATEST = "latest"
"""Stands for the newest unfinished batch."""


class BatchRequest(Request):
    """Which tickets to verify, and how."""

    source: Path | None = Field(
        default=None, description="Directory with ticket directories, or a JSON Lines file. Not needed to resume."
    )
    batch_id: Annotated[str, Field(pattern=BATCH_ID)] | None = Field(
        default=None, description="Name of a new batch; made up if empty. Names are used once."
    )
    resume: str | None = Field(default=None, description=f"Go on with this batch; `{LATEST}`: the newest unfinished.")
    approval: Literal["ask", "in_advance", "pending"] = Field(
        default="pending",
        description="in_advance: run every script that scans clean. ask: put the list to the person at the terminal "
        "or, where a worker runs it, in the form of the run `confirm`. pending: run nothing that has not been approved "
        "yet.",
    )
    labels: tuple[str, ...] = Field(default=(), description="Only tickets with one of these labels.")
    only_failed: bool = Field(default=False, description="Only tickets whose last run failed.")
    since: datetime | None = Field(
        default=None, description="With only_failed: failed since then. Else: changed since then."
    )
    limit: Annotated[int, Field(ge=1)] | None = Field(default=None, description="At most so many tickets.")
    allow_dangerous: Path | None = Field(
        default=None,
        description="Allow-file: tickets whose dangerous scripts may run, each with its snapshot.",
    )
    chunk_tickets: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0,
        description="Spread the batch over workers, so many tickets to each run of `verify-chunk/chunk`; 10 to 20 is a "
        "good size. 0: this process verifies all of them.",
    )
    fresh: bool = Field(default=False, description="Run everything and ask models anew; ignore caches.")
    bench: SkipJsonSchema[bool] = False
    """Whether a tester is measured: such runs are no tickets that fail. Not in the form."""

    @model_validator(mode="after")
    def _is_named_for_what_it_is(self) -> Self:
        if self.batch_id is not None and self.batch_id.startswith(BENCH) != self.bench:
            raise ValueError(f"batch_id: got {self.batch_id!r}; names beginning with {BENCH!r} are those of bench runs")
        return self

    @property
    def title(self) -> str:
        """What the run is called in the UI before the batch is open."""
        return self.batch_id or self.resume or (self.source.name if self.source else "without tickets")


class ChunkRequest(Request):
    """Which tickets of a batch one worker verifies."""

    batch_id: Annotated[str, Field(pattern=BATCH_ID)] = Field(description="The batch, as its run opened it.")
    tickets: tuple[str, ...] = Field(description="Ids of the tickets that this run verifies.")
    allow_dangerous: Path | None = Field(default=None, description="The batch's allow-file.")
    fresh: bool = Field(default=False, description="Run everything and ask models anew; ignore caches.")
