"""S160, S210, S220, S230: having Gemini write the attack, by the real client against a local server; no container."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from refute.case import CaseFile
from refute.closing import close
from refute.errors import ModelUnavailable, ModelUnpriced, SettingsInvalid
from refute.outcome import Provenance, Status, Stop
from refute.ports import Ports
from refute.settings import Settings
from refute.settings_fields import TesterName
from refute.stages.admission import take_snapshot
from refute.stages.evidence import Writing
from refute.stages.writing import write_tests
from tests.fakes.gemini.server import GeminiServer, one_after_the_other
from tests.fakes.gemini.wire import Answer, json_answer
from tests.fakes.tickets import fake_ticket
from tests.refute.stages.conftest import written_ticket

CLAIM = "double(x) returns twice its argument."
CODE = "def test_{0}():\n    from impl import double\n    assert double({0}) == {1}\n"
ABOUT = {"claim_id": "C1", "quote": CLAIM, "category": "edge"}
TESTS = {"tests": [{"name": f"test_{n}", "code": CODE.format(n, 2 * n), **ABOUT} for n in (1, 2, 3)]}
Write = Callable[..., Writing | Stop]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    """A local Gemini, with credentials for it in the environment."""
    with GeminiServer(lambda _: json_answer(TESTS, thinking_tokens=500)) as running:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(running.write_credentials(tmp_path)))
        yield running


@pytest.fixture
def configure(tmp_path: Path, server: GeminiServer) -> Callable[..., None]:
    """Write `gemini.yaml`, with changes."""

    def write(**changed: object) -> None:
        server.write_settings(tmp_path, **changed)

    write()
    return write


@pytest.fixture
def write(tmp_path: Path, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Write:
    """Have the tests of a small ticket written; keyword arguments are settings."""
    monkeypatch.setattr("refute.llm.metered.FIRST_WAIT_S", 0.01)
    code = 'def double(x: int) -> int:\n    """Twice."""\n    return x + x\n'
    loaded = written_ticket(tmp_path / "ticket", code=code, claims=[CLAIM], script="python -c 'import impl'\n")

    def run(**changed: object) -> Writing | Stop:
        own = {"state_dir": tmp_path / "state", "audit_path": tmp_path / "audit.jsonl", "tester": TesterName.GEMINI}
        ports = Ports(Settings.load(**{**own, "gemini_file": tmp_path / "gemini.yaml", **changed}), run_id="run-1")
        snapshot = take_snapshot(ports, loaded)
        assert not isinstance(snapshot, Stop)
        return write_tests(ports, loaded, snapshot)

    return run


def done(written: Writing | Stop) -> Writing:
    assert isinstance(written, Writing)
    return written


def test_s160_a_model_that_stays_down_is_no_verdict(write, server):
    server.respond = lambda _: Answer(status=500)
    with pytest.raises(ModelUnavailable, match="HTTP 500"):
        write()


@pytest.mark.parametrize(
    "answer",
    [Answer(text="I will not."), Answer(text='{"tests": [', finish="MAX_TOKENS"), Answer(prompt_blocked="SAFETY")],
)
def test_s160_unusable_answers_are_told_and_paid_for(write, server, answer):
    server.respond = lambda _: answer
    written = done(write())
    assert written.attack.tests == ()
    assert written.cost_usd
    assert any("unusable answer" in note for note in written.notes)


@pytest.mark.parametrize(
    "budget",
    [{"max_cost_usd": Decimal("0.01")}, {"month_budget_usd": Decimal("0.000001")}, {"month_budget_usd": Decimal(0)}],
)
def test_s210_what_does_not_fit_a_budget_is_not_sent(write, server, budget):
    stop = write(**budget)
    assert stop.status is Status.SKIPPED_BUDGET
    assert (server.asked, server.counted) == ([], 0)


def test_s210_requests_that_were_lost_before_the_budget_ended_it_are_in_the_ticket_s_cost(write, server):
    server.respond = lambda _: Answer(text="{}" * 999, cut=True)
    stop = write(max_cost_usd=Decimal("0.10"))
    assert (stop.status, len(server.asked)) == (Status.SKIPPED_BUDGET, 1)
    assert stop.cost_usd is not None
    assert Decimal("0.05") < stop.cost_usd < Decimal("0.10")
    case = CaseFile(ticket=fake_ticket("A claim."), run_id="run")
    with case.chain():
        case.keep(stop)
    assert close(case, Provenance(refute_version="1", tester="gemini")).cost_usd == stop.cost_usd


def test_s210_a_month_without_a_hard_stop_goes_on(write):
    assert done(write(month_budget_usd=Decimal("0.000001"), month_hard_stop=False)).attack.tests


@pytest.mark.parametrize(
    "change", [{"enterprise": False}, {"data_retention": "default"}, {"base_url": "https://gemini.example"}]
)
def test_s220_an_endpoint_that_may_keep_data_is_refused(write, server, configure, change):
    configure(**change)
    with pytest.raises(SettingsInvalid, match=next(iter(change))):
        write()
    assert (server.asked, server.counted) == ([], 0)


@pytest.mark.parametrize("caching_disabled", [False, None])
def test_s220_a_project_that_caches_is_refused(write, server, caching_disabled):
    server.caching_disabled = caching_disabled
    with pytest.raises(ModelUnavailable):
        write()
    assert (server.asked, server.counted) == ([], 0)


def test_s230_the_same_ticket_again_costs_nothing_and_says_so(write, server):
    first, second = done(write()), done(write())
    assert len(server.asked) == 2
    assert first.attack == second.attack
    assert first.cost_usd
    assert second.cost_usd == 0
    assert any("answers kept" in note and "ago" in note for note in second.notes)
    write(fresh=True)
    assert len(server.asked) == 4


def test_a_recording_plays_the_model_s_part(write, server, tmp_path):
    recorded = done(write(record_dir=tmp_path / "recorded"))
    played = done(write(tester=TesterName.REPLAY, replay_dir=tmp_path / "recorded"))
    assert [test.name for test in played.attack.tests] == [test.name for test in recorded.attack.tests]
    assert len(server.asked) == 2
    assert "tests come from recorded answers, at no cost" in played.notes
    assert not any("--fresh" in note for note in played.notes)


GARBAGE = [Answer(text="I am sorry, here are your tests: …"), Answer(text="{}"), json_answer({"tests": [{"name": 5}]})]


@pytest.mark.parametrize("garbage", GARBAGE)
def test_s160_s230_a_second_run_does_not_believe_the_garbage_of_the_first(write, server, garbage):
    server.respond = lambda _: garbage
    assert done(write()).attack.tests == ()
    asked = len(server.asked)
    server.respond = lambda _: json_answer(TESTS)
    second = done(write())
    assert second.attack.tests
    assert len(server.asked) > asked
    assert not any("kept" in note for note in second.notes)


def test_a_recording_of_a_model_that_began_with_garbage_plays_as_it_went(write, server, tmp_path):
    server.respond = one_after_the_other([GARBAGE[0], json_answer(TESTS)])
    recorded = done(write(record_dir=tmp_path / "recorded"))
    played = done(write(tester=TesterName.REPLAY, replay_dir=tmp_path / "recorded"))
    assert [test.name for test in played.attack.tests] == [test.name for test in recorded.attack.tests] != []


def test_a_replay_needs_a_recording(write, tmp_path):
    with pytest.raises(SettingsInvalid, match="--record DIR"):
        write(tester=TesterName.REPLAY, replay_dir=tmp_path / "none")


def test_a_model_without_a_price_is_asked_only_by_leave_and_its_cost_is_unknown_never_0(write, server, configure):
    configure(models={"flash": "gemini-99"})
    with pytest.raises(ModelUnpriced, match="--allow-unpriced"):
        write()
    assert (server.asked, server.counted) == ([], 0)
    written = done(write(allow_unpriced=True))
    assert written.cost_usd is None
    assert written.models[0].input_tokens > 0


def test_s160_where_the_model_stays_down_the_property_tester_stands_alone(write, server):
    server.respond = lambda _: Answer(status=500)
    written = done(write(tester="gemini,property"))
    assert written.attack.tester == "property"
    assert "gemini gave no tests, the property tester alone attacked" in written.notes[0]


@pytest.mark.parametrize("tester", ["gemini,gemini", "gemini,replay", "nobody", ""])
def test_testers_that_make_no_sense_are_refused(write, tester):
    with pytest.raises(SettingsInvalid, match="tester"):
        write(tester=tester)
