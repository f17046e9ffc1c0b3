"""The flow `assist`: one question to the operator assistant where no terminal is; a change waits for a form."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed, Failed
from pydantic import Field

from flows.confirmation.approver import ask_person
from flows.refute_flow import refute_flow
from flows.request import Request, refuse_foreign_settings
from refute.assistant.configuration import Challenge
from refute.assistant.connect import connect_assistant
from refute.assistant.exchange import Answer
from refute.guardrails.plain_text import markdown_block
from refute.ledger.store import Ledger
from refute.settings import Settings
from reports.terminal import report_in_words
from tasks.assist import answer


class AssistRequest(Request):
    """What to ask."""

    question: str = Field(
        max_length=4_000, description='For example "what failed today?", or "block 203.0.113.7": that waits for a form.'
    )


@refute_flow("assist", run_name="assist")
def assist(request: AssistRequest) -> State[None]:
    """Answer a question. A change of a WAF waits for the form of the run `confirm assist-…`.

    Raises:
        InfrastructureError: the ledger, the audit log or the Prefect server did not do its part.
    """
    refuse_foreign_settings(request, started_by_worker=True)
    run_id, settings = str(flow_run.id), request.settings
    with closing(Ledger.open(settings)) as ledger:
        assistant = connect_assistant(settings, ledger, report=lambda: report_in_words(ledger, settings))

        def say(text: str) -> Answer:
            return answer(assistant, f"prefect/{run_id}", text)

        def confirms(challenge: Challenge) -> bool:
            return _confirms(challenge, run_id, settings)

        said = confirmed_by_form(say, say(request.question), confirms)
    create_markdown_artifact(key="answer", markdown=markdown_block(said.text), description=f"{said.route}: assist")
    make = Failed if said.failed else Completed
    return make(message=said.text.partition("\n")[0])


def confirmed_by_form(say: Callable[[str], Answer], said: Answer, confirms: Callable[[Challenge], bool]) -> Answer:
    """Ask people at the Prefect UI as long as an answer waits for a confirmation.

    Args:
        say: answers a message of this run's own conversation.
        said: the last answer.
        confirms: asks.
    """
    while said.challenge is not None:
        said = say(f"confirm {said.challenge.nonce}" if confirms(said.challenge) else "cancel")
    return said


def _confirms(challenge: Challenge, run_id: str, settings: Settings) -> bool:
    """Whether a person does, by a form; the number that a terminal shows is not in it."""
    left_s = max(1.0, (challenge.expires_at - datetime.now(UTC)).total_seconds() - 1)
    subject, text = f"assist-{run_id[:8]}", challenge.description()
    return bool(ask_person(subject, text, settings=settings, run_id=run_id, form_timeout_s=left_s).approved)
