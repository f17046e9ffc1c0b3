"""S200: whatever the implementation does to its tests, no whole run of the pipeline lets a wrong claim stand."""

import pytest

from refute.outcome import ClaimVerdict, Status
from tests.scenarios.forgeries import FORGERIES, LIARS, RIGHT

pytestmark = pytest.mark.engine

CLAIMS = [{"id": "C1", "text": "answer() == 42"}]
QUICK = {"test_timeout_s": 3, "attack_timeout_s": 60, "memory_bytes": 512 * 1024**2}


def test_s200_the_right_answer_stands(ticket, verify):
    outcome = verify(ticket(files={"slug.py": RIGHT}, script="true\n", claims=CLAIMS), **QUICK)
    assert outcome.status is Status.PASS_WEAK, outcome.reason  # attacked by its author's own example


@pytest.mark.parametrize("name", FORGERIES)
def test_s200_a_forgery_never_lets_a_wrong_claim_stand(ticket, verify, name):
    forgery = FORGERIES[name]
    files = {"slug.py": forgery.code, **forgery.files}
    outcome = verify(ticket(files=files, script="true\n", claims=CLAIMS), **QUICK)
    assert outcome.status in forgery.ends, outcome.reason
    (claim,) = outcome.claims
    assert claim.verdict in {ClaimVerdict.REFUTED, ClaimVerdict.INCONCLUSIVE}


def test_s200_what_is_not_idempotent_is_refuted_and_objects_that_decide_their_own_comparison_speak_for_no_claim(
    ticket, verify
):
    code = "def shout(value: str) -> str:\n    return value + '!'\n" + "".join(LIARS.values())
    claims = [{"id": name, "text": f"{name}() is idempotent."} for name in ("shout", *LIARS)]
    outcome = verify(ticket(files={"slug.py": code}, script="true\n", claims=claims), **QUICK)
    honest, *liars = outcome.claims
    assert honest.verdict is ClaimVerdict.REFUTED, outcome.reason
    assert [(one.claim_id, one.attested_tests) for one in liars] == [(name, 0) for name in LIARS]
    assert {one.verdict for one in liars} <= {ClaimVerdict.SURVIVED, ClaimVerdict.INCONCLUSIVE}
