"""Who is gone is told by leases that nobody renews, whatever the clocks say."""

from datetime import UTC, datetime, timedelta

from refute.batch.absence import Absences

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Seconds:
    """Time that only goes on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_lease_that_stays_as_it_is_for_too_long_belongs_to_nobody_however_long_it_lasts() -> None:
    seconds = Seconds()
    absences = Absences(60, monotonic=seconds)
    far = NOON + timedelta(hours=3)  # of a process that was killed before its clock was set back
    assert absences.among({"killed": far}) == set()
    seconds.now = 60
    assert absences.among({"killed": far}) == set()
    seconds.now = 61
    assert absences.among({"killed": far}) == {"killed"}


def test_whoever_renews_is_there_also_where_the_clock_was_set_back() -> None:
    seconds = Seconds()
    absences = Absences(60, monotonic=seconds)
    for step in range(6):
        seconds.now = 45.0 * step
        assert absences.among({"alive": NOON - timedelta(hours=step)}) == set()


def test_whoever_comes_back_is_watched_anew() -> None:
    seconds = Seconds()
    absences = Absences(60, monotonic=seconds)
    absences.among({"one": NOON})
    seconds.now = 61
    absences.among({})
    seconds.now = 62
    assert absences.among({"one": NOON}) == set()
