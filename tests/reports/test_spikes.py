"""Whether more fails than usual: beyond chance, by enough to matter, and told apart from infrastructure."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.rates import Rate
from reports.spikes import SpikeKind, find_spikes, is_spike

NOW = datetime(2026, 11, 20, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("recent", "usual", "expected"),
    [
        ((9, 10), (5, 100), True),
        ((30, 100), (5, 100), True),
        ((9, 9), (5, 100), False),  # too few to say
        ((9, 10), (5, 19), False),  # nothing usual yet
        ((3, 10), (10, 100), False),  # may be chance
        ((1_300, 10_000), (1_000, 100_000), True),
        ((600, 10_000), (500, 100_000), False),  # sure, and too small to matter
        ((10, 10), (100, 100), False),
    ],
)
def test_a_spike_is_beyond_chance_and_large(recent: tuple[int, int], usual: tuple[int, int], *, expected: bool) -> None:
    assert is_spike(*(Rate(hits=hits, tries=tries) for hits, tries in (recent, usual))) is expected


def test_the_last_day_is_compared_with_the_two_weeks_before_it(tmp_path: Path, outcomes: dict[str, Outcome]) -> None:
    ledger = Ledger.open(Settings(state_dir=tmp_path))
    one = outcomes["failed_verification"]

    def ran(count: int, status: Status, ago: timedelta) -> None:
        for number in range(count):
            run_id = f"{status}-{ago}-{number}"
            ledger.record(replace(one, run_id=run_id, status=status, started_at=NOW - ago))

    ran(20, Status.PASS, timedelta(days=3))
    ran(5, Status.FAILED_IMPORT, timedelta(days=20))  # too long ago to count
    ran(10, Status.ERROR, timedelta(hours=2))
    ran(30, Status.SKIPPED_BUDGET, timedelta(hours=2))  # was not tried
    (spike,) = find_spikes(ledger, NOW)
    assert (spike.kind, spike.recent, spike.usual) == (
        SpikeKind.ERROR,
        Rate(hits=10, tries=10),
        Rate(hits=0, tries=20),
    )
    assert find_spikes(ledger, NOW + timedelta(days=2)) == ()
