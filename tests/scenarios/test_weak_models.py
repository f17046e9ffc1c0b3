"""Weak models as testers: no wrong code passes, and no right code is refuted by their mistakes."""

from dataclasses import dataclass
from typing import Any

import pytest

from refute.outcome import Status
from tests.fakes.gemini.voters import is_vote, votes
from tests.fakes.gemini.wire import Answer, Asked, json_answer

pytestmark = pytest.mark.engine

QUICK = {"mutants": 8, "strength_floor": 0.3}
"""A low floor: mutants alone shall not be what keeps wrong code from passing."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A module in a right and a wrong version, and what weak models write about its claim."""

    claim: str
    """Two clauses; the wrong version breaks the second."""
    right: str
    wrong: str
    ordinary: str
    """An assertion that holds for both versions."""
    lazy: str
    """One that says next to nothing."""
    mistaken: str
    """One that contradicts the claim, and fails on right code."""
    situation: str
    """Words of it, and what voters that share the mistake say."""
    misread: str
    truth: str
    """What the claim demands there, as it is published."""
    breaking: tuple[str, str, str, str]
    """Of the second clause: original, replacement, behaviour, and the assertion that tells."""

    @property
    def importing(self) -> str:
        return f"from slug import {self.claim.partition('(')[0]}"

    @property
    def quotes(self) -> list[str]:
        return [part.strip(" .") for part in self.claim.split(";")[:2]]


SUBJECTS = {
    "clamp": Subject(
        claim="clamp(value, low, high) is the value within both bounds; clamp(5, 9, 1) raises ValueError.",
        right="def clamp(value, low, high):\n    if low > high:\n        raise ValueError('bounds')\n"
        "    return min(max(value, low), high)\n",
        wrong="def clamp(value, low, high):\n    return min(max(value, low), high)\n",
        ordinary="assert [clamp(n, 2, 4) for n in range(6)] == [2, 2, 2, 3, 4, 4]",
        lazy="assert isinstance(clamp(1, 0, 2), int)",
        mistaken="assert clamp(7, 2, 4) == 7",
        situation="clamp(7, 2, 4)",
        misread="7",
        truth="4",
        breaking=(
            "    return min(max(value, low), high)",
            "    return min(max(value, low), max(low, high))",
            "with bounds in the wrong order a value comes back",
            "assert clamp(5, 9, 1) == 1",
        ),
    ),
    "first": Subject(
        claim="firsts(items) gives each item once, at its first place; it leaves the list as it was.",
        right="def firsts(items):\n    return list(dict.fromkeys(items))\n",
        wrong="def firsts(items):\n    found = list(dict.fromkeys(items))\n    items[:] = found\n    return found\n",
        ordinary="assert firsts([3, 1, 3, 2, 1]) == [3, 1, 2]",
        lazy="assert len(firsts([1, 2])) > 0",
        mistaken="assert firsts([3, 1, 3]) == [1, 3]",
        situation="firsts([3, 1, 3])",
        misread="[1, 3]",
        truth="[3, 1]",
        breaking=(
            "list(dict.fromkeys(items))",
            "(list(dict.fromkeys(items)), items.clear())[0]",
            "the list that was given is empty afterwards",
            "given = [1, 1]; firsts(given); assert given == [1, 1]",
        ),
    ),
}


def suite_of(subject: Subject, *assertions: str) -> dict[str, Any]:
    """Tests that quote both clauses, and assert the same for each."""
    tests = [
        {
            "name": f"test_{number}_{place}",
            "claim_id": "C1",
            "quote": quote,
            "category": "edge",
            "derivation": "",
            "code": f"def test_{number}_{place}():\n    {line}\n",
        }
        for place, quote in enumerate(subject.quotes)
        for number, line in enumerate(assertions)
    ]
    return {"preamble": subject.importing, "tests": tests}


def planted(subject: Subject) -> dict[str, Any]:
    original, replacement, behaviour, tells = subject.breaking
    witness = "".join(f"    {line.strip()}\n" for line in (subject.importing, *tells.split(";")))
    edit = {"claim_id": "C1", "clause": 2, "module": "slug", "original": original, "replacement": replacement}
    return {"violations": [{**edit, "behaviour": behaviour, "witness": f"def test_w():\n{witness}"}]}


def answering(subject: Subject, assertions: tuple[str, ...], said: dict[str, dict[str, str]]):
    def respond(asked: Asked) -> Answer:
        if is_vote(asked):
            return votes(asked, said)
        later = "second round" in asked.text or "third round" in asked.text
        return json_answer({"tests": []} if later else suite_of(subject, *assertions))

    return respond


@pytest.mark.parametrize(("persona", "name"), [("lazy", "clamp"), ("happy path", "first")])
def test_a_model_that_looks_at_too_little_lets_no_wrong_code_pass(ticket, attack, gemini, persona, name):
    subject = SUBJECTS[name]
    gemini.respond = answering(subject, (subject.lazy if persona == "lazy" else subject.ordinary,), {})
    gemini.plant = lambda _: json_answer(planted(subject))
    claims = [{"id": "C1", "text": subject.claim}]
    outcome = attack(ticket(files={"slug.py": subject.wrong}, claims=claims), **QUICK)
    assert outcome.status is Status.PASS_WEAK, outcome.reason


@pytest.mark.parametrize(("voters", "name"), [("undecided", "clamp"), ("as mistaken", "first")])
def test_a_model_that_is_sure_and_wrong_refutes_no_right_code(ticket, attack, gemini, voters, name):
    subject = SUBJECTS[name]
    said = {"demand": "returns", "value": subject.misread}
    gemini.respond = answering(
        subject, (subject.mistaken, subject.ordinary), {subject.situation: said} if voters == "as mistaken" else {}
    )
    gemini.plant = lambda _: json_answer(planted(subject))
    claims = [{"id": "C1", "text": f"{subject.claim} `{subject.situation} == {subject.truth}`."}]
    outcome = attack(ticket(files={"slug.py": subject.right}, claims=claims), **QUICK)
    assert outcome.status in {Status.PASS_WEAK, Status.INCONCLUSIVE}, outcome.reason
