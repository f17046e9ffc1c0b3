"""On a real server with all deployments: what waits is answered in its UI, and used-up budgets are told of.

S250, S360: the form approves exactly what it shows; of a batch the whole list, and silence none of it.
"""

import json
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from flows.batch.request import BatchRequest
from flows.budget_report import BudgetRequest, budget_report
from flows.orchestrator.attended import QUEUE
from flows.verify_batch import verify_batch
from refute.approval import Answered
from refute.ledger.batches import Batches
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.artifacts import artifact_key
from tests.fakes.browser import Browser
from tests.fakes.deployed import Deployed
from tests.fakes.form import PERSON, fill_in, form_of, submit
from tests.fakes.gemini.reviewers import CLAIM, RIGHT, correctness, mild, says
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.outcomes import fake_outcome
from tests.fakes.waiting import wait_for
from tests.fakes.webhook import WebhookReceiver
from tests.scenarios.conftest import REPOSITORY, WRONG_SLUG, TicketFiles

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

BATCH = "verify-batch/batch"
ASKING = ("verify-ticket/ad-hoc", "verify-batch/batch")
UNATTENDED = ("verify-batch/nightly", "verify-chunk/chunk", "budget-report/hourly")
PICTURES = os.environ.get("REFUTE_UPDATE_PICTURES")
"""Set: the pictures of docs/ are taken anew."""
HOSTILE = "# </code><script>alert(1)</script> ``` <img src=x onerror=alert(2)>\n"


def outcomes(deployed: Deployed, batch_id: str) -> dict[str, Outcome]:
    with closing(Ledger.open(Settings.load(state_dir=deployed.home / "state"))) as ledger:
        return {one.ticket_id: one for one in Batches(ledger).outcomes(batch_id)}


@pytest.mark.engine
@pytest.mark.browser
def test_s250_a_list_that_waits_outlasts_silence_and_goes_on_when_it_is_confirmed_in_the_browser(
    deployed: Deployed, tmp_path: Path
):
    TicketFiles(id="RIGHT").write(tmp_path / "RIGHT")
    TicketFiles(id="WRONG", files={"slug.py": WRONG_SLUG}).write(tmp_path / "WRONG")
    TicketFiles(id="DANGEROUS", script="rm -rf /\n").write(tmp_path / "DANGEROUS")
    opened = deployed.here(verify_batch, lambda: BatchRequest(source=tmp_path, batch_id="list-1", approval="pending"))
    assert opened.name == "BLOCKED_DANGEROUS_SCRIPT", opened
    assert "2 wait for an approval" in opened.message
    assert set(outcomes(deployed, "list-1")) == {"DANGEROUS"}, "what is blocked is not asked about"

    again = {"resume": "list-1", "approval": "ask"}
    silent = deployed.here(verify_batch, lambda: BatchRequest(**again), REFUTE_FORM_TIMEOUT_S="1")
    assert silent.name == "BLOCKED_DANGEROUS_SCRIPT", silent
    assert "2 wait for an approval" in silent.message

    answered = deployed.run(BATCH, again)
    with form_of(deployed.refute, "list-1") as browser:
        shown = browser.text()
        assert all(name in shown for name in ("RIGHT", "WRONG"))
        assert "DANGEROUS" not in shown
        assert "without an answer they go on waiting" in shown
        fill_in(browser, "confirm")
        submit(browser)
        ended = deployed.ended(answered)
        assert ended["state_name"] == "BLOCKED_DANGEROUS_SCRIPT", ended["state"]
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
    assert (kept.answer, kept.by) == (Answered.CONFIRMED, f"{PERSON}, asked in the Prefect UI")
    assert kept.asked_at is not None
    assert kept.asked_at < found["DANGEROUS"].started_at, "it waits since the batch was opened"


def keep_picture(browser: Browser, name: str) -> None:
    if PICTURES:
        browser.picture(REPOSITORY / "docs" / "pictures" / f"{name}.png")


def confirmations(deployed: Deployed, run_id: str) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in deployed.audit_path.read_text().splitlines()]
    mine = [line for line in lines if line["run_id"] == run_id and line["gate"] == "confirmation"]
    return [(line["decision"], line["reason"]) for line in mine]


@pytest.mark.engine
@pytest.mark.browser
def test_s250_a_person_confirms_in_the_browser_and_finds_the_failed_ticket_and_why(deployed: Deployed, tmp_path: Path):
    script = "set -euo pipefail\npython -c 'import slug'\n" + HOSTILE
    more = {"title": "Slugs <img src=x onerror=alert(3)>"}
    directory = TicketFiles(id="UI-1", script=script, files={"slug.py": WRONG_SLUG}, more=more).write(tmp_path / "UI-1")
    run_id = deployed.run("verify-ticket/ad-hoc", {"ticket": str(directory), "approval": "ask"})
    with form_of(deployed.refute, "UI-1") as browser:
        shown = browser.text()
        assert "python -c 'import slug'\n" + HOSTILE.strip() in shown
        assert "nothing dangerous found in 1 file" in shown
        assert "at most 300 s" in shown
        (directory / "slug.py").write_text("changed after it was frozen")
        fill_in(browser, "confirm")
        keep_picture(browser, "confirmation")
        submit(browser)
        ended = deployed.ended(run_id)
        assert (ended["state_type"], ended["state_name"]) == ("FAILED", "FAILED_ADVERSARIAL")
        assert confirmations(deployed, run_id) == [
            ("challenge", "asked in the Prefect UI"),
            ("allow", "approved by Ada Lovelace, asked in the Prefect UI"),
        ]
        find_out_why(browser, deployed, run_id)
        assert browser.alerts == []
        assert browser.requested == {"127.0.0.1"}


def find_out_why(browser: Browser, deployed: Deployed, run_id: str) -> None:
    """From the list of runs to the reason: the list's link leads to a page that says it."""
    pages = deployed.api_url.removesuffix("/api")
    browser.open(f"{pages}/runs", height=1000).wait_for("verify UI-1", "FAILED_ADVERSARIAL")
    keep_picture(browser, "runs")
    link = f"document.querySelector('a[href$=\"/flow-run/{run_id}\"]')"
    browser.wait_until(f"!!{link}").open(browser.run(f"{link}.href")).wait_for("1 of 1 claim refuted")
    keep_picture(browser, "run")
    wanted = {"artifacts": {"flow_run_id": {"any_": [run_id]}}}
    links = {one["key"]: one["data"] for one in deployed.post("/artifacts/filter", wanted)}
    path = links[f"{artifact_key('UI-1')}-report"].rpartition("(")[2].rstrip(")")
    # The link leads to the story itself, not to a list of stories.
    browser.open(f"{pages}{path}", height=1300).wait_for("FAILED_ADVERSARIAL", "Refutation 1 of", "Reproducer")
    assert "expected 'hello-world', got 'hello_world'" in browser.text()


@pytest.mark.engine
@pytest.mark.browser
def test_s360_a_person_judges_in_the_browser_what_critics_say(deployed: Deployed, gemini: GeminiServer, tmp_path: Path):
    gemini.respond, gemini.criticise = mild, correctness(says("", "critical"))
    claims = [{"id": "C1", "text": CLAIM}]
    directory = TicketFiles(id="UI-2", files=RIGHT, claims=claims).write(tmp_path / "UI-2")
    run_id = deployed.run(
        "verify-ticket/ad-hoc",
        {"ticket": str(directory), "approval": "ask", "fresh": True},
        REFUTE_TESTER="gemini",
        REFUTE_MUTANTS="0",
        REFUTE_GEMINI_FILE=str(tmp_path / "gemini.yaml"),
        GOOGLE_APPLICATION_CREDENTIALS=os.environ["GOOGLE_APPLICATION_CREDENTIALS"],
    )
    wait_for(lambda: "UI-2" in deployed.refute("confirm").stdout)
    digest = next(line for line in deployed.refute("confirm", "UI-2", "--show").stdout.split() if "sha256:" in line)
    deployed.refute("confirm", "UI-2", "--yes", "--files", digest)
    wait_for(lambda: "what critics say" in deployed.refute("confirm").stdout)
    assert deployed.refute("confirm", "UI-2", "--yes", "--files", digest).returncode == 2
    with form_of(deployed.refute, "UI-2", "negative totals lose their sign") as browser:
        fill_in(browser, "uphold")
        submit(browser)
    ended = deployed.ended(run_id)
    assert (ended["state_type"], ended["state_name"]) == ("FAILED", "FAILED_REVIEW")
    assert "upheld by Ada Lovelace, asked in the Prefect UI" in ended["state"]["message"]
    wanted = {"filter": {"event": {"prefix": ["refute.subtask.failed"]}, "order": "DESC"}, "limit": 10}

    def told() -> bool:
        events = deployed.post("/events/filter", wanted)["events"]
        return "upheld by Ada Lovelace, asked in the Prefect UI" in [one["payload"].get("answer") for one in events]

    wait_for(told)


def spend(deployed: Deployed, usd: str) -> None:
    settings = Settings(state_dir=deployed.home / "state")
    ledger = Ledger.open(settings)
    ledger.record(fake_outcome(started_at=datetime.now(UTC), cost_usd=Decimal(usd)))
    ledger.close()


def fail_more_than_usual(deployed: Deployed) -> None:
    """Two weeks in which all passed, then a day in which nothing does."""
    ledger = Ledger.open(Settings(state_dir=deployed.home / "state"))
    now = datetime.now(UTC)
    for number in range(60):
        recent = number < 30
        ledger.record(
            fake_outcome(
                run_id=f"spike-{number}",
                status=Status.FAILED_VERIFICATION if recent else Status.PASS,
                started_at=now - timedelta(hours=1 if recent else 72),
            )
        )
    ledger.close()


def automations(deployed: Deployed) -> list[str]:
    found = deployed.post("/automations/filter", {"limit": 200})
    return sorted(one["name"] for one in found if one["name"].startswith("refute: "))


def is_paused(deployed: Deployed) -> bool:
    return bool(deployed.get("/deployments/name/verify-batch/nightly")["paused"])


def test_a_used_up_budget_is_told_of_once_and_pauses_the_nightly_batch_until_a_person_resumes_it(
    deployed: Deployed, webhook: WebhookReceiver
) -> None:
    made = automations(deployed)
    assert len(made) == 5, "that for killed runs too, which the server's keeper had made already"
    assert not is_paused(deployed)
    spend(deployed, "51")
    fail_more_than_usual(deployed)
    first = deployed.here(budget_report, lambda: BudgetRequest(page=True))
    assert (first.type, first.name) == ("COMPLETED", "EXCEEDED")
    wait_for(lambda: is_paused(deployed))
    # Without sandbox the forecast may hold or not, depending on the day of the month.
    wait_for(lambda: sum("the month's budget is used up" in one["text"] for one in webhook.told) == 1)
    wait_for(lambda: sum("% reached" in one["text"] for one in webhook.told) == 3)
    wait_for(lambda: sum("more tickets fail than usual" in one["text"] for one in webhook.told) == 1)
    told = first.message.partition("told of ")[2].partition(";")[0].split(", ")
    wait_for(lambda: len(webhook.told) == len(told))
    run_id = str(first.state_details.flow_run_id)
    artifacts = deployed.post("/artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run_id]}}})
    left = {one["key"]: str(one["data"]) for one in artifacts}
    assert {"budget", "report", "report-by-status", "report-by-tester", "report-by-day"} <= left.keys()
    assert "file://" not in "".join(left.values()), "a browser follows no such link, and it would be the worker's file"
    assert "the budget is used up" in left["report"]

    deployed.apply()  # again: nothing is doubled, and nothing resumed
    assert automations(deployed) == made
    assert is_paused(deployed)
    second = deployed.here(budget_report, lambda: BudgetRequest(page=False))
    assert "told of" not in second.message
    assert len(webhook.told) == len(told)
    events = deployed.post(
        "/events/filter",
        {"filter": {"resource": {"id_prefix": ["refute.alert."]}, "order": "ASC"}, "limit": 50},
    )["events"]
    assert len({one["id"] for one in events}) == len(events)
    assert [one["payload"]["alert"] for one in events][:3] == ["50", "80", "100"]
    spiked = [one["payload"] for one in events if one["event"] == "refute.failrate.spike"]
    assert [one["alert"] for one in spiked] == ["failed"]
    assert spiked[0]["recent"]["hits"] >= 30


def test_whoever_may_start_a_run_cannot_change_the_worker_s_settings_with_it(deployed: Deployed) -> None:
    with pytest.raises(httpx.HTTPStatusError, match="409"):
        deployed.run("budget-report/hourly", {"page": False, "settings": {"month_budget_usd": "1000000"}})


def test_runs_that_ask_a_person_share_a_queue_with_a_limit_and_the_nightly_batch_does_not_wait_in_it(
    deployed: Deployed,
) -> None:
    assert deployed.get(f"/work_pools/refute/queues/{QUEUE}")["concurrency_limit"] == Settings().attended_runs
    queues = {name: deployed.get(f"/deployments/name/{name}")["work_queue_name"] for name in ASKING + UNATTENDED}
    assert queues == dict.fromkeys(ASKING, QUEUE) | dict.fromkeys(UNATTENDED, "default")
