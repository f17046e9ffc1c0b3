import os
from datetime import UTC, datetime, timedelta

import pytest

from refute.batch.entry import read_entries
from refute.batch.selection import LastOutcome, Selection, moment, select
from refute.outcome import Status

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def entries(write, tmp_path):
    write("A", labels=["fast", "core"])
    write("B", labels=["slow"])
    (tmp_path / "C-bad").mkdir()
    (tmp_path / "C-bad" / "ticket.yaml").write_text("id: '../x'\n")
    write("D", labels=["core"])
    return read_entries(tmp_path)


def taken(entries, last=None, **wanted) -> list[str]:
    return [entry.ticket_id for entry in select(entries, Selection(**wanted), last=last)]


@pytest.mark.parametrize(
    ("text", "told"),
    [("id: '../x'\nlabels: [core]\n", True), ("labels: [slow]\n", False), ("labels: {\n", True), ("labels: 3\n", True)],
    ids=["labels that can be read", "other labels", "no YAML", "no list"],
)
def test_a_bad_file_is_told_where_it_has_the_label_or_may_have_it(entries, tmp_path, text, *, told):
    (tmp_path / "C-bad" / "ticket.yaml").write_text(text)
    assert ("invalid-C-bad" in taken(read_entries(tmp_path), labels=("core",))) is told


def test_only_what_did_not_end_well_last_time_and_not_what_never_ran(entries):
    last = {
        "A": LastOutcome(status=Status.FAILED_ADVERSARIAL, started_at=NOW),
        "B": LastOutcome(status=Status.PASS_WEAK, started_at=NOW),
    }
    assert taken(entries, last, only_failed=True) == ["A"]
    last["invalid-C-bad"] = LastOutcome(status=Status.ERROR, started_at=NOW)
    assert taken(entries, last, only_failed=True) == ["A", "invalid-C-bad"]


def test_with_only_failed_since_is_about_the_failure(entries):
    last = {
        "A": LastOutcome(status=Status.ERROR, started_at=NOW - timedelta(days=3)),
        "D": LastOutcome(status=Status.INCONCLUSIVE, started_at=NOW),
    }
    assert taken(entries, last, only_failed=True, since=NOW - timedelta(days=1)) == ["D"]


def test_since_alone_is_about_the_tickets_own_files(entries, tmp_path):
    old = (NOW - timedelta(days=9)).timestamp()
    for name in ("A", "B", "D"):
        for file in (tmp_path / name).iterdir():
            os.utime(file, (old, old))
    os.utime(tmp_path / "B" / "a.py", (NOW.timestamp(), NOW.timestamp()))
    assert taken(entries, since=NOW - timedelta(days=1)) == ["B", "invalid-C-bad"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026-11-20T06:00+01:00", datetime(2026, 11, 20, 5, 0, tzinfo=UTC)),
        ("90m", NOW - timedelta(minutes=90)),
        ("2w", NOW - timedelta(weeks=2)),
    ],
)
def test_moments_and_ages_are_understood(text, found):
    assert moment(text, now=NOW) == found


@pytest.mark.parametrize("text", ["yesterday", "7", "-3d", "9999999d", "999999w"])
def test_other_texts_are_refused(text):
    with pytest.raises((ValueError, OverflowError)):
        moment(text)
