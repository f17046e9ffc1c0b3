"""S250 for batches: a list that waits is asked about in the Prefect UI; an answer is for all of it, silence none."""

from contextlib import closing
from pathlib import Path

import pytest

from refute.approval import Answered
from refute.ledger.batches import Batches
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from tests.fakes.deployed import Deployed
from tests.fakes.form import PERSON, fill_in, form_of, submit
from tests.scenarios.conftest import WRONG_SLUG, TicketFiles

pytestmark = [
    pytest.mark.engine,
    pytest.mark.prefect,
    pytest.mark.browser,
    pytest.mark.slow,
]
BATCH = "verify-batch/batch"


def batch_ended(deployed: Deployed, run_id: str, state: str) -> str:
    ended = deployed.ended(run_id)
    assert ended["state_name"] == state, ended["state"]
    return str(ended["state"]["message"])


def outcomes(deployed: Deployed, batch_id: str) -> dict[str, Outcome]:
    with closing(Ledger.open(Settings.load(state_dir=deployed.home / "state"))) as ledger:
        return {one.ticket_id: one for one in Batches(ledger).outcomes(batch_id)}


def test_s250_a_list_that_waits_outlasts_silence_and_goes_on_when_it_is_confirmed_in_the_browser(
    deployed: Deployed, tmp_path: Path
):
    TicketFiles(id="RIGHT").write(tmp_path / "RIGHT")
    TicketFiles(id="WRONG", files={"slug.py": WRONG_SLUG}).write(tmp_path / "WRONG")
    TicketFiles(id="DANGEROUS", script="rm -rf /\n").write(tmp_path / "DANGEROUS")
    opened = deployed.run(BATCH, {"source": str(tmp_path), "batch_id": "list-1", "approval": "pending"})
    assert "2 wait for an approval" in batch_ended(deployed, opened, "BLOCKED_DANGEROUS_SCRIPT")
    assert set(outcomes(deployed, "list-1")) == {"DANGEROUS"}, "what is blocked is not asked about"

    again = {"resume": "list-1", "approval": "ask"}
    silent = deployed.run(BATCH, again, REFUTE_FORM_TIMEOUT_S="1")
    assert "2 wait for an approval" in batch_ended(deployed, silent, "BLOCKED_DANGEROUS_SCRIPT")

    answered = deployed.run(BATCH, again)
    with form_of(deployed, "list-1") as browser:
        shown = browser.text()
        assert all(name in shown for name in ("RIGHT", "WRONG"))
        assert "DANGEROUS" not in shown
        assert "without an answer they go on waiting" in shown
        fill_in(browser, "confirm")
        submit(browser)
        batch_ended(deployed, answered, "BLOCKED_DANGEROUS_SCRIPT")
        pages = deployed.api_url.removesuffix("/api")
        browser.open(f"{pages}/runs/flow-run/{answered}", height=1000).wait_for("WRONG: FAILED_ADVERSARIAL")
    found = outcomes(deployed, "list-1")
    assert {name: one.status for name, one in found.items()} == {
        "RIGHT": Status.PASS_WEAK,  # its only evidence is the claim of its author
        "WRONG": Status.FAILED_ADVERSARIAL,
        "DANGEROUS": Status.BLOCKED_DANGEROUS_SCRIPT,
    }
    assert found["DANGEROUS"].confirmation is None
    kept = found["WRONG"].confirmation
    assert kept is not None
    assert (kept.answer, kept.by) == (Answered.CONFIRMED, f"{PERSON}, asked in the Prefect UI")
    assert kept.asked_at is not None
    assert kept.asked_at < found["DANGEROUS"].started_at, "it waits since the batch was opened"
