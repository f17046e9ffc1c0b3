"""Ask in the Prefect UI: a run of its own that pauses with a form, and takes only an answer to exactly this question.

Not `pause_flow_run`: it does not notice that the run was cancelled while it waits, and gives up with the first error
that outlasts the client's own retries.
"""

import re
import time
from typing import Any, Final, Literal, cast
from uuid import UUID

from prefect.artifacts import create_markdown_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State
from prefect.input import RunInput, keyset_from_paused_state
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL
from prefect.states import Cancelled, Completed, Paused
from pydantic import Field, ValidationError, create_model

from flows.confirmation.question import AskedQuestion, Reply
from flows.orchestrator.access import require_protected
from flows.refute_flow import refute_flow
from refute.errors import OrchestratorUnavailable
from refute.guardrails.plain_text import printable
from tasks.outcome import NO_ANSWER

POLL_S: Final = 2.0
SERVER_MARGIN_S: Final = 60
"""The server's own time limit ends later than ours, which says what it means."""
PAUSE_KEY: Final = "confirm"
CONFIRMED: Final = "CONFIRMED"
"""Name of the state of a run whose question was approved; its message is who did, and why on a line of its own."""
DECLINED: Final = "DECLINED"
MAX_PERSON_CHARS: Final = 100
MAX_NOTE_CHARS: Final = 500


class FilledIn(RunInput):
    """What the form is filled in with. What decides has no default: a resume without an answer is none."""

    decision: str
    person: str = Field(min_length=1, max_length=MAX_PERSON_CHARS, title="Your name", description="For the audit log.")
    note: str = Field(default="", max_length=MAX_NOTE_CHARS, title="Why", description="Kept with the answer.")


def form_for(question: AskedQuestion) -> type[FilledIn]:
    """The form of one question: its digest and nonce are filled in, and nothing else is taken in their place."""
    fields: dict[str, Any] = {
        "decision": _decision(question),
        "digest": (str, _fixed(question.digest, "Files", "What the answer is about; leave it as it is.")),
        "nonce": (str, _fixed(question.nonce, "Question", "Which question is answered; leave it as it is.")),
    }
    form = create_model("Confirmation", __base__=FilledIn, **fields)
    return form.with_initial_data(description=question.description())


def _decision(question: AskedQuestion) -> tuple[Any, Any]:
    """A field with the two answers of a question, in its own words: what one question approves, no other one takes."""
    if question.is_about_opinions:
        text = "dismiss: none of these is a failure; the ticket goes on. uphold: at least one is; the ticket fails."
        return Literal["dismiss", "uphold"], Field(title="Decision", description=text)
    text = "confirm: do what is shown. decline: do nothing."
    return Literal["confirm", "decline"], Field(title="Decision", description=text)


def _fixed(value: str, title: str, description: str) -> Any:
    # The default is one for the form alone: whoever resumes the run past the form has to name what they approve.
    return Field(
        pattern=f"^{re.escape(value)}$", title=title, description=description, json_schema_extra={"default": value}
    )


@refute_flow("confirm", run_name="confirm {question.subject}")
def ask_in_ui(question: AskedQuestion, timeout_s: float) -> State[None]:
    """Wait for the form; only a run that ends CONFIRMED approves.

    Args:
        question: what is asked.
        timeout_s: how long the answer is waited for.
    """
    # Also on the run's own page: the form's window is small, and gone once it is answered.
    text = f"# {question.subject}\n\n{question.description()}\n"
    create_markdown_artifact(key="question", markdown=text, description=f"{question.subject}: {question.digest}")
    reply = _wait(form_for(question), timeout_s)
    if isinstance(reply, str):
        return Cancelled(name="EXPIRED" if reply == NOBODY else "REFUSED", message=reply)
    person = printable(reply.person, max_chars=MAX_PERSON_CHARS, keep_newlines=False)
    note = printable(reply.note.strip(), max_chars=MAX_NOTE_CHARS, keep_newlines=False)
    said = f"{person}\n{note}" if note else person
    if reply.decision != question.choices[0]:
        return Cancelled(name=DECLINED, message=said)
    return Completed(name=CONFIRMED, message=said)


NOBODY: Final = "nobody answered in time"
WITHDRAWN: Final = "the question was withdrawn in the Prefect UI"
EMPTY: Final = "the run was resumed without an answer to its form"


def _wait(form: type[FilledIn], timeout_s: float) -> FilledIn | str:
    """The answer, or why there is none."""
    run_id = UUID(str(flow_run.id))
    state: State[None] = Paused(timeout_seconds=int(timeout_s) + SERVER_MARGIN_S, pause_key=PAUSE_KEY)
    keyset = keyset_from_paused_state(state)
    state.state_details.run_input_keyset = {str(name): key for name, key in keyset.items()}
    form.save(keyset)  # before it pauses: whoever sees it paused finds the form
    deadline = time.monotonic() + timeout_s
    with get_client(sync_client=True) as client:
        client.set_flow_run_state(run_id, state)
        while (left_s := deadline - time.monotonic()) > 0:
            time.sleep(min(POLL_S, left_s))
            try:
                now = client.read_flow_run(run_id).state
            except NO_ANSWER:  # a server that is started anew meanwhile still has the question
                continue
            if now is None or now.is_paused():
                continue
            if not now.is_running():
                return WITHDRAWN
            try:
                return cast("FilledIn", form.load(keyset))  # also typed for coroutines, where it must be awaited
            except ValidationError:
                return EMPTY
    return NOBODY


def put_in_ui(question: AskedQuestion, timeout_s: float) -> Reply:
    """Ask by a run of the flow `confirm`.

    Raises:
        OrchestratorUnavailable: whoever reaches the server could answer, or the run did not come to its end.
    """
    require_protected(PREFECT_API_URL.value())
    state: State[Any] = ask_in_ui(question, timeout_s, return_state=True)
    if state.is_completed() or state.is_cancelled() or state.is_cancelling():
        return reply_of(state)
    raise OrchestratorUnavailable(
        f"the question about {question.subject} could not be put in the Prefect UI: {state.name}: {state.message}",
        hint="Look at the run `confirm` in the UI, and verify the ticket again.",
    )


def reply_of(state: State[Any]) -> Reply:
    """What a run of the flow `confirm` came to; only one that ended CONFIRMED approves."""
    person, _, note = (state.message or "").partition("\n")
    confirmed = state.is_completed() and state.name == CONFIRMED
    if confirmed or state.name == DECLINED:
        return Reply(approved=confirmed, by=f"{person}, asked in the Prefect UI", note=note)
    return Reply(approved=None, note=state.message or "the question in the Prefect UI was not answered")
