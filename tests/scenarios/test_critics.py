"""S260, S360: critics by a local Gemini: a brilliant, a wrong, a noisy and a broken one, on right and wrong code."""

import json
from pathlib import Path
from typing import Any

import pytest

from refute.critics.focus import CriticsSettings, Focus
from refute.critics.record import ReviewVerdict, ReworkEnd, Standing
from refute.outcome import Status
from tests.fakes.gemini.reviewers import (
    CLAIM,
    INVENTED,
    REAL,
    RIGHT,
    WRONG,
    correctness,
    is_about_a_remedy,
    mild,
    says,
)
from tests.fakes.gemini.server import no_failures
from tests.fakes.gemini.wire import Answer, Asked, json_answer
from tests.fakes.prefect_api import asked as asked_of
from tests.fakes.waiting import wait_for

pytestmark = pytest.mark.engine

LENIENT = {"mutants": 0}
FAILED = "refute.subtask.failed"


@pytest.fixture(autouse=True)
def answers(gemini):
    gemini.respond = mild


def reviewed(ticket, attack, files, **settings):
    return attack(ticket(files=files, claims=[{"id": "C1", "text": CLAIM}]), **{**LENIENT, **settings})


MEND = "import pathlib\npathlib.Path('slug.py').write_text({code!r})\n"


def reworking(code: str, **settings: Any) -> CriticsSettings:
    """The command of an operator: a program of Python's, in the sandbox."""
    return CriticsSettings(rework_command=("python", "-c", code), **settings)


@pytest.mark.prefect
def test_s260_s360_what_its_test_shows_fails_the_review_gets_its_remedy_and_a_rework_leaves_the_verdict(
    ticket, attack, gemini
):
    contradicts = json_answer({**json.loads(says(REAL).text), "verdict": "pass"})
    answers = iter([Answer(text="{"), contradicts])  # a malformed one is asked for again

    def criticise(asked: Asked) -> Answer:
        wrong = "the correctness critic" in asked.system and "abs(total)" in asked.text
        return next(answers) if wrong else no_failures(asked)

    gemini.criticise = criticise
    outcome = reviewed(ticket, attack, WRONG, critics=reworking(MEND.format(code=RIGHT["slug.py"])))
    assert outcome.status is Status.FAILED_REVIEW, outcome.reason
    assert "negative totals lose their sign" in outcome.reason
    assert outcome.reviews[0].note == "said pass beside failures that come to fail: these count"
    assert [one.focus for one in outcome.reviews] == [Focus.CORRECTNESS, Focus.SPEC_COMPLIANCE]
    (failure,) = outcome.reviews[0].failures
    assert failure.standing is Standing.CONFIRMED
    assert "assert sum(halves(-3)) == -3" in outcome.critics_tests
    assert failure.remediation == "Keep the sign."
    assert sum(map(is_about_a_remedy, gemini.asked)) == 1
    (rework,) = outcome.reworks
    assert (rework.round, rework.end, rework.changed) == (2, ReworkEnd.PASSED_REVIEW, ("slug.py",))
    assert f"apply {rework.diff} and verify again" in outcome.reason
    assert Path(rework.folder, "slug.py").read_text() == RIGHT["slug.py"]
    assert {one.round for one in rework.reviews} == {2}
    told = events_of(outcome, 3)
    assert [(one["event"], one["payload"].get("round")) for one in told] == [
        ("refute.subtask.completed", None),
        (FAILED, 1),
        ("refute.subtask.reworked", 2),
    ]
    assert told[1]["payload"]["ticket"] == "TCK-1"
    assert [one["confirmed"] for one in told[1]["payload"]["reviews"]] == [1, 0]


def events_of(outcome, count: int) -> list[dict]:
    """Of this run, in order, once the server has as many."""
    api_url = outcome.flow_run_url.partition("/runs/")[0] + "/api"
    wanted = {"filter": {"event": {"prefix": ["refute.subtask."]}, "order": "DESC"}, "limit": 50}

    def ours() -> list[dict] | None:
        told = asked_of(api_url, "POST", "/events/filter", wanted)["events"]
        found = [one for one in told if one["payload"]["run_id"] == outcome.run_id]
        return found[::-1] if len(found) >= count else None

    return wait_for(ours)


OPINIONS = {
    "its test expects what nobody promised": (says(INVENTED), Standing.UNCONFIRMED),
    "its test passes": (says(REAL), Standing.UNCONFIRMED),
    "no such line": (says(REAL, evidence="slug.py:99"), Standing.WITHOUT_EVIDENCE),
    "its test is dangerous": (says("__import__('os').system('id')"), Standing.UNCONFIRMED),
}


def test_s260_opinion_fails_no_right_code(ticket, attack, gemini):
    failures = [json.loads(answer.text)["failures"][0] for answer, _ in OPINIONS.values()]
    gemini.criticise = correctness(json_answer({"verdict": "fail", "failures": failures}))
    outcome = reviewed(ticket, attack, RIGHT)
    assert outcome.status is Status.PASS_WEAK, outcome.reason
    assert [one.standing for one in outcome.reviews[0].failures] == [standing for _, standing in OPINIONS.values()]
    assert not any(map(is_about_a_remedy, gemini.asked))


def test_s360_without_a_readable_answer_no_ticket_passes(ticket, attack, gemini):
    gemini.criticise = correctness(json_answer({"verdict": "splendid"}))
    outcome = reviewed(ticket, attack, RIGHT)
    assert outcome.status is Status.INCONCLUSIVE
    assert "no ticket passes without its critics: correctness" in outcome.reason
    assert outcome.reviews[0].verdict is ReviewVerdict.UNAVAILABLE
    assert sum("the correctness critic" in one.system for one in gemini.asked) == 3


@pytest.mark.prefect
def test_s360_a_rework_that_critics_miss_to_be_wrong_still_fails_the_test_of_the_round_before(ticket, attack, gemini):
    answers = iter([says(REAL)])
    gemini.criticise = lambda asked: (
        next(answers, None) or no_failures(asked) if "the correctness critic" in asked.system else no_failures(asked)
    )
    useless = MEND.format(code=WRONG["slug.py"] + "# mended\n")
    outcome = reviewed(ticket, attack, WRONG, critics=reworking(useless))
    (rework,) = outcome.reworks
    assert rework.end is ReworkEnd.FAILED_REVIEW
    assert "negative totals lose their sign" in rework.reason
    assert [(one["event"], one["payload"].get("round")) for one in events_of(outcome, 4)][2:] == [
        ("refute.subtask.reworked", 2),
        (FAILED, 2),
    ]


def test_s360_what_is_no_rework_is_told_and_opinion_goes_to_a_person_all_the_same(ticket, attack, gemini):
    gemini.criticise = correctness(says("", "critical"))
    fails = reworking("raise SystemExit('no model')", rework_timeout_s=1)
    outcome = reviewed(ticket, attack, RIGHT, critics=fails)
    assert outcome.status is Status.INCONCLUSIVE
    assert [one.end for one in outcome.reworks] == [ReworkEnd.FAILED]
    assert "exited with 1" in outcome.reason
    assert "nobody was asked" in outcome.reason


# A person who upholds it: test_deployed.py.
@pytest.mark.prefect
def test_s360_a_person_at_the_terminal_dismisses_what_no_test_shows(ticket, cli, gemini, tmp_path):
    gemini.criticise = correctness(says("", "critical"))
    where = ticket(files=RIGHT, claims=[{"id": "C1", "text": CLAIM}])
    environment = {"REFUTE_GEMINI_FILE": str(tmp_path / "gemini.yaml"), "REFUTE_MUTANTS": "0"}
    arguments = ("verify", where, "--tester", "gemini", "--fresh", "--format", "json")
    ran = cli(*arguments, answer="y\ndismiss\n", **environment)
    assert ran.returncode == 11, ran.stderr
    outcome = json.loads(ran.stdout)
    assert outcome["reviews"][0]["failures"][0]["standing"] == Standing.DISMISSED
    assert any("dismissed by person at the terminal" in one for one in outcome["caveats"])
    audited = [json.loads(line) for line in (tmp_path / "cwd/logs/guardrails.jsonl").read_text().splitlines()]
    last = [one for one in audited if one["gate"] == "review"][-1]
    assert last["decision"] == "allow"


@pytest.mark.prefect
def test_s360_critics_alone_by_command_and_what_they_said_lately(ticket, cli, gemini, tmp_path):
    gemini.criticise = correctness(says(REAL))
    where = ticket(files=WRONG, claims=[{"id": "C1", "text": CLAIM}], more={"focus_areas": ["security"]})
    environment = {"REFUTE_GEMINI_FILE": str(tmp_path / "gemini.yaml")}
    ran = cli("critics", "run", where, "--tester", "gemini", "--fresh", **environment)
    assert ran.returncode == 10, ran.stderr
    assert "major, confirmed: slug.py:2: negative totals lose their sign" in ran.stdout
    assert "security: pass" in ran.stdout
    alone = cli("critics", "focus", "performance", where, "--tester", "gemini", "--fresh", **environment)
    assert (alone.returncode, "performance: pass" in alone.stdout) == (0, True), alone.stderr
    keyless = cli("critics", "run", where)
    assert "no model asked: ruff, bandit and mypy read the code" in keyless.stdout
    status = json.loads(cli("critics", "status", "--format", "json").stdout)
    counted = {one["focus"]: one for one in status["by_focus"]}
    assert counted["correctness"]["fail"] >= 1
    assert counted["correctness"]["tokens_each"] > 0
