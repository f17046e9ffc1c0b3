"""Critics that a local Gemini plays, about one small module in a right and a wrong version."""

from collections.abc import Callable

from tests.fakes.gemini.server import no_failures
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer

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
REAL = "assert sum(halves(-3)) == -3"
INVENTED = "assert sum(halves(-3)) == 3"


def says(code: str, severity: str = "major", evidence: str = "slug.py:2") -> Answer:
    """A failure; without code there is no test that would show it."""
    example = {"promise": "C1", "quote": QUOTE, "code": f"def test_sum():\n    from slug import halves\n    {code}\n"}
    failure = {"severity": severity, "description": "negative totals lose their sign", "evidence": evidence}
    return json_answer({"verdict": "fail", "failures": [{**failure, **({"counterexample": example} if code else {})}]})


def is_about_a_remedy(asked: Asked) -> bool:
    return asked.system.startswith("A failure of a change was confirmed")


def mild(asked: Asked) -> Answer:
    """Writes a test that notices nothing, votes honestly, and has a remedy."""
    if is_vote(asked):
        return votes(asked, HONEST)
    if is_about_a_remedy(asked):
        return json_answer({"remediation": "Keep the sign."})
    test = {"name": "test_mild", "claim_id": "C1", "quote": CLAIM, "category": "edge", "code": MILD}
    return json_answer({"tests": [] if "second round" in asked.text else [test]})


def correctness(answer: Answer) -> Callable[[Asked], Answer]:
    """Only the critic of correctness says this, the others find nothing."""
    return lambda asked: answer if "the correctness critic" in asked.system else no_failures(asked)
