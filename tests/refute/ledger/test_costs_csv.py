"""The cost table: each outcome's line exactly once, in columns that stay."""

import contextlib
import csv
import itertools
import multiprocessing
import signal
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from refute.errors import CostsCsvUnavailable
from refute.ledger import costs_csv
from refute.ledger.costs_csv import COLUMNS, append_missing, rebuild_csv
from refute.ledger.schema import CsvState
from refute.ledger.store import Ledger
from refute.settings import Settings
from tests.refute.ledger.conftest import make_outcome

ROOT = Path(__file__).resolve().parents[3]

FORK = multiprocessing.get_context("fork")  # a fresh interpreter would spend its short life on imports


def write_until_killed(settings: Settings, run_id: str, done: Connection) -> None:
    """Record outcomes and their lines, each twice as a retry would, and say which are done."""
    ledger = Ledger.open(settings)
    for number in itertools.count():
        outcome = make_outcome(run_id=run_id, ticket_id=f"T-{number}")
        for _ in range(2):
            ledger.record(outcome)
            append_missing(ledger, settings.costs_csv)
        done.send((run_id, f"T-{number}"))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_line_holds_what_the_columns_promise(ledger: Ledger, settings: Settings) -> None:
    ledger.record(make_outcome())
    assert append_missing(ledger, settings.costs_csv) == 1
    (row,) = read(settings.costs_csv)
    assert row == {
        "timestamp": "2026-03-01T12:00:00.000005+00:00",
        "run_id": "run-1",
        "ticket_id": "T-1",
        "status": "FAILED_ADVERSARIAL",
        "tester": "property",
        "model": "",
        "input_tokens": "",
        "output_tokens": "",
        "cost_usd": "0.000000123",
        "duration_s": "1.250",
        "claims_total": "1",
        "claims_refuted": "1",
        "strength": "",
    }


def test_the_columns_are_those_that_are_documented() -> None:
    documented = (ROOT / "docs" / "reference" / "costs-csv.md").read_text(encoding="utf-8")
    assert [line for line in documented.splitlines() if line.startswith("| `")] == [
        f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()
    ]
    assert f"Version {costs_csv.CSV_VERSION} of the columns" in documented


def test_a_retry_appends_nothing(ledger: Ledger, settings: Settings) -> None:
    for _ in range(3):
        ledger.record(make_outcome())
        append_missing(ledger, settings.costs_csv)
    assert len(read(settings.costs_csv)) == 1


def test_runs_with_other_tables_share_the_ledger_and_no_line(
    ledger: Ledger, settings: Settings, tmp_path: Path
) -> None:
    other = settings.model_copy(update={"costs_csv": tmp_path / "else\udcffwhere" / "costs.csv"})
    ledger.record(make_outcome(run_id="killed"))
    with contextlib.closing(Ledger.open(other)) as elsewhere:
        elsewhere.record(make_outcome(run_id="elsewhere"))
        assert append_missing(elsewhere, other.costs_csv) == 1
        elsewhere.record(make_outcome(run_id="killed elsewhere"))
    assert append_missing(ledger, settings.costs_csv) == 1
    assert [row["run_id"] for row in read(other.costs_csv)] == ["elsewhere"]
    assert [row["run_id"] for row in read(settings.costs_csv)] == ["killed"]
    assert rebuild_csv(ledger, settings.costs_csv) == 2
    assert append_missing(ledger, other.costs_csv) == 1
    assert [row["run_id"] for row in read(other.costs_csv)] == ["elsewhere", "killed elsewhere"]


@pytest.mark.parametrize("kept", range(0, 100, 7))
def test_a_write_killed_at_any_byte_is_repaired(
    ledger: Ledger, settings: Settings, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(path: Path, lines: list[str]) -> None:
        text = "".join(lines)
        path.write_text(path.read_text() + text[: len(text) * kept // 98])
        raise KeyboardInterrupt

    ledger.record(make_outcome(run_id="earlier"))
    append_missing(ledger, settings.costs_csv)
    ledger.record(make_outcome(run_id="killed"))
    ledger.record(make_outcome(run_id="killed", ticket_id="T-2"))
    with monkeypatch.context() as patch:
        patch.setattr(costs_csv, "_append", torn)
        with pytest.raises(KeyboardInterrupt):
            append_missing(ledger, settings.costs_csv)
    ledger.record(make_outcome(run_id="next"))
    append_missing(ledger, settings.costs_csv)
    written = [(row["run_id"], row["ticket_id"], row["claims_refuted"]) for row in read(settings.costs_csv)]
    assert written == [("earlier", "T-1", "1"), ("killed", "T-1", "1"), ("killed", "T-2", "1"), ("next", "T-1", "1")]


def test_what_a_person_added_without_a_line_end_is_kept(ledger: Ledger, settings: Settings) -> None:
    ledger.record(make_outcome(run_id="first"))
    append_missing(ledger, settings.costs_csv)
    with settings.costs_csv.open("a") as file:
        file.write("by,hand")
    ledger.record(make_outcome(run_id="second"))
    append_missing(ledger, settings.costs_csv)
    lines = settings.costs_csv.read_text().splitlines()
    assert lines[2] == "by,hand"
    assert ",second," in lines[3]


def test_a_file_with_other_columns_is_refused_and_nothing_is_lost(ledger: Ledger, settings: Settings) -> None:
    settings.costs_csv.parent.mkdir()
    settings.costs_csv.write_text("date,dollars\n2026,1\n")
    ledger.record(make_outcome())
    with pytest.raises(CostsCsvUnavailable, match="got the columns 'date,dollars', expected those of version 1"):
        append_missing(ledger, settings.costs_csv)
    settings.costs_csv.unlink()
    assert append_missing(ledger, settings.costs_csv) == 1


def test_a_file_saved_by_a_spreadsheet_program_is_continued(ledger: Ledger, settings: Settings) -> None:
    ledger.record(make_outcome(run_id="first"))
    append_missing(ledger, settings.costs_csv)
    saved = settings.costs_csv.read_bytes().replace(b"\n", b"\r\n")
    settings.costs_csv.write_bytes(b"\xef\xbb\xbf" + saved)
    ledger.record(make_outcome(run_id="second"))
    assert append_missing(ledger, settings.costs_csv) == 1


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_cell_is_a_formula_and_no_row_more_than_a_line(ledger: Ledger, settings: Settings, start: str) -> None:
    ledger.record(make_outcome(tester=f'{start}HYPERLINK("http://x")\n,"\r'))
    append_missing(ledger, settings.costs_csv)
    (row,) = read(settings.costs_csv)
    assert row["tester"].startswith("'" + start)
    assert len(settings.costs_csv.read_text().splitlines()) == 2


def test_a_rebuilt_file_is_the_same_and_continued_without_doubles(ledger: Ledger, settings: Settings) -> None:
    for number in range(3):
        ledger.record(make_outcome(ticket_id=f"T-{number}"))
        append_missing(ledger, settings.costs_csv)
    before = settings.costs_csv.read_bytes()
    settings.costs_csv.write_text("damaged")
    ledger.record(make_outcome(ticket_id="T-new"))
    assert rebuild_csv(ledger, settings.costs_csv) == 4
    assert settings.costs_csv.read_bytes().startswith(before)
    assert append_missing(ledger, settings.costs_csv) == 0
    assert [path.name for path in settings.costs_csv.parent.iterdir()] == ["costs.csv"]


def test_a_lock_that_stays_taken_is_an_error(
    ledger: Ledger, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.record(make_outcome())
    monkeypatch.setattr(costs_csv, "LOCK_TIMEOUT_S", 0.05)
    with costs_csv._held(ledger, settings.costs_csv), pytest.raises(CostsCsvUnavailable, match="lock was not free"):
        append_missing(ledger, settings.costs_csv)


@pytest.mark.slow
@pytest.mark.usefixtures("migrated_here")
def test_s120_ledger_and_cost_table_hold_each_outcome_once_whenever_processes_are_killed(settings: Settings) -> None:
    random = Random(120)  # noqa: S311  # moments to kill at, no secret
    acknowledged = set()
    for burst in range(8):
        readers = []
        for number in range(3):
            reader, done = FORK.Pipe(duplex=False)
            arguments = (settings, f"run-{burst}-{number}", done)
            writer = FORK.Process(target=write_until_killed, args=arguments)
            writer.start()
            done.close()
            readers.append((writer, reader))
        for writer, reader in readers:
            if burst % 2:  # half of them while they connect, half once they have said that something is done
                reader.poll(60)
            writer.join(timeout=random.uniform(0.02, 0.25))
            writer.kill()
            writer.join()
            assert writer.exitcode == -signal.SIGKILL
            with contextlib.suppress(EOFError):
                while True:
                    acknowledged.add(reader.recv())
    ledger = Ledger.open(settings)
    append_missing(ledger, settings.costs_csv)
    recorded = Counter((row.run_id, row.ticket_id) for row in ledger.cost_rows())
    lines = Counter((row["run_id"], row["ticket_id"]) for row in read(settings.costs_csv))
    assert acknowledged
    assert acknowledged <= set(recorded)
    assert recorded == lines
    assert set(recorded.values()) == {1}
    assert {row.csv_state for row in ledger.cost_rows()} == {CsvState.WRITTEN}
