"""The bundled recordings: what `docs/gemini.md` has a newcomer try, without a model and without settings for one."""

import pytest

from refute.outcome import Status
from refute.settings import TesterName
from tests.fakes.gemini.examples import RECORDINGS, RIGHT, ROOT, WRONG

pytestmark = [pytest.mark.engine, pytest.mark.prefect]
STALE = "a prompt, the ticket or its code has changed? python -m tests.fakes.gemini.examples records anew"


@pytest.mark.parametrize(
    ("name", "status", "refuted"), [(RIGHT, Status.PASS_WEAK, []), (WRONG, Status.FAILED_ADVERSARIAL, ["C1", "C2"])]
)
def test_the_bundled_recordings_give_right_and_wrong_code_their_verdicts(verify, name, status, refuted):
    told = verify(ROOT / "examples" / "tickets" / name, tester=TesterName.REPLAY, replay_dir=RECORDINGS, mutants=0)
    assert told.status is status, f"{told.reason}; {STALE}"
    verdicts = {claim.claim_id: claim.verdict for claim in told.claims}
    assert [claim_id for claim_id, verdict in verdicts.items() if verdict == "refuted"] == refuted
    assert set(verdicts.values()) <= {"refuted", "survived"}
    assert sum(use.calls for use in told.models) == told.cost_usd == 0
    assert told.provenance.local_servers == ("http://127.0.0.1:8787",)  # a person's answers, not Gemini's
