"""The sweep: what is old or beyond the bounds goes, what is needed stays, and nothing outside is touched."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from refute import owner
from refute.owner import Owner
from refute.settings import Settings
from refute.sweep import LOCK, STAMP, Removed, Swept, sweep, sweep_if_due

DAY_S = 86_400
SIZE = 1_000


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An empty state directory."""
    (tmp_path / "state").mkdir()
    return Settings(state_dir=tmp_path / "state", max_cost_usd=Decimal(0))


def make(path: Path, *, days: float) -> Path:
    """A file whose last use was so many days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * SIZE)
    return age(path, days=days)


def age(path: Path, *, days: float) -> Path:
    os.utime(path, (time.time() - days * DAY_S,) * 2)
    return path


def evidence(settings: Settings, run: str, ticket: str, *, days: float) -> Path:
    """Evidence of a ticket that was written so many days ago."""
    path = settings.state_dir / "runs" / run / ticket
    make(path / "outcome.json", days=days)
    return age(path, days=days)


def changed(settings: Settings, **values: Any) -> Settings:
    return settings.model_copy(update=values)


def test_what_is_too_old_goes_from_every_place_and_is_counted(settings: Settings) -> None:
    state = settings.state_dir
    old = [
        make(state / "results" / "a.signed", days=8),
        make(state / "answers" / "b.signed", days=91),
        make(state / "snapshots" / "c.tar", days=8),
        evidence(settings, "r1", "T-1", days=31),
    ]
    young = [
        make(state / "results" / "d.signed", days=6),
        make(state / "answers" / "e.signed", days=89),
        make(state / "snapshots" / "f.tar", days=6),
        evidence(settings, "r2", "T-1", days=29),
    ]
    one = Removed(count=1, size_bytes=SIZE)
    swept = sweep(settings)
    assert swept == Swept(results=one, answers=one, snapshots=one, evidence=one)
    assert swept.words().startswith("removed 1 cached result (0.0 MB), 1 cached answer (0.0 MB), 1 snapshot")
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in young)
    assert not (state / "runs" / "r1").exists()
    assert sweep(settings).words() == ""


def test_beyond_the_bound_those_used_longest_ago_go(settings: Settings) -> None:
    results = settings.state_dir / "results"
    for days, name in enumerate(["newest", "newer", "older", "oldest"]):
        make(results / f"{name}.signed", days=days)
    sweep(changed(settings, results_max_bytes=2 * SIZE))
    assert sorted(path.name for path in results.iterdir()) == ["newer.signed", "newest.signed"]


def test_no_bound_takes_an_answer_that_was_used_today(settings: Settings) -> None:
    answers = settings.state_dir / "answers"
    for days, name in ((9, "before"), (0, "today")):
        make(answers / f"{name}.signed", days=days)
    sweep(changed(settings, kept_answers_max_bytes=0, kept_answers_max_age_s=0))
    assert [path.stem for path in answers.iterdir()] == ["today"]


def test_what_killed_processes_left_goes_after_an_hour(settings: Settings) -> None:
    answers = settings.state_dir / "answers"
    left = [make(answers / name, days=2) for name in (".new-left", ".answer-left.signed.lock")]
    now = [make(answers / name, days=0) for name in (".new-now", ".answer-now.signed.lock")]
    sweep(changed(settings, kept_answers_max_bytes=0))
    assert [path.exists() for path in (*left, *now)] == [False, False, True, True]


def test_links_lead_nowhere_and_foreign_files_of_a_shared_folder_stay(settings: Settings, tmp_path: Path) -> None:
    precious = make(tmp_path / "precious" / "a.signed", days=999)
    state = settings.state_dir
    (state / "snapshots").symlink_to(precious.parent)
    (state / "runs").mkdir()
    (state / "runs" / "linked").symlink_to(tmp_path)
    ticket = evidence(settings, "run", "T-1", days=999)
    (ticket / "linked").symlink_to(precious.parent)
    age(ticket, days=999)
    shared = make(tmp_path / "shared" / "thesis.odt", days=999)
    (shared.parent / "b.signed").symlink_to(precious)
    cached = make(shared.parent / "c.signed", days=999)
    sweep(changed(settings, results_dir=tmp_path / "shared"))
    assert precious.exists()
    assert shared.exists()
    assert not ticket.exists()
    assert not cached.exists()


def test_what_cannot_be_removed_keeps_nothing_else_from_going(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = settings.state_dir
    stuck = [make(state / "results" / "a.signed", days=9), make(state / "snapshots" / "a.tar", days=9)]
    loose = [make(state / "results" / "b.signed", days=8), evidence(settings, "r", "T-1", days=40)]
    unlink = Path.unlink

    def refuse(path: Path, **options: bool) -> None:
        if path in stuck:
            raise PermissionError
        unlink(path, **options)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert sweep(settings).results == Removed(count=1, size_bytes=SIZE)
    assert [path.exists() for path in (*stuck, *loose)] == [True, True, False, False]


def test_while_one_sweeps_nobody_else_does(settings: Settings) -> None:
    old = make(settings.state_dir / "results" / "a.signed", days=9)
    with FileLock(settings.state_dir / LOCK):
        assert sweep(settings) == Swept()
    assert old.exists()


def test_commands_sweep_once_an_hour(settings: Settings) -> None:
    old = settings.state_dir / "results" / "a.signed"
    swept = []
    for stamp_days in (None, 0, 1 / 23, -1):
        if stamp_days is not None:
            age(settings.state_dir / STAMP, days=stamp_days)
        make(old, days=9)
        sweep_if_due(settings)
        swept.append(not old.exists())
    assert swept == [True, False, True, True], "one from the future, where a clock was set back, does not count"


def test_where_nothing_was_ever_kept_nothing_is_made(tmp_path: Path) -> None:
    assert sweep_if_due(Settings(state_dir=tmp_path / "none")) == Swept()
    assert not (tmp_path / "none").exists()


def test_a_process_that_ended_is_gone_even_before_its_parent_has_looked():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    owner = replace(Owner.here(), pid=ended.pid, began="1")
    assert owner.is_gone()
    ended.wait()
    assert owner.is_gone()


def test_another_process_under_an_old_number_is_not_the_owner():
    assert replace(Owner.here(), began="12345").is_gone()


def test_a_process_whose_facts_are_hidden_lives_as_long_as_its_number_is_taken(monkeypatch):
    """`hidepid` of /proc hides the processes of other users."""
    monkeypatch.setattr(owner, "_began", lambda _: "")
    assert not Owner.here().is_gone()
    assert not replace(Owner.here(), began="12345").is_gone()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert replace(Owner.here(), pid=ended.pid).is_gone()


def test_numbers_of_processes_count_only_where_they_are_told_in_the_same_namespaces(monkeypatch):
    made = replace(Owner.here(), began="12345")
    monkeypatch.setattr(owner, "_namespace", {"pid": "1", "time": "2"}.__getitem__)
    assert not made.is_gone()
