"""S040, S045, S250, S280 in the Prefect UI: the form approves exactly what it shows, or nothing."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from flows.confirmation.form import ask_in_ui
from flows.confirmation.question import AskedQuestion, AskedTicket
from flows.orchestrator.server import server_lease
from flows.orchestrator.session import on_running_server
from flows.request import VerifyRequest
from refute.ledger.schema import OUTCOMES, RESERVATIONS
from refute.ledger.store import Ledger
from reports.artifacts import artifact_key
from tests.fakes.browser import Browser
from tests.fakes.deployed import WITHIN_S, Deployed, wait_for
from tests.fakes.form import fill_in, form_of, submit
from tests.fakes.gemini.reviewers import CLAIM, RIGHT, correctness, mild, says
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.prefect_api import asked
from tests.scenarios.conftest import REPOSITORY, WRONG_SLUG, TicketFiles, containers_of

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

PICTURES = os.environ.get("REFUTE_UPDATE_PICTURES")
"""Set: the pictures of docs/ are taken anew."""
NOTE = "it writes to the shared bucket"
HOSTILE = "# </code><script>alert(1)</script> ``` <img src=x onerror=alert(2)>\n"


def question(subject: str) -> AskedQuestion:
    ticket = AskedTicket(
        ticket_id=subject,
        title="A title",
        path="verify.sh",
        script="true\n",
        hidden_chars=0,
        scanned_files=1,
        findings=(),
        blocking=0,
        plan=("verify: bash ./verify.sh",),
        digest="sha256:" + "a" * 64,
    )
    deadline = datetime.now(UTC) + timedelta(hours=1)
    return AskedQuestion(
        subject=subject, digest=ticket.digest, nonce="once", deadline=deadline, is_list=False, tickets=(ticket,)
    )


class Asking:
    """A question that is asked in a thread of this process.

    Args:
        subject: its name.
        timeout_s: how long an answer is waited for.
    """

    def __init__(self, api_url: str, subject: str, *, timeout_s: float = WITHIN_S) -> None:
        import contextvars

        self._api_url = api_url
        self._subject = subject
        self._ended: list[tuple[str, str]] = []
        context = contextvars.copy_context()  # Prefect's settings

        def ask() -> None:
            state = ask_in_ui(question(subject), timeout_s, return_state=True)
            self._ended.append((state.name, state.message))

        self._thread = threading.Thread(target=context.run, args=(ask,))
        self._thread.start()

    def run_id(self) -> str:
        """Of the run, once it waits."""

        def paused() -> str | None:
            wanted = {
                "flow_runs": {"name": {"any_": [f"confirm {self._subject}"]}, "state": {"type": {"any_": ["PAUSED"]}}}
            }
            found = self.post("/flow_runs/filter", wanted)
            return found[0]["id"] if found else None

        return str(wait_for(paused))

    def resume(self, **changed: str) -> dict[str, Any]:
        """Answer past the UI; the server's reply."""
        asked = question(self._subject)
        answer = {"decision": "confirm", "person": "Eve", "digest": asked.digest, "nonce": asked.nonce, **changed}
        given = {name: value for name, value in answer.items() if value}
        return dict(self.post(f"/flow_runs/{self.run_id()}/resume", {"run_input": given}))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return asked(self._api_url, "POST", path, body)

    def ended(self) -> tuple[str, str]:
        """Name and message of the state that it ended in."""
        self._thread.join(WITHIN_S)
        return self._ended[0]


@pytest.fixture
def asking(settings, monkeypatch) -> Iterator[Callable[..., Asking]]:
    """Ask on the shared server."""
    with server_lease(settings, say=print) as api_url:
        monkeypatch.setenv("PREFECT_API_URL", api_url)
        with on_running_server(settings):
            yield lambda subject, **options: Asking(api_url, subject, **options)


@pytest.mark.engine
def test_s045_a_ticket_on_a_worker_whose_form_nobody_answers_is_cancelled_and_holds_nothing(
    asking, settings, ticket, monkeypatch
):
    from flows.verify_ticket import verify_ticket

    monkeypatch.setenv("REFUTE_FORM_TIMEOUT_S", "1")
    monkeypatch.setenv("REFUTE_STATE_DIR", str(settings.state_dir))
    monkeypatch.setenv("REFUTE_COSTS_CSV", str(settings.costs_csv))
    monkeypatch.setenv("GUARDRAIL_AUDIT_PATH", str(settings.audit_path))
    state = verify_ticket(VerifyRequest(ticket=ticket(id="LATE-1"), approval="ask"), return_state=True)
    assert (state.type, state.name) == ("CANCELLED", "CANCELLED")
    assert "nobody answered in time" in state.message
    run_id = str(state.state_details.flow_run_id)
    assert containers_of(run=run_id) == []
    with closing(Ledger.open(settings)) as ledger, ledger.transaction() as connection:
        held = select(func.count()).select_from(RESERVATIONS).where(RESERVATIONS.c.run_id == run_id)
        assert connection.execute(held).scalar_one() == 0
        status = select(OUTCOMES.c.status).where(OUTCOMES.c.run_id == run_id)
        assert connection.scalars(status).all() == ["CANCELLED"]


def test_s280_an_answer_about_other_files_or_without_the_form_is_not_taken(asking):
    asked = asking("BOUND")
    for wrong in ({"digest": "sha256:" + "b" * 64}, {"digest": ""}, {"nonce": "other"}, {"nonce": ""}, {"person": ""}):
        assert asked.resume(**wrong)["status"] == "REJECT", wrong
    run_id = asked.run_id()  # waits on
    asked.post(f"/flow_runs/{run_id}/set_state", {"state": {"type": "RUNNING"}, "force": True})
    assert asked.ended() == ("REFUSED", "the run was resumed without an answer to its form")


def test_a_question_that_is_withdrawn_in_the_ui_is_a_no(asking):
    asked = asking("WITHDRAWN")
    asked.post(f"/flow_runs/{asked.run_id()}/set_state", {"state": {"type": "CANCELLED"}, "force": True})
    assert asked.ended() == ("REFUSED", "the question was withdrawn in the Prefect UI")


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
    with form_of(deployed, "UI-1") as browser:
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
    with form_of(deployed, "UI-2", "negative totals lose their sign") as browser:
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


@pytest.mark.engine
@pytest.mark.browser
def test_s040_no_in_the_form_and_no_by_refute_confirm_cancel_and_nothing_runs(
    deployed: Deployed, tmp_path: Path, containers_made: Callable[[], int]
):
    directories = [TicketFiles(id=name).write(tmp_path / name) for name in ("NO-1", "NO-2")]
    runs = [deployed.run("verify-ticket/ad-hoc", {"ticket": str(one), "approval": "ask"}) for one in directories]
    with form_of(deployed, "NO-1") as browser:
        fill_in(browser, "decline")
        submit(browser)
    wait_for(lambda: "NO-2" in deployed.refute("confirm").stdout)
    shown = deployed.refute("confirm", "NO-2", "--show")
    assert "python -c 'import slug'" in shown.stdout
    other = deployed.refute("confirm", "NO-2", "--yes", "--files", "sha256:" + "0" * 64)
    assert other.returncode == 2, other.stderr
    assert deployed.refute("confirm", "NO-2", "--no", "--note", NOTE).stdout.startswith("NO-2: declined")
    for run_id in runs:
        ended = deployed.ended(run_id)
        assert (ended["state_type"], ended["state_name"]) == ("CANCELLED", "CANCELLED")
        assert "declined by" in ended["state"]["message"]
    assert ended["state"]["message"].endswith(f": {NOTE}")
    assert deployed.refute("confirm", "NO-2", "--no").returncode == 3
