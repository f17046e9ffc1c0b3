"""`refute batch`: what is wrong on the command line is told before anything starts."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from flows import run
from flows.batch.result import BatchResult
from flows.commands.batch import _request, batch
from flows.request import settings_of
from refute.batch.tally import Tally
from refute.errors import LedgerUnavailable, RefuteError, UsageError
from refute.outcome import Status
from refute.settings import Settings
from tests.fakes.outcomes import fake_outcome

NOTHING = dict.fromkeys(("resume", "name", "since", "limit", "allow_dangerous"))
NOTHING |= {"yes": True, "labels": (), "only_failed": False, "fresh": False}


def request(source, settings: Settings, **options):
    return _request(source, {**NOTHING, **options}, settings)


RESUMED = {"resume": "latest"}
OF_TICKETS = [{"limit": 3}, {"labels": ("core",)}, {"name": "x"}, {"since": "7d"}]


@pytest.mark.parametrize(
    ("name", "options", "refused"),
    [
        ("nowhere", {}, pytest.raises(RefuteError, match="does not exist")),
        ("none", {}, pytest.raises(RefuteError, match=r"no ticket\.yaml")),
        ("a.txt", {}, pytest.raises(RefuteError, match="expected")),
        (None, {}, pytest.raises(UsageError, match="neither")),  # tickets or a batch to resume, and not both
        (".", RESUMED, pytest.raises(UsageError, match="both")),
        *((None, {**RESUMED, **option}, pytest.raises(UsageError, match="keeps the tickets")) for option in OF_TICKETS),
        ("one", {"allow_dangerous": Path("one/allowed.yaml")}, pytest.raises(UsageError, match="allow-file")),
    ],
)
def test_what_is_wrong_is_told_before_anything_starts(settings, tmp_path, monkeypatch, name, options, refused):
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "none"):
        (tmp_path / folder).mkdir()
    for file, text in (("a.txt", ""), ("one/ticket.yaml", ""), ("one/allowed.yaml", "- nonsense")):
        (tmp_path / file).write_text(text)
    with refused:
        request(name and tmp_path / name, settings, **options)


def test_fresh_is_asked_of_whoever_helps_too_and_the_other_options_of_this_process(tmp_path, monkeypatch):
    for name in ("ticket.yaml", "allow.yaml"):
        (tmp_path / name).write_text("")
    seen = []

    def remembered(request, settings, **_):
        seen.append((request, settings))
        raise UsageError("seen enough")

    monkeypatch.setattr(run, "run_batch", remembered)
    monkeypatch.chdir(tmp_path)
    given = "--fresh --allow-unpriced --tester gemini,property --max-cost 0.25 --mutants 5 --strength-floor 0.4"
    for options in ("", f"{given} --scan-allow-file allow.yaml"):
        CliRunner().invoke(batch, [str(tmp_path), "--yes", *options.split()])
    (plain, without), (fresh, used) = seen
    assert (plain.fresh, settings_of(plain).fresh, without.allow_unpriced) == (False, False, False)
    assert (fresh.fresh, settings_of(fresh).fresh, used.allow_unpriced) == (True, True, True)
    assert (used.tester, str(used.max_cost_usd), used.mutants) == ("gemini,property", "0.25", 5)
    assert (used.strength_floor, used.scan_allow_file) == (0.4, Path("allow.yaml"))


@pytest.mark.parametrize(
    ("is_open", "told"), [(True, "After that, go on with: refute batch --resume night --yes"), (False, "")]
)
def test_a_batch_that_infrastructure_ended_says_how_to_go_on_once_there_is_one(tmp_path, monkeypatch, is_open, told):
    def ended(request, settings, *, watcher):
        if is_open:
            watcher.opened("night", Tally(total=1))
        raise LedgerUnavailable("ledger x: the server closed the connection", hint="Look whether it answers.")

    (tmp_path / "ticket.yaml").write_text("")
    monkeypatch.setattr(run, "run_batch", ended)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(batch, [str(tmp_path), "--yes", "--name", "night"])
    assert isinstance(done.exception, LedgerUnavailable)
    assert done.exception.hint == "\n  ".join(filter(None, ("Look whether it answers.", told)))


def test_a_batch_in_which_something_failed_says_where_the_reproducers_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "ticket.yaml").write_text("")
    found = tmp_path / "state" / "runs" / "night"
    for status, shown in ((Status.PASS, False), (Status.FAILED_ADVERSARIAL, True)):
        tally = Tally(total=1)
        tally.add(fake_outcome("T-1", status=status))
        monkeypatch.setattr(run, "run_batch", lambda *_, tally=tally, **__: BatchResult(batch_id="night", tally=tally))
        monkeypatch.setattr("flows.batch.document.render_result", lambda *_, **__: "")
        found.mkdir(parents=True, exist_ok=True)
        done = CliRunner().invoke(batch, [str(tmp_path), "--yes", "--format", "junit"])
        assert (f"with reproducers: {found}" in done.stderr) is shown, done.output
