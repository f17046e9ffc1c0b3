"""The audit log: complete, chained, bounded, and refusing to let anything happen unrecorded."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock

from refute.errors import AuditUnavailable, InfrastructureError
from refute.guardrails import audit
from refute.guardrails.audit import AuditLog, Decision, Gate
from refute.guardrails.audit_chain import verify_chain

WRITER = """
import sys
from pathlib import Path
from refute.guardrails.audit import AuditLog, Decision, Gate
log = AuditLog(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    log.record(Gate.SCAN, Decision.ALLOW, run_id=sys.argv[2], reason="r", metadata={"number": number})
"""


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path / "logs" / "guardrails.jsonl")


def write(log: AuditLog, count: int = 1) -> None:
    for number in range(count):
        log.record(Gate.SCAN, Decision.ALLOW, run_id="run-1", reason="nothing found", metadata={"number": number})


def lines(log: AuditLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text().splitlines()]


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_strikes_after_the_record_and_leaves_the_log_free(log, monkeypatch):
    class Struck(FileLock):
        def acquire(self, *arguments: Any, **options: Any) -> Any:
            held = super().acquire(*arguments, **options)
            signal.raise_signal(signal.SIGINT)
            return held

    with monkeypatch.context() as patch:
        patch.setattr(audit, "FileLock", Struck)
        with pytest.raises(KeyboardInterrupt) as caught:  # its traceback holds what was taken
            write(log)
    monkeypatch.setattr(audit, "LOCK_TIMEOUT_S", 0.1)
    write(log)
    assert len(lines(log)) == 2
    assert caught


def test_a_record_says_when_where_what_and_why(log):
    given = {"run_id": "run-1", "turn_id": "t-2", "reason": "asked for"}
    given |= {"metadata": {"rule": "R1", "count": 2, "ok": True, "none": None, "share": 0.5}}
    head = log.record(Gate.SCAN_OVERRIDE, Decision.ALLOW, **given)
    (record,) = lines(log)
    assert str(record.pop("timestamp")).endswith("+00:00")
    chained = {"sequence": 1, "previous": "0" * 64, "hash": head.hash}
    assert record == {**given, "gate": "scan_override", "decision": "allow", **chained}


def test_the_log_is_for_its_owners_eyes(log):
    write(log)
    assert log.path.stat().st_mode & 0o077 == 0


def test_a_switched_off_log_writes_nothing(tmp_path):
    log = AuditLog(tmp_path / "log.jsonl", enabled=False)
    assert log.record(Gate.SCAN, Decision.DENY, run_id="r", reason="x") is None
    assert not log.path.exists()


@pytest.mark.slow
def test_eight_processes_keep_one_chain(log):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(log.path), f"run-{n}", "40"]) for n in range(8)]
    assert [writer.wait(timeout=300) for writer in writers] == [0] * 8
    report = verify_chain(log.path)
    assert (report.intact, report.lines, report.head.sequence) == (True, 320, 320)


@pytest.mark.parametrize("kept", [1, 20, 200])
def test_a_line_torn_by_a_crash_is_fenced_off_and_the_chain_goes_on(log, kept):
    write(log, 3)
    whole = log.path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    log.path.write_bytes(whole + last[:kept])
    assert verify_chain(log.path).unfinished_bytes == kept
    write(log)
    report = verify_chain(log.path)
    assert report.intact
    assert (report.lines, report.fenced, report.head.sequence) == (5, 1, 5)
    assert [record["gate"] for record in map(json.loads, log.path.read_text().splitlines()[-2:])] == ["audit", "scan"]


def test_a_last_line_that_lost_only_its_newline_is_kept(log):
    write(log, 2)
    log.path.write_bytes(log.path.read_bytes().rstrip(b"\n"))
    write(log)
    report = verify_chain(log.path)
    assert report.intact
    assert (report.lines, report.fenced) == (3, 0)


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        pytest.param(lambda rows: [rows[0], rows[1].replace("allow", "deny "), *rows[2:]], 2, "changed", id="edited"),
        pytest.param(lambda rows: [rows[0], *rows[2:]], 2, "does not follow line 1", id="removed"),
        pytest.param(lambda rows: [rows[0], rows[0], *rows[1:]], 2, "does not follow", id="repeated"),
        pytest.param(lambda rows: rows[1:], 1, "does not follow", id="start-cut-off"),
        pytest.param(lambda rows: [rows[0], "garbage", *rows[1:]], 2, "unreadable", id="garbage-inserted"),
        pytest.param(lambda rows: [rows[0], "17", *rows[1:]], 2, "no audit record", id="other-json"),
        pytest.param(lambda rows: [rows[0], "[" * 100_000, *rows[1:]], 2, "no audit record", id="nesting-bomb"),
    ],
)  # fmt: skip
def test_tampering_is_found_at_its_line(log, change, line, problem):
    write(log, 4)
    rows = log.path.read_text().splitlines()
    log.path.write_text("\n".join(change(rows)) + "\n")  # type: ignore[operator]
    report = verify_chain(log.path)
    assert not report.intact
    assert report.breaks[0].line == line
    assert problem in report.breaks[0].problem


def test_an_edit_whose_own_hash_was_recomputed_breaks_the_next_line(log):
    write(log, 3)
    rows = log.path.read_text().splitlines()
    forged = AuditLog(log.path.with_name("forged.jsonl"))
    forged.record(Gate.SCAN, Decision.DENY, run_id="other", reason="forged")
    log.path.write_text("\n".join([forged.path.read_text().strip(), *rows[1:]]) + "\n")
    assert [found.line for found in verify_chain(log.path).breaks] == [2]


def test_nothing_is_appended_to_a_log_whose_last_line_was_edited(log):
    write(log, 2)
    log.path.write_text(log.path.read_text().replace('"number": 1', '"number": 9'))
    with pytest.raises(AuditUnavailable, match="changed after it was written"):
        write(log)


def test_a_log_that_ends_in_too_much_garbage_is_refused(log):
    write(log)
    log.path.write_bytes(log.path.read_bytes() + b"x" * (audit.TAIL_BYTES + 1))
    with pytest.raises(AuditUnavailable, match="got no record"):
        write(log)


def test_a_directory_in_the_logs_place_is_an_error_that_stops_what_it_would_have_allowed(tmp_path):
    with pytest.raises(InfrastructureError, match="nothing runs without its record"):
        AuditLog(tmp_path).record(Gate.SCAN, Decision.ALLOW, run_id="r", reason="x")


def test_a_link_and_a_pipe_in_the_logs_place_are_refused(log, tmp_path):
    target = tmp_path / "target"
    target.write_text("precious")
    log.path.parent.mkdir()
    log.path.symlink_to(target)
    with pytest.raises(AuditUnavailable):
        write(log)
    assert target.read_text() == "precious"
    log.path.unlink()
    os.mkfifo(log.path)
    with pytest.raises(AuditUnavailable, match="not a regular file"):
        write(log)


def test_a_full_disk_stops_what_the_record_would_have_allowed(log, monkeypatch):
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    write(log)
    with monkeypatch.context() as patch:
        patch.setattr(audit.os, "write", full)
        with pytest.raises(AuditUnavailable, match="No space left"):
            write(log)
    write(log)
    assert verify_chain(log.path).intact


def test_whether_it_can_be_written_is_found_out_without_writing(log, monkeypatch):
    write(log)
    written = log.path.read_bytes()
    log.require_writable()
    assert log.path.read_bytes() == written
    with monkeypatch.context() as patch:
        patch.setattr(audit.os, "fstatvfs", lambda _: SimpleNamespace(f_blocks=10, f_bfree=0))
        with pytest.raises(AuditUnavailable, match="No space left"):
            log.require_writable()
    log.path.write_bytes(written.replace(b"allow", b"deny"))
    with pytest.raises(AuditUnavailable, match="changed"):
        log.require_writable()


def test_a_lock_that_stays_taken_is_an_error(log, monkeypatch):
    write(log)
    monkeypatch.setattr(audit, "LOCK_TIMEOUT_S", 0.05)
    with log._locked(), pytest.raises(AuditUnavailable, match="lock was not free"):
        write(log)


def test_secrets_hostile_text_and_floods_do_not_get_into_the_log(log):
    key = "AKIA" + "Q" * 16
    said = f"used {key} and Authorization: Bearer abcdefghijklmnop"
    told = {"api_key": "short", "url": "https://user:hunter22@host/", "share": float("nan")}
    told |= {"output": "\x1b[31m" + "x" * 1_000_000, **{f"more{n}": n for n in range(100)}}
    log.record(Gate.CONFIRMATION, Decision.DENY, run_id="r", reason=said, metadata=told)
    text = log.path.read_text()
    (record,) = lines(log)
    assert [secret for secret in (key, "abcdefghijklmnop", "hunter22") if secret in text] == []
    metadata = record["metadata"]
    assert (metadata["api_key"], metadata["share"]) == ("[redacted]", "nan")
    assert metadata["output"].startswith(r"\x1b[31mxxx")
    assert len(metadata) == audit.MAX_METADATA
    assert len(text) < 10_000
    assert verify_chain(log.path).intact


def test_a_missing_log_cannot_be_verified(tmp_path):
    with pytest.raises(AuditUnavailable, match="cannot be read"):
        verify_chain(tmp_path / "none.jsonl")


def test_where_the_log_is_only_observed_a_broken_one_stops_nothing(log):
    write(log, 1)
    log.path.write_text(log.path.read_text().replace('"number": 0', '"number": 9'))
    before = log.path.read_bytes()
    lenient = AuditLog(log.path, required=False)
    assert lenient.record(Gate.SCAN, Decision.ALLOW, run_id="run-1", reason="r") is None
    assert log.path.read_bytes() == before
