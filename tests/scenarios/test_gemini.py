"""S080, S090, S160, S230: Gemini writes the attack: real client, real HTTP, real engine, a local server.

What a failing model, a spent budget or a refused endpoint means is tested without containers: stages/test_writing.py.
"""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Status
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer
from tests.scenarios.conftest import SLUG, WRONG_SLUG

pytestmark = pytest.mark.engine

WRONG = {"slug.py": 'def slugify(text: str) -> str:\n    """Slug."""\n    return "_".join(text.lower().split())\n'}
RIGHT = {"slug.py": 'def slugify(text: str) -> str:\n    """Slug."""\n    return "-".join(text.lower().split())\n'}
CLAIM = 'slugify("Hello World") returns "hello-world".'


def written(name: str, code: str) -> dict[str, str]:
    return {"name": name, "claim_id": "C1", "quote": CLAIM, "category": "edge", "code": code}


SHARP = {
    "preamble": "from slug import slugify",
    "tests": [
        written("test_words", 'def test_words():\n    assert slugify("Hello World") == "hello-world"\n'),
        written("test_three", 'def test_three():\n    assert slugify("A b C").count("-") == 2\n'),
        written("test_text", 'def test_text():\n    assert type(slugify("x")) is str\n'),
    ],
}


HONEST = {
    "'Hello World'": {"demand": "returns", "value": "'hello-world'"},
    "count": {"demand": "returns", "value": "2"},
}
LYING = {"count": {"demand": "returns", "value": "0"}}


def claims_then_nothing(asked: Asked) -> Answer:
    """Sharp tests in round one, none in the others; honest votes."""
    if is_vote(asked):
        return votes(asked, HONEST)
    return json_answer({"tests": []} if "second round" in asked.text else SHARP, thinking_tokens=500)


@pytest.fixture(autouse=True)
def answers(gemini: GeminiServer) -> None:
    """What the local Gemini says until told otherwise."""
    gemini.respond = claims_then_nothing


@pytest.mark.prefect
def test_s210_a_ticket_over_its_max_cost_exits_14_and_says_what_would_help(ticket, cli, gemini, tmp_path):
    costly = cli(
        *("verify", ticket(files=RIGHT, claims=[{"id": "C1", "text": CLAIM}]), "--yes", "--tester", "gemini"),
        *("--max-cost", "0.000001", "--fresh"),  # answers that another test keeps cost nothing
        REFUTE_GEMINI_FILE=str(tmp_path / "gemini.yaml"),
    )
    assert costly.returncode == 14, costly.stderr
    assert "SKIPPED_BUDGET" in costly.stdout
    assert "--max-cost" in costly.stdout + costly.stderr
    assert gemini.asked == []


def audited(folder: Path) -> list[str]:
    return [json.loads(line)["gate"] for line in (folder / "audit.jsonl").read_text().splitlines()]


def test_s080_s090_gemini_refutes_and_its_cost_is_on_record(ticket, attack, gemini, settings, tmp_path):
    outcome = attack(ticket(files=WRONG, claims=[{"id": "C1", "text": CLAIM}]))
    assert outcome.status is Status.FAILED_ADVERSARIAL, outcome.reason
    assert {failure.tester for failure in outcome.failures} == {"gemini"}
    assert {failure.test_name for failure in outcome.failures} == {"test_words", "test_three"}
    (used,) = outcome.models
    assert (used.calls, used.thinking_tokens) == (4, 1000)
    assert [(one.written, one.accepted, one.refuting) for one in outcome.rounds] == [(3, 3, 2), (0, 0, 0)]
    assert outcome.cost_usd == used.cost_usd > Decimal("0.00375")
    (stored,) = Ledger.open(settings).outcomes(run_id=outcome.run_id)
    assert stored.cost_usd == outcome.cost_usd
    assert audited(tmp_path).count("model_call") == 4
    assert audited(tmp_path).count("retention") == 1
    assert "slugify" in gemini.asked[0].text
    assert "split" not in gemini.asked[0].text
    assert "split" in gemini.asked[1].text


def test_s190_votes_without_code_decide_what_a_failing_test_of_a_model_means(ticket, attack, gemini):
    gemini.respond = lambda asked: votes(asked, LYING) if is_vote(asked) else claims_then_nothing(asked)
    # A claim of its own, so that no other test finds these answers kept.
    told = attack(ticket(files=WRONG, claims=[{"id": "C1", "text": f"{CLAIM} Always."}]), tester="gemini,property")
    assert told.status is Status.FAILED_ADVERSARIAL  # the claim's own example needs no vote, whoever repeats it
    assert {failure.tester for failure in told.failures} == {"gemini", "property"}
    voters = [asked for asked in gemini.asked if is_vote(asked)]
    assert len(voters) == 2
    assert not any("hello_world" in asked.text for asked in voters)
    verdicts = {test.name: test.verdict for test in told.tests}
    assert (verdicts["test_words"], verdicts["test_three"]) == ("refuted", "invalid")


PROGRAM = {"implementation": ["add.py"], "script": "python add.py 1 2\n", "more": {"kind": "cli"}}
_FILE = """\
    out = tmp_path / "a b.txt"
    assert run("--out", str(out), "2", "4").returncode == 0
    assert out.read_text() == "6"
"""
ADD = '''"""Adds numbers."""
import argparse

parser = argparse.ArgumentParser(description="Adds numbers.")
parser.add_argument("numbers", nargs="*", type=float)
parser.add_argument("--out")
options = parser.parse_args()
text = str(sum(options.numbers))
open(options.out, "w").write(text) if options.out else print(text)
'''
SUM = "add.py prints the sum of its whole numbers as a whole number, or writes it to the file of --out."
RUN = """\
import subprocess
import sys


def run(*args):
    return subprocess.run([sys.executable, "add.py", *args], capture_output=True, text=True, timeout=10)
"""
OF_PROGRAM = {
    "preamble": RUN,
    "tests": [
        {"claim_id": "C1", "quote": words, "category": "edge", "name": name, "code": f"def {name}({given}):\n{code}"}
        for words, name, given, code in (
            (SUM[:50], "test_sum", "", '    assert run("1", "2").stdout.strip() == "3"\n'),
            ("writes it to the file of --out", "test_file", "tmp_path", _FILE),
            (SUM[:50], "test_words", "", '    done = run("one")\n    assert done.returncode == 2, done.stderr\n'),
            (SUM[:50], "test_other", "", '    assert subprocess.run(["ls"]).returncode == 0\n'),
        )
    ],
}
VOTES_ON_PROGRAM = {
    "strip": {"demand": "returns", "value": "'3'"},
    "read_text": {"demand": "returns", "value": "'6'"},
}


def test_a_program_is_attacked_through_arguments_output_exit_code_and_files(ticket, attack, gemini):
    def respond(asked: Asked) -> Answer:
        if is_vote(asked):
            return votes(asked, VOTES_ON_PROGRAM)
        return json_answer({"tests": []} if "second round" in asked.text else OF_PROGRAM)

    gemini.respond = respond
    outcome = attack(ticket(files={"add.py": ADD}, claims=[{"id": "C1", "text": SUM}], **PROGRAM))
    assert outcome.status is Status.FAILED_ADVERSARIAL, outcome.reason
    assert {failure.test_name for failure in outcome.failures} == {"test_sum", "test_file"}
    ends = {test.name: (test.verdict, test.reason) for test in outcome.tests}
    assert ends["test_words"][0] == "survived"
    assert ends["test_other"] == (None, "never runs add.py")
    assert "add_argument('numbers', nargs='*'" in gemini.asked[0].text


GRADE = {
    "slug.py": "def grade(points: int) -> str:\n"
    '    """Of an exam."""\n'
    "    if points >= 90:\n"
    '        return "A"\n'
    "    if points >= 50:\n"
    '        return "B"\n'
    '    return "C"\n'
}
GRADES = "grade(points) is A from 90 points on, B from 50 points on, and C below."
MILD = 'def test_mild():\n    from slug import grade\n    assert grade(95) == "A"\n'
HARD = (
    "def test_hard():\n    from slug import grade\n"
    '    assert [grade(points) for points in (0, 49, 50, 89, 90, 91)] == ["C", "C", "B", "B", "A", "A"]\n'
)


def test_s100_a_weak_attack_is_hardened_by_what_it_did_not_notice_and_then_makes_a_pass(ticket, attack, gemini):
    tests = {"third round": ("test_hard", HARD), "second round": None}

    def respond(asked: Asked) -> Answer:
        said = next((one for words, one in tests.items() if words in asked.text), ("test_mild", MILD))
        return json_answer({"tests": [{**written(*said), "quote": GRADES}] if said else []})

    gemini.respond = respond
    outcome = attack(ticket(files=GRADE, claims=[{"id": "C1", "text": GRADES}]), mutants=6, mutation_timeout_s=300)
    assert outcome.status is Status.PASS, outcome.reason
    assert outcome.second_environment.differing == outcome.second_environment.unclear == ()
    assert outcome.strength.hardened
    assert outcome.strength.killed == outcome.strength.n
    assert outcome.strength.killed_by_claims_only < outcome.strength.killed
    assert [(one.round, one.accepted) for one in outcome.rounds][-1] == ("hardening-1", 1)
    assert [stage.name for stage in outcome.stages][-5:] == [
        "strength",
        "harden",
        "second environment",
        "critics",
        "verdict",
    ]
    (shown,) = [asked for asked in gemini.asked if "third round" in asked.text]
    assert "+++ slug.py" in shown.text


BASKET = "total(prices) adds the prices; it leaves the list as it was."
SORTING = "def total(prices: list[int]) -> int:\n    prices.sort()\n    return sum(prices)\n"
SUMS = "def test_sums():\n    from slug import total\n    assert total([3, 1, 2]) == 6\n"
HALF = [written("test_sums", SUMS) | {"quote": "adds the prices"}]
HALF += [written("test_kept", SUMS.replace("sums", "kept")) | {"quote": "it leaves the list as it was"}]
KEEPS = (
    "def test_x():\n    from slug import total\n    prices = [3, 1]\n    total(prices)\n    assert prices == [3, 1]\n"
)
CLEARED = {
    "claim_id": "C1",
    "clause": 2,
    "module": "slug",
    "original": "    return sum(prices)",
    "replacement": "    result = sum(prices)\n    prices.clear()\n    return result",
    "behaviour": "the list is empty afterwards",
    "witness": KEEPS,
}


def test_a_clause_that_is_only_quoted_does_not_pass(ticket, attack, gemini):
    later = ("second round", "third round")
    gemini.respond = lambda asked: json_answer({"tests": [] if any(one in asked.text for one in later) else HALF})
    gemini.plant = lambda _: json_answer({"violations": [CLEARED]})
    claims = [{"id": "C1", "text": BASKET}]
    outcome = attack(ticket(files={"slug.py": SORTING}, claims=claims), strength_floor=0, mutants=4)
    assert outcome.status is Status.PASS_WEAK
    assert outcome.claims[0].open_clauses == ("it leaves the list as it was.",)
    assert [one.behaviour for one in outcome.strength.missed] == ["the list is empty afterwards"]
    assert 'no independent test attacks "it leaves the list as it was."' in outcome.reason
    (told,) = [asked for asked in gemini.asked if "third round" in asked.text]
    assert "the list is empty afterwards" in told.text


def test_the_previous_version_decides_about_claims_that_nothing_has_changed(ticket, attack, gemini):
    claims = [{"id": "C1", "text": "The results of slugify are unchanged."}]
    tests = [{**one, "quote": "The results of slugify are unchanged."} for one in SHARP["tests"]]
    gemini.respond = lambda asked: json_answer({**SHARP, "tests": tests if "second round" not in asked.text else []})
    files = {"slug.py": WRONG_SLUG, "earlier.py": SLUG}
    outcome = attack(ticket(files=files, claims=claims, more={"previous": "earlier.py"}), tester="gemini,property")
    assert outcome.status is Status.FAILED_ADVERSARIAL, outcome.reason
    assert not any(is_vote(asked) for asked in gemini.asked)
    assert {failure.tester for failure in outcome.failures} == {"gemini", "property"}
    assert sum("passes on the earlier version" in test.reason for test in outcome.tests) == 2
