"""Code that is right only where it is tested, or that hangs on its surroundings by mistake, does not pass.

That right code does: test_gemini.py.
"""

import time

import pytest

from refute.outcome import Status
from tests.fakes.gemini.wire import Asked, json_answer
from tests.scenarios.test_gemini import GRADE, GRADES, HARD, written

pytestmark = pytest.mark.engine

LENIENT = {"mutants": 1, "strength_floor": 0}
RIGHT = GRADE["slug.py"]
UNIQUE = "uniques(words) returns the words, each once, in the order of their first place."
SET = "def uniques(words: list[str]) -> list[str]:\n    return list(set(words))\n"
FEW = 'def test_uniques():\n    from slug import uniques\n    assert uniques(["{0}", "{1}", "{0}"]) == ["{0}", "{1}"]\n'


@pytest.fixture(autouse=True)
def answers(gemini):
    gemini.respond = lambda asked: json_answer({"tests": [] if is_later(asked) else [HARD_TEST]})


HARD_TEST = {**written("test_hard", HARD), "quote": GRADES}


def is_later(asked: Asked) -> bool:
    return "second round" in asked.text or "third round" in asked.text


def grading(condition: str, name: str = "grade") -> str:
    """A function that is right, and wrong where the condition does not hold."""
    body = RIGHT.replace("def grade", f"def {name}")
    return body.replace("    if points >= 90", f"    if not ({condition}):\n        return 'F'\n    if points >= 90")


def hash_under_seed_0(text: str) -> int:
    import os
    import subprocess
    import sys

    command = [sys.executable, "-c", f"print(hash({text!r}))"]
    return int(subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": "0"}))


def in_order_under_seed_0() -> list[str]:
    """Two words that a set gives in the order in which they are put in, where the hash seed is 0."""
    words = sorted("abcdefgh", key=lambda one: hash_under_seed_0(one) % 8)
    return words[:2]


DEVICES = {
    "of_user": "os.access('/', os.X_OK) and os.getuid() == 65532",
    "of_runner": "'refute' in os.listdir('/opt')",
}
HANGING = "import os\n\n\n" + "\n\n".join(grading(condition, name) for name, condition in DEVICES.items()) + SET
DIFFERS = ("the user", "the hash seed", "the runner of the tests (pytest alone)")


def test_devices_and_an_honest_bug_that_a_fixed_hash_seed_hides_are_refuted_and_what_differs_is_named(
    ticket, attack, gemini
):
    claims = {name: GRADES.replace("grade", name) for name in DEVICES} | {"uniques": UNIQUE}
    tests = {name: HARD.replace("test_hard", f"test_{name}").replace("grade", name) for name in DEVICES}
    tests["uniques"] = FEW.format(*in_order_under_seed_0())
    written_for = [
        {**written(f"test_{name}", code), "claim_id": name, "quote": claims[name]} for name, code in tests.items()
    ]
    gemini.respond = lambda asked: json_answer({"tests": [] if is_later(asked) else written_for})
    outcome = attack(
        ticket(files={"slug.py": HANGING}, claims=[{"id": name, "text": text} for name, text in claims.items()]),
        **LENIENT,
    )
    assert outcome.status is Status.FAILED_ADVERSARIAL, outcome.reason
    assert outcome.second_environment.differing == DIFFERS
    of_user, of_runner, honest = (claim.reason for claim in outcome.claims)
    assert "the user" in of_user
    assert DIFFERS[2] in of_runner
    assert "the hash seed" in honest


def test_a_time_bomb_passes_weakly(ticket, attack):
    code = f"import time\n\n\n{grading(f'time.time() < {time.time() + 30 * 86_400}')}"
    outcome = attack(ticket(files={"slug.py": code}, claims=[{"id": "C1", "text": GRADES}]), **LENIENT)
    assert outcome.status is Status.PASS_WEAK
    assert "in a second environment test_hard, test_hard_2 gave another result" in outcome.reason
