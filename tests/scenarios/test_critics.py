"""S260: critics by a local Gemini: a brilliant, a wrong, a noisy and a broken one, on right and wrong code."""

import json
import time

import pytest

from refute.critics.focus import Focus
from refute.critics.record import ReviewVerdict, Standing
from refute.outcome import Status
from tests.fakes.gemini.server import no_failures
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer
from tests.fakes.prefect_api import asked as asked_of

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

CLAIM = "halves(total) returns two integers whose sum is total; the first is never smaller than the second."
RIGHT = {"slug.py": "def halves(total: int) -> tuple[int, int]:\n    return total - total // 2, total // 2\n"}
WRONG = {
    "slug.py": "def halves(total: int) -> tuple[int, int]:\n"
    "    first = (abs(total) + 1) // 2\n    return first, abs(total) - first\n"
}
MILD = "def test_mild():\n    from slug import halves\n    assert halves(5) == (3, 2)\n"
QUOTE = "two integers whose sum is total"
HONEST = {
    "sum(halves(-3))": {"demand": "returns", "value": "-3"},
    "halves(5)": {"demand": "returns", "value": "(3, 2)"},
}
LENIENT = {"mutants": 0}


def says(code: str, severity: str = "major", evidence: str = "slug.py:2") -> Answer:
    example = {"promise": "C1", "quote": QUOTE, "code": f"def test_sum():\n    from slug import halves\n    {code}\n"}
    failure = {"severity": severity, "description": "negative totals lose their sign", "evidence": evidence}
    return json_answer({"verdict": "fail", "failures": [{**failure, **({"counterexample": example} if code else {})}]})


def is_about_a_remedy(asked: Asked) -> bool:
    return asked.system.startswith("A failure of a change was confirmed")


REAL = "assert sum(halves(-3)) == -3"
INVENTED = "assert sum(halves(-3)) == 3"


@pytest.fixture(autouse=True)
def answers(gemini):
    def respond(asked: Asked) -> Answer:
        if is_vote(asked):
            return votes(asked, HONEST)
        if is_about_a_remedy(asked):
            return json_answer({"remediation": "Keep the sign."})
        test = {"name": "test_mild", "claim_id": "C1", "quote": CLAIM, "category": "edge", "code": MILD}
        return json_answer({"tests": [] if "second round" in asked.text else [test]})

    gemini.respond = respond


def correctness(answer: Answer):
    """Only the critic of correctness says this, the others find nothing."""
    return lambda asked: answer if "the correctness critic" in asked.system else no_failures(asked)


def reviewed(ticket, attack, files, **settings):
    return attack(ticket(files=files, claims=[{"id": "C1", "text": CLAIM}]), **{**LENIENT, **settings})


def test_a_failure_that_its_test_shows_fails_the_review_and_gets_its_remedy_in_a_call_of_its_own(
    ticket, attack, gemini
):
    gemini.criticise = correctness(says(REAL))
    outcome = reviewed(ticket, attack, WRONG)
    assert outcome.status is Status.FAILED_REVIEW, outcome.reason
    assert "negative totals lose their sign" in outcome.reason
    assert [one.focus for one in outcome.reviews] == [Focus.CORRECTNESS, Focus.SPEC_COMPLIANCE]
    (failure,) = outcome.reviews[0].failures
    assert failure.standing is Standing.CONFIRMED
    assert "assert sum(halves(-3)) == -3" in outcome.critics_tests
    assert failure.remediation == "Keep the sign."
    assert sum(map(is_about_a_remedy, gemini.asked)) == 1
    completed, failed = events_of(outcome)
    assert (completed["event"], failed["event"]) == ("refute.subtask.completed", "refute.subtask.failed")
    assert failed["payload"]["ticket"] == "TCK-1"
    assert [one["confirmed"] for one in failed["payload"]["reviews"]] == [1, 0]


def events_of(outcome) -> list[dict]:
    """Of this run, in order, once the server has them all."""
    api_url = outcome.flow_run_url.partition("/flow-runs/")[0] + "/api"
    wanted = {"filter": {"event": {"prefix": ["refute.subtask."]}, "order": "DESC"}, "limit": 50}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        told = asked_of(api_url, "POST", "/events/filter", wanted)["events"]
        ours = [one for one in told if one["payload"]["run_id"] == outcome.run_id]
        if len(ours) > 1:
            return ours[::-1]
        time.sleep(0.5)
    return ours


@pytest.mark.parametrize(
    ("answer", "status", "standing"),
    [
        pytest.param(
            says(INVENTED), Status.PASS_WEAK, Standing.UNCONFIRMED, id="its test expects what nobody promised"
        ),
        pytest.param(says(REAL), Status.PASS_WEAK, Standing.UNCONFIRMED, id="its test passes"),
        pytest.param(says(REAL, evidence="slug.py:99"), Status.PASS_WEAK, Standing.WITHOUT_EVIDENCE, id="no such line"),
        pytest.param(says("", "critical"), Status.INCONCLUSIVE, Standing.UNCONFIRMED, id="grave, without a test"),
        pytest.param(says(REAL, "critical"), Status.INCONCLUSIVE, Standing.UNCONFIRMED, id="grave, its test passes"),
        pytest.param(
            says("__import__('os').system('id')"), Status.PASS_WEAK, Standing.UNCONFIRMED, id="its test is dangerous"
        ),
    ],
)
def test_opinion_fails_no_right_code(ticket, attack, gemini, answer, status, standing):
    gemini.criticise = correctness(answer)
    outcome = reviewed(ticket, attack, RIGHT)
    assert outcome.status is status, outcome.reason
    assert outcome.reviews[0].failures[0].standing is standing
    assert not any(map(is_about_a_remedy, gemini.asked))


def test_what_two_critics_name_goes_to_a_person(ticket, attack, gemini):
    gemini.criticise = lambda _: says("")
    outcome = reviewed(ticket, attack, RIGHT)
    assert outcome.status is Status.INCONCLUSIVE
    assert outcome.reason.startswith("a person must judge what critics say")


def test_without_a_readable_answer_no_ticket_passes(ticket, attack, gemini):
    gemini.criticise = correctness(json_answer({"verdict": "splendid"}))
    outcome = reviewed(ticket, attack, RIGHT)
    assert outcome.status is Status.INCONCLUSIVE
    assert "no ticket passes without its critics: correctness" in outcome.reason
    assert outcome.reviews[0].verdict is ReviewVerdict.UNAVAILABLE
    assert sum("the correctness critic" in one.system for one in gemini.asked) == 3


def test_critics_alone_by_command_and_what_they_said_lately(ticket, cli, gemini, tmp_path):
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
    assert "no model criticised: ruff, bandit and mypy read the code" in keyless.stdout
    status = json.loads(cli("critics", "status", "--format", "json").stdout)
    counted = {one["focus"]: one for one in status["by_focus"]}
    assert counted["correctness"]["fail"] >= 1
    assert counted["correctness"]["tokens_each"] > 0
    assert "performance" in cli("critics", "status").stdout
