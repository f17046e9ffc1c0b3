"""Which outcomes a report is about."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, or_

from refute.ledger.bench_runs import is_bench, is_no_bench
from refute.ledger.schema import OUTCOMES
from refute.outcome import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Filters that all have to hold; an empty one holds for everything."""

    since: datetime | None = None
    """Started then or later."""
    until: datetime | None = None
    """Started before."""
    statuses: tuple[Status, ...] = ()
    """Any of these."""
    labels: tuple[str, ...] = ()
    """Any of these."""
    ticket_ids: tuple[str, ...] = ()
    """Any of these."""
    run_ids: tuple[str, ...] = ()
    """Any of these; the id of a batch is the run id of its tickets' outcomes."""
    bench: bool | None = None
    """True: only bench runs; False: all but these."""

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filters on the ledger's outcomes."""
        found = list(self.moments())
        if self.statuses:
            found.append(OUTCOMES.c.status.in_([status.value for status in self.statuses]))
        if self.labels:
            found.append(or_(*(_has_label(label) for label in self.labels)))
        if self.ticket_ids:
            found.append(OUTCOMES.c.ticket_id.in_(self.ticket_ids))
        return [*found, *self.runs(OUTCOMES.c.run_id)]

    def runs(self, column: Any) -> list[ColumnElement[bool]]:
        """The filters by run alone, on any column of run ids."""
        found = [column.in_(self.run_ids)] if self.run_ids else []
        if self.bench is not None:
            found.append(is_bench(column) if self.bench else is_no_bench(column))
        return found

    def moments(self, column: Any = OUTCOMES.c.started_at) -> list[ColumnElement[bool]]:
        """The filters by time alone, on any column of moments."""
        found = []
        if self.since is not None:
            found.append(column >= self.since)
        if self.until is not None:
            found.append(column < self.until)
        return found

    @property
    def is_everything(self) -> bool:
        """Whether nothing is filtered out."""
        return self == Scope()

    def described(self) -> Mapping[str, Any]:
        """The filters that are set, as plain JSON values."""
        given: dict[str, Any] = {
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
            "status": [status.value for status in self.statuses],
            "label": list(self.labels),
            "ticket": list(self.ticket_ids),
            "bench": "only" if self.bench else "",
            "run": list(self.run_ids),
        }
        return {name: value for name, value in given.items() if value}


def _has_label(label: str) -> ColumnElement[bool]:
    """Exact: in the stored JSON array a quote inside a label is escaped, and labels hold no white space."""
    text = json.dumps(label)
    return or_(
        OUTCOMES.c.labels.startswith(f"[{text}", autoescape=True),
        OUTCOMES.c.labels.contains(f", {text}", autoescape=True),
    )
