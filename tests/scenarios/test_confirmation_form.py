"""S040, S045, S280: the form of a question in the Prefect UI approves exactly what it shows, or nothing."""

import contextvars
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from flows.confirmation.form import ask_in_ui
from flows.confirmation.question import AskedQuestion, about_words
from flows.orchestrator.server import server_lease
from flows.orchestrator.session import on_running_server
from flows.request import VerifyRequest
from refute.ledger.schema import OUTCOMES, RESERVATIONS
from refute.ledger.store import Ledger
from tests.fakes.command_line import run_here
from tests.fakes.deployed import WITHIN_S
from tests.fakes.form import fill_in, form_of, submit
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for
from tests.scenarios.conftest import TicketFiles, containers_of

pytestmark = [pytest.mark.prefect, pytest.mark.slow]
NOTE = "it writes to the shared bucket"


def question(subject: str) -> AskedQuestion:
    asked = about_words(subject, "A title\nGo on?", datetime.now(UTC) + timedelta(hours=1))
    return asked.model_copy(update={"nonce": "once"})


class Asking:
    """A question that is asked in a thread of this process.

    Args:
        subject: its name.
        timeout_s: how long an answer is waited for.
    """

    def __init__(self, api_url: str, subject: str, *, timeout_s: float = WITHIN_S) -> None:
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


@pytest.fixture
def as_on_a_worker(settings, monkeypatch) -> None:
    """The settings by the environment: a request that a deployment gets has none."""
    monkeypatch.setenv("REFUTE_STATE_DIR", str(settings.state_dir))
    monkeypatch.setenv("REFUTE_COSTS_CSV", str(settings.costs_csv))
    monkeypatch.setenv("GUARDRAIL_AUDIT_PATH", str(settings.audit_path))


@pytest.mark.engine
@pytest.mark.usefixtures("asking", "as_on_a_worker")
def test_s045_a_ticket_on_a_worker_whose_form_nobody_answers_is_cancelled_and_holds_nothing(
    settings, ticket, monkeypatch
):
    from flows.verify_ticket import verify_ticket

    monkeypatch.setenv("REFUTE_FORM_TIMEOUT_S", "1")
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


@pytest.mark.engine
@pytest.mark.browser
@pytest.mark.usefixtures("asking", "as_on_a_worker")
def test_s040_no_in_the_form_and_no_by_refute_confirm_cancel_and_nothing_runs(tmp_path: Path):
    from flows.verify_ticket import verify_ticket

    ended: dict[str, Any] = {}

    def verify(name: str) -> None:
        request = VerifyRequest(ticket=TicketFiles(id=name).write(tmp_path / name), approval="ask")
        ended[name] = verify_ticket(request, return_state=True)

    def refute(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_here(arguments, environment={})

    names = [f"NO-{place}-{uuid.uuid4().hex[:8]}" for place in ("FORM", "TERMINAL")]
    runs = [threading.Thread(target=contextvars.copy_context().run, args=(verify, name)) for name in names]
    for run in runs:
        run.start()
    with form_of(refute, names[0]) as browser:
        fill_in(browser, "decline")
        submit(browser)
    wait_for(lambda: names[1] in refute("confirm").stdout)
    shown = refute("confirm", names[1], "--show")
    assert "python -c 'import slug'" in shown.stdout
    other = refute("confirm", names[1], "--yes", "--files", "sha256:" + "0" * 64)
    assert other.returncode == 2, other.stderr
    assert refute("confirm", names[1], "--no", "--note", NOTE).stdout.startswith(f"{names[1]}: declined")
    for name, run in zip(names, runs, strict=True):
        run.join(WITHIN_S)
        assert (ended[name].type, ended[name].name) == ("CANCELLED", "CANCELLED")
        assert "declined by" in ended[name].message
        assert containers_of(ticket=name) == []
    assert ended[names[1]].message.endswith(f": {NOTE}")
    assert refute("confirm", names[1], "--no").returncode == 3


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
