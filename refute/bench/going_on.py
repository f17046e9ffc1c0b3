"""Which batch a bench goes on with, so that the same command measures nothing twice and leaves nothing out.

A bench run is a batch and, where versions of it ended without a verdict, further batches of just those. All their names
begin with the bench's own (`bench-property-3f9c…`) and that of the first batch (`…-20261122-0130-3f9c`).
"""

import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import func, select

from refute.bench.score import INFRASTRUCTURE
from refute.ledger.batches import Batches
from refute.ledger.bench_runs import BENCH
from refute.ledger.schema import BATCHES
from refute.ledger.store import Ledger
from refute.outcome import Outcome

_FURTHER: Final = re.compile(r"-r\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What the command is to do."""

    batch_id: str
    """Of a new batch, or of the one to go on with."""
    resume: bool
    tickets: Collection[str]
    """Those of the batch."""


def bench_name(tester: str, key: str) -> str:
    """The name of a bench.

    Args:
        tester: as in the settings, `gemini,property` for instance.
        key: what tells this data set from others, in hex.
    """
    return f"{BENCH}{tester.replace(',', '-')}-{key[:12]}"


def next_batch(ledger: Ledger, name: str, tickets: Collection[str], *, again: bool) -> Next:
    """The newest run's unfinished batch, a further one of what it got no verdict on, or a new run.

    Args:
        ledger: where batches lie.
        name: of the bench.
        tickets: all of it.
        again: begin anew in any case.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    run = [] if again else newest_run(ledger, name)
    for batch_id in run:
        rows = Batches(ledger).tickets(batch_id)
        if not all(row.finished for row in rows):
            return Next(batch_id=batch_id, resume=True, tickets={row.ticket_id for row in rows})
    last = run_outcomes(ledger, run)
    without = [one for one in tickets if one not in last or last[one].status in INFRASTRUCTURE]
    if run and without:
        return Next(batch_id=f"{_FURTHER.sub('', run[0])}-r{len(run)}", resume=False, tickets=without)
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M}-{uuid.uuid4().hex[:4]}"
    return Next(batch_id=f"{name}-{stamp}", resume=False, tickets=tickets)


def newest_run(ledger: Ledger, name: str) -> list[str]:
    """The batches of a bench's newest run, the first one first; empty where it never ran."""
    column = BATCHES.c.batch_id
    named = (column == name) | (func.substr(column, 1, len(name) + 1) == f"{name}-")
    with ledger.transaction() as connection:
        found = list(connection.scalars(select(column).where(named).order_by(BATCHES.c.created_at)))
    first = _FURTHER.sub("", found[-1]) if found else ""
    return [one for one in found if _FURTHER.sub("", one) == first]


def run_outcomes(ledger: Ledger, run: Collection[str]) -> Mapping[str, Outcome]:
    """Ticket id → its outcome in the last of a run's batches that has one."""
    batches = Batches(ledger)
    return {str(one.ticket_id): one for batch_id in run for one in batches.outcomes(batch_id)}
