"""Does more fail than usual? The last day beside the two weeks before it, by intervals and not by a fixed share."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select

from refute.ledger.bench_runs import is_no_bench
from refute.ledger.schema import OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.statistics.rate import Rate
from reports.groups import GROUPS, Group

RECENT: Final = timedelta(days=1)
USUAL: Final = timedelta(days=14)
MIN_RECENT_RUNS: Final = 10
MIN_USUAL_RUNS: Final = 20
"""Before a ledger has so many, nothing is unusual."""
MIN_RISE: Final = 0.1
"""Of the share, so that a thousand runs a day do not make an alarm of half a percent."""
JUDGED: Final = frozenset({Group.FAILED, Group.WEAK, Group.PASSED})


TRIED: Final = frozenset(Group) - {Group.NOT_RUN}
KINDS: Final[Mapping[Group, tuple[frozenset[Group], str]]] = {
    Group.FAILED: (JUDGED, "more tickets fail than usual"),
    Group.ERROR: (TRIED, "more runs than usual end in ERROR (infrastructure, no verdict)"),
}
"""Ending that may rise → of which runs, and what to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """A share that rose beyond chance."""

    kind: Group
    """Of `KINDS`."""
    recent: Rate
    """Of the last day."""
    usual: Rate
    """Of the two weeks before it."""

    @property
    def words(self) -> str:
        """What rose, for a person."""
        return KINDS[self.kind][1]


def find_spikes(ledger: Ledger, now: datetime) -> tuple[Spike, ...]:
    """The shares that rose; bench runs, of which half are meant to fail, are left out.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    now = now.astimezone(UTC)
    recent = _counts(ledger, now - RECENT, now)
    usual = _counts(ledger, now - RECENT - USUAL, now - RECENT)
    compared = (Spike(kind=kind, recent=_rate(kind, recent), usual=_rate(kind, usual)) for kind in KINDS)
    return tuple(spike for spike in compared if is_spike(spike.recent, spike.usual))


def is_spike(recent: Rate, usual: Rate) -> bool:
    """Whether the recent share lies surely, and by enough to matter, above the usual one."""
    if recent.trials < MIN_RECENT_RUNS or usual.trials < MIN_USUAL_RUNS:
        return False
    low, high = recent.interval, usual.interval
    assert low is not None and high is not None and recent.value is not None and usual.value is not None  # noqa: S101, PT018  # for the types: both were tried
    return low[0] > high[1] and recent.value - usual.value >= MIN_RISE


def _counts(ledger: Ledger, since: datetime, until: datetime) -> Counter[Group]:
    started = OUTCOMES.c.started_at
    query = select(OUTCOMES.c.status, func.count()).where(
        started >= since, started < until, is_no_bench(OUTCOMES.c.run_id)
    )
    found: Counter[Group] = Counter()
    with ledger.transaction() as connection:
        for status, count in connection.execute(query.group_by(OUTCOMES.c.status)):
            found[GROUPS[Status(status)]] += count
    return found


def _rate(kind: Group, counts: Counter[Group]) -> Rate:
    return Rate(hits=counts[kind], trials=sum(counts[group] for group in KINDS[kind][0]))
