"""Watchers of a run: each warning once, whoever gives it."""

import json
from decimal import Decimal
from pathlib import Path

from refute.journal import Journal
from refute.observer import OnlyOnce, Unwatched, Watchers
from refute.outcome import StageRecord
from tests.fakes.outcomes import fake_outcome


class Listening(Unwatched):
    """Remembers all that it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def began(self, stage: str) -> None:
        self.heard.append(stage)

    def ended(self, record: StageRecord) -> None:
        self.heard.append(record.summary)

    def warned(self, message: str) -> None:
        self.heard.append(message)


def test_a_warning_is_passed_on_once_and_stages_each_time() -> None:
    listening = Listening()
    once = OnlyOnce(Watchers(listening))
    for _ in range(2):
        once.began("scan")
        once.ended(StageRecord(name="scan", summary="clean", duration_s=0.1))
        once.warned("the disk is full")
    once.warned("the disk is empty")
    assert listening.heard == ["scan", "clean", "the disk is full", "scan", "clean", "the disk is empty"]


VERIFY = StageRecord(name="verify", summary="passed\x1b[2J\n", duration_s=2.5, sandbox_s=1.5, cost_usd=Decimal("0.01"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_stage_and_the_outcome_are_lines_with_the_run_s_and_the_ticket_s_id(tmp_path: Path) -> None:
    path = tmp_path / "state" / "refute.jsonl"
    journal = Journal(path, run_id="run-1", ticket_id="T-1")
    journal.began("verify")
    journal.ended(VERIFY)
    journal.warned("key AIza" + "x" * 35)
    journal.closed(fake_outcome(stages=(VERIFY,), cost_usd=None))
    written = lines(path)
    assert [line["event"] for line in written] == ["stage_began", "stage_ended", "warning", "outcome"]
    assert {(line["run_id"], line["ticket_id"]) for line in written} == {("run-1", "T-1")}
    assert (written[1]["summary"], written[1]["duration_s"]) == (r"passed\x1b[2J\n", 2.5)
    assert "xxxxxxxx" not in str(written[2]["message"])
    assert written[3]["stages_s"] == {"verify": 2.5}
    assert (written[1]["cost_usd"], written[3]["cost_usd"]) == ("0.01", None)
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_keeps_no_run_from_its_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Journal(tmp_path / "file" / "refute.jsonl", run_id="run-1", ticket_id="T-1").ended(VERIFY)
    assert (tmp_path / "file").read_text() == ""
