"""Two versions of a ticket's code, asked the same in containers of their own, and what that says of claims."""

import pytest

from refute.outcome import ClaimVerdict, Status
from tests.scenarios.conftest import SLUG

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

COUNT = """
def count(words: list[str]) -> int:
    return len(words)
"""
CLAIMS = [
    {"id": "C1", "text": "slugify() is unchanged.", "unchanged": ["slugify"]},
    {"id": "C2", "text": "count() gives the same as `len`.", "same_as": {"count": "len"}},
]
BASE = {"base": "old"}


def test_what_answers_as_before_and_as_the_library_does_passes_without_a_model(ticket, attack):
    outcome = attack(
        ticket(files={"slug.py": SLUG + COUNT, "old/slug.py": SLUG}, claims=CLAIMS, more=BASE), tester="property"
    )
    assert [claim.verdict for claim in outcome.claims] == [ClaimVerdict.SURVIVED] * 2
    assert all(claim.independent_tests and claim.attested_tests for claim in outcome.claims)
    assert outcome.status in {Status.PASS, Status.PASS_WEAK}


def test_what_a_change_breaks_is_refuted_with_its_smallest_input_and_what_else_changed_is_shown(ticket, attack):
    now = SLUG.replace("[a-z0-9]+", "[a-z]+") + COUNT.replace("len(words)", "len(set(words))")
    outcome = attack(
        ticket(files={"slug.py": now, "old/slug.py": SLUG + COUNT}, claims=CLAIMS[:1], more=BASE), tester="property"
    )
    assert outcome.status is Status.FAILED_ADVERSARIAL
    assert outcome.failures[0].claim_violated == "C1"
    assert any("behaviour changed: count(" in caveat for caveat in outcome.caveats)


def test_code_that_knows_where_it_runs_cannot_change_what_the_version_before_answers(ticket, attack):
    forging = SLUG.replace('"-".join', '"_".join') + (
        "\nimport sys\nfor _module in list(sys.modules.values()):\n"
        "    if hasattr(_module, 'slugify'):\n        _module.slugify = slugify\n"
    )
    outcome = attack(
        ticket(files={"slug.py": forging, "old/slug.py": SLUG}, claims=CLAIMS[:1], more=BASE), tester="property"
    )
    assert outcome.status is Status.FAILED_ADVERSARIAL
