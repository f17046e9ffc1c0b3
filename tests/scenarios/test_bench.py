"""S220: `refute bench` with a model and the built-in tester together, through everything that is real."""

import json
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

CLAIM = "half(n) is n divided by two, rounded down, for every whole number n."
PROGRAM = {
    "id": "half",
    "entry_point": "half",
    "claims": [CLAIM],
    "correct": "def half(n: int) -> int:\n    return n // 2\n",
    "wrong": "def half(n: int) -> int:\n    return int(n / 2)\n",
}
TEST = {
    "name": "test_below_zero",
    "claim_id": "C1",
    "quote": "rounded down, for every whole number",
    "category": "edge",
    "code": "def test_below_zero():\n    assert half(-3) == -2\n",
}
VOTES = {"half(-3)": {"demand": "returns", "value": "-2"}}


FOUND = {
    "severity": "critical",
    "description": "negative numbers are rounded towards zero",
    "evidence": "half.py:2",
    "counterexample": {
        "promise": "C1",
        "quote": "rounded down",
        "code": "def test_down():\n    from half import half\n    assert half(-3) == -2\n",
    },
}


def respond(asked: Asked) -> Answer:
    if is_vote(asked):
        return votes(asked, VOTES)
    return json_answer({"preamble": "from half import half", "tests": [TEST]})


def test_s220_two_testers_are_measured_and_no_report_takes_it_for_failing_tickets(cli, settings, tmp_path: Path):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(PROGRAM) + "\n")
    with GeminiServer(respond) as server:
        server.criticise = lambda _: json_answer({"verdict": "fail", "failures": [FOUND]})
        environment = {
            "GOOGLE_APPLICATION_CREDENTIALS": str(server.write_credentials(tmp_path)),
            "REFUTE_GEMINI_FILE": str(server.write_settings(tmp_path)),
            "REFUTE_COSTS_CSV": str(settings.costs_csv),
            "REFUTE_MUTANTS": "0",
        }
        done = cli(
            "bench", path, "--tester", "gemini,property", "--critics", "--again", "--format", "json", **environment
        )
    assert done.returncode == 0, done.stderr
    scored = json.loads(done.stdout)
    assert scored["refuted"]["hits"] == scored["refuted"]["trials"] == 1
    assert (scored["programs"][0]["by"], scored["false_fail"]["hits"], scored["no_outcome"]) == ("model", 0, 0)
    for critic in scored["critics"]:  # it says the same of both versions; its test fails on the wrong one alone
        assert (critic["precision"]["hits"], critic["precision"]["trials"], critic["recall"]["trials"]) == (1, 1, 1)
        assert (critic["opinions"]["hits"], critic["opinions"]["trials"]) == (1, 2)
    assert {one["focus"] for one in scored["critics"]} == {"correctness", "spec_compliance"}
    assert {one["tester"] for one in scored["rounds"]} == {"gemini", "property"}
    outcomes = [one for one in Ledger.open(settings).outcomes() if one.run_id.startswith("bench-gemini-property-")]
    ids = ",".join(one.ticket_id for one in outcomes)
    assert len(outcomes) >= 2
    default = cli("report", "--json", *(f"--ticket={one}" for one in ids.split(",")))
    only = cli("report", "--json", "--bench", *(f"--ticket={one}" for one in ids.split(",")))
    assert json.loads(default.stdout)["totals"]["runs"] == 0
    assert json.loads(only.stdout)["totals"]["runs"] == len(outcomes)
