"""Runs that are kept: found again where all is the same, told with their age, and never believed on trust."""

import json
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from refute.adversary.attack import TestEnd
from refute.errors import EngineUnavailable, SettingsInvalid
from refute.file_store.entry import Entry, Unusable, read_entry, write_entry
from refute.file_store.folder import LOCK, KeptFolder
from refute.kept.runs import ATTACK, MUTANTS, VERIFICATION, KeptMutants, KeptRuns
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Exited, TimedOut
from refute.settings import Settings
from tests.fakes.jobs import FACTS
from tests.refute.adversary.conftest import make_run
from tests.refute.kept.conftest import FAILED, PASSED, Shelf, attacked, ended, job

SECRET = "0123456789abcdef" * 2
JOBS = [job()]
COMPLETE = attacked(PASSED, FAILED, again=((FAILED,), (FAILED,)))


def rewrite(path: Path, **changed: Any) -> None:
    """Change fields of a kept run's file, as somebody with an editor would."""
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


def test_a_later_run_finds_what_an_earlier_one_kept_and_how_old_it_is(shelf: Shelf) -> None:
    shelf.run("run-1").keep(ATTACK, JOBS, COMPLETE)
    (path,) = shelf.files()
    rewrite(path, made_at=(datetime.now(UTC) - timedelta(hours=3)).isoformat())
    found = shelf.run("run-2").find(ATTACK, JOBS)
    assert found is not None
    assert found.record == COMPLETE
    assert found.origin.run_id == "run-1"
    assert 3 * 3600 <= found.origin.age_s < 3 * 3600 + 600


def test_the_first_run_of_all_does_not_even_ask_the_engine(shelf: Shelf) -> None:
    assert shelf.run().find(ATTACK, JOBS) is None
    assert shelf.asked == 0


@pytest.mark.parametrize("jobs", [[replace(job(), workspace=b"x")], [job(image_id="sha256:2")], JOBS * 2])
def test_nothing_stands_for_another_job(shelf: Shelf, jobs: Any) -> None:
    shelf.run().keep(ATTACK, JOBS, COMPLETE)
    assert shelf.run().find(ATTACK, jobs) is None
    assert shelf.run().find(VERIFICATION, JOBS) is None


def test_fresh_does_not_look_but_keeps(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended(stdout="old"))
    fresh = shelf.run(fresh=True)
    assert fresh.find(VERIFICATION, JOBS) is None
    fresh.keep(VERIFICATION, JOBS, ended(stdout="new"))
    found = shelf.run().find(VERIFICATION, JOBS)
    assert found is not None
    assert found.record.stdout == "new"


@pytest.mark.parametrize("end", [TimedOut(limit_s=1), Exited(code=1)])
def test_a_fresh_run_that_does_not_last_takes_what_was_kept_with_it(shelf: Shelf, end: Any) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    shelf.run(fresh=True).keep(VERIFICATION, JOBS, ended(end=end))
    assert shelf.run().find(VERIFICATION, JOBS) is None
    assert shelf.files() == []


def test_a_network_or_an_age_of_nothing_keeps_nothing(shelf: Shelf) -> None:
    online = [replace(job(), allowed_hosts=("example.org",))]
    shelf.run().keep(VERIFICATION, online, ended())
    shelf.run(results_max_age_s=0).keep(VERIFICATION, JOBS, ended())
    assert shelf.files() == []
    shelf.run().keep(VERIFICATION, JOBS, ended())
    assert shelf.run().find(VERIFICATION, online) is None
    assert shelf.run(results_max_age_s=0).find(VERIFICATION, JOBS) is None


def test_what_is_too_old_does_not_count_nor_what_is_from_the_future(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    (path,) = shelf.files()
    rewrite(path, made_at=(datetime.now(UTC) - timedelta(days=8)).isoformat())
    assert shelf.run().find(VERIFICATION, JOBS) is None
    assert shelf.warnings == []
    rewrite(path, made_at=(datetime.now(UTC) + timedelta(days=1)).isoformat())
    assert shelf.run().find(VERIFICATION, JOBS) is None
    assert "from now" in shelf.warnings[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        json.dumps({"version": 1, "record": {}}).encode(),
    ],
)
def test_a_file_that_does_not_parse_is_told_and_ignored_and_written_anew(shelf: Shelf, content: bytes) -> None:
    shelf.run().keep(ATTACK, JOBS, COMPLETE)
    (path,) = shelf.files()
    path.write_bytes(content)
    run = shelf.run()
    assert run.find(ATTACK, JOBS) is run.find(ATTACK, JOBS) is None
    assert len(shelf.warnings) == 1, "each file is told once"
    assert str(path) in shelf.warnings[0]
    run.keep(ATTACK, JOBS, COMPLETE)
    assert shelf.run().find(ATTACK, JOBS) is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"key": "0" * 64},
        {"kind": "verify"},
        {"made_at": "yesterday"},
        {"made_at": "2026-11-22T08:00:00"},
        {"signature": "hmac-sha256:0"},
        {"more": 1},
        {"record": {"result": {}, "run": {}}},
    ],
)
def test_a_file_of_something_else_is_told_and_ignored(shelf: Shelf, changed: dict[str, Any]) -> None:
    shelf.run().keep(ATTACK, JOBS, COMPLETE)
    (path,) = shelf.files()
    rewrite(path, **changed)
    assert shelf.run().find(ATTACK, JOBS) is None
    assert len(shelf.warnings) == 1


def test_a_record_that_could_not_have_been_kept_is_not_taken_from_a_file_either(shelf: Shelf) -> None:
    shelf.run().keep(ATTACK, JOBS, COMPLETE)
    (path,) = shelf.files()
    record = json.loads(path.read_text())["record"]
    record["run"]["timed_out"] = True
    rewrite(path, record=record)
    assert shelf.run().find(ATTACK, JOBS) is None
    assert "its time was over" in shelf.warnings[0]


def test_files_are_for_this_user_alone(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    (path,) = shelf.files()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("folder_too", [False, True])
def test_without_a_signature_a_file_that_others_can_write_is_ignored(shelf: Shelf, *, folder_too: bool) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    (path,) = shelf.files()
    (path.parent if folder_too else path).chmod(0o777)
    assert shelf.run().find(VERIFICATION, JOBS) is None
    assert "somebody else" in shelf.warnings[0]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_ignored(shelf: Shelf, kind: str) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    (path,) = shelf.files()
    moved = path.rename(path.parent / "elsewhere")
    {"link": lambda: path.symlink_to(moved), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[kind]()
    assert shelf.run().find(VERIFICATION, JOBS) is None
    assert len(shelf.warnings) == 1
    shelf.run().keep(VERIFICATION, JOBS, ended())
    assert (shelf.run().find(VERIFICATION, JOBS) is None) == (kind == "folder")


def test_with_a_key_only_what_is_signed_with_it_counts(shelf: Shelf) -> None:
    shelf.run(signing_key=SECRET).keep(ATTACK, JOBS, COMPLETE)
    (path,) = shelf.files()
    assert shelf.run(signing_key=SECRET).find(ATTACK, JOBS) is not None
    assert shelf.run(signing_key=SECRET[::-1]).find(ATTACK, JOBS) is None
    assert shelf.run().find(ATTACK, JOBS) is None, "nobody can check it"
    path.chmod(0o666)
    assert shelf.run(signing_key=SECRET).find(ATTACK, JOBS) is not None, "the signature says more than the mode"
    record = json.loads(path.read_text())["record"]
    record["run"]["first"][1]["end"] = "passed"
    rewrite(path, record=record)
    assert shelf.run(signing_key=SECRET).find(ATTACK, JOBS) is None
    rewrite(path, signature=None)
    assert shelf.run(signing_key=SECRET).find(ATTACK, JOBS) is None
    assert "not signed" in shelf.warnings[-1]


@pytest.mark.parametrize("field", ["made_at", "run_id", "key", "kind", "version"])
def test_a_signature_holds_for_every_field(field: str) -> None:
    made = Entry(kind="verify", key="k", run_id="r", made_at=datetime(2026, 11, 22, tzinfo=UTC), record={"a": 1})
    document = json.loads(write_entry(made, b"secret"))
    assert read_entry(json.dumps(document).encode(), kind="verify", key="k", secret=b"secret") == made
    document[field] = {"made_at": "2026-11-23T00:00:00+00:00", "version": 1.0}.get(field, "other")
    expected = {"kind": document["kind"], "key": document["key"]}
    if field == "version":
        return  # 1.0 is 1 for JSON; another number is refused before its signature is looked at
    with pytest.raises(Unusable, match="signature"):
        read_entry(json.dumps(document).encode(), **expected, secret=b"secret")


def test_a_shared_folder_without_a_key_is_refused_and_a_key_is_never_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="signing_key"):
        Settings.load(results_dir=tmp_path)
    with pytest.raises(SettingsInvalid, match="at least 32") as short:
        Settings.load(results_dir=tmp_path, signing_key="hunter2")
    assert "hunter2" not in str(short.value)
    with pytest.raises(SettingsInvalid, match="without signing_key"):
        Settings.load(results_dir=tmp_path, signing_key="")
    assert Settings.load(results_dir=tmp_path, signing_key=SECRET).results_dir == tmp_path


def test_a_shared_folder_takes_the_place_of_the_state_directory(shelf: Shelf, tmp_path: Path) -> None:
    shared = {"results_dir": tmp_path / "shared", "signing_key": SECRET}
    shelf.run(**shared).keep(VERIFICATION, JOBS, ended())
    assert len(list((tmp_path / "shared").glob("*.json"))) == 1
    assert shelf.files() == []
    assert Shelf(tmp_path / "other").run(**shared).find(VERIFICATION, JOBS) is not None


def test_settings_that_nobody_checked_share_nothing_without_a_key(shelf: Shelf, tmp_path: Path) -> None:
    unchecked = Settings(state_dir=shelf.folder, results_dir=tmp_path / "shared")
    runs = KeptRuns(unchecked, "run-1", facts=lambda: FACTS, warn=shelf.warnings.append)
    runs.keep(VERIFICATION, JOBS, ended())
    assert not (tmp_path / "shared").exists()


def test_an_engine_that_is_gone_costs_no_result(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())

    def gone() -> EngineFacts:
        raise EngineUnavailable("no engine answers")

    runs = KeptRuns(Settings.load(state_dir=shelf.folder / "state"), "run-2", facts=gone, warn=shelf.warnings.append)
    assert runs.find(VERIFICATION, JOBS) is None
    runs.keep(VERIFICATION, JOBS, ended())
    runs.forget(VERIFICATION, JOBS)
    assert len(shelf.files()) == 1


def test_a_folder_that_cannot_be_written_costs_a_warning_and_no_run(shelf: Shelf) -> None:
    (shelf.folder / "state").mkdir()
    (shelf.folder / "state" / "runs-kept").write_text("a file")
    shelf.run().keep(VERIFICATION, JOBS, ended())
    assert "could not be kept" in shelf.warnings[0]


def test_what_would_not_come_back_as_it_was_is_not_kept(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended(changed_paths=("not \udcff text",)))
    found = shelf.run().find(VERIFICATION, JOBS)
    assert shelf.warnings == []
    assert found is None or found.record.changed_paths == ("not \udcff text",)


def test_a_container_of_mutants_that_was_lost_is_not_kept(shelf: Shelf) -> None:
    from refute.adversary.strength.trial import VariantRun, VariantRuns

    runs = (VariantRun(name="1", tests=(make_run("test_a", TestEnd.PASSED),), tampering=()),)
    whole = KeptMutants(probe="test_import_1", containers=(VariantRuns(runs=runs),))
    shelf.run().keep(MUTANTS, JOBS, whole)
    found = shelf.run().find(MUTANTS, JOBS)
    assert found is not None
    assert found.record == whole
    shelf.run().keep(MUTANTS, JOBS, replace(whole, containers=(VariantRuns(runs=(), lost="gone"),)))
    assert shelf.run().find(MUTANTS, JOBS) is None


def folder_of(path: Path, *, max_bytes: int = 10_000, max_age_s: float = 100.0) -> KeptFolder:
    return KeptFolder(path, secret=None, max_age_s=max_age_s, max_bytes=max_bytes)


def entry(key: str, size: int = 10) -> Entry:
    return Entry(kind="verify", key=key, run_id="r", made_at=datetime.now(UTC), record="x" * size)


def test_a_sweep_removes_what_is_too_old_or_half_written_and_the_oldest_beyond_the_bound(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    for age_s, name in enumerate(["newest", "newer", "older", "oldest"]):
        folder.put(entry(name, 4_000))
        os.utime(folder.file("verify", name), (time.time() - age_s,) * 2)
    folder.put(entry("expired"))
    os.utime(folder.file("verify", "expired"), (0, 0))
    (tmp_path / ".new-killed").write_text("half")
    os.utime(tmp_path / ".new-killed", (0, 0))
    (tmp_path / ".new-now").write_text("half")
    (tmp_path / ".verify-x.json.lock").touch()
    os.utime(tmp_path / ".verify-x.json.lock", (0, 0))
    folder.sweep()
    stay = {"verify-newest.json", "verify-newer.json", ".new-now", LOCK}
    assert {path.name for path in tmp_path.iterdir()} == stay


def test_what_is_needed_stays_whatever_its_age_and_the_bound(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, max_bytes=1)
    for age_s, name in ((500, "needed"), (700, "not")):
        folder.put(entry(name))
        os.utime(folder.file("verify", name), (time.time() - age_s,) * 2)
    folder.sweep(needed_since=time.time() - 600)
    assert [path.name for path in tmp_path.glob("*.json")] == ["verify-needed.json"]
    folder.sweep()
    assert list(tmp_path.glob("*.json")) == []


def test_while_one_sweeps_nobody_else_does(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, max_bytes=1)
    folder.put(entry("a"))
    with FileLock(tmp_path / LOCK):
        folder.sweep()
        assert folder.file("verify", "a").exists()
    folder.sweep()
    assert not folder.file("verify", "a").exists()


def test_a_run_sweeps_once(shelf: Shelf) -> None:
    run = shelf.run(results_max_bytes=1)
    run.keep(VERIFICATION, JOBS, ended())
    assert shelf.files() == []
    run.keep(VERIFICATION, JOBS, ended())
    assert len(shelf.files()) == 1


def test_what_is_too_large_is_not_kept(shelf: Shelf) -> None:
    shelf.run().keep(VERIFICATION, JOBS, ended())
    shelf.run().keep(VERIFICATION, JOBS, ended(stdout="x" * 17_000_000))
    assert shelf.files() == []


def test_many_may_write_and_read_the_same_run_at_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    seen: list[object] = []

    def work() -> None:
        for _ in range(30):
            folder.put(entry("k", 50_000))
            kept = folder.get("verify", "k")
            seen.append(kept.record if kept else None)

    crew = [threading.Thread(target=work) for _ in range(4)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert seen == ["x" * 50_000] * 120
