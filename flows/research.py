"""The flow of `refute research`: plan, fetch, read and validate, each a task run."""

from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed
from pydantic import SkipValidation
from pydantic.json_schema import SkipJsonSchema

from flows.console import hand_back
from flows.orchestrator.model_limit import model_turn
from flows.refute_flow import refute_flow
from flows.request import Request
from refute.guardrails.gates import Gates
from refute.llm.till import Waiting
from refute.observer import Unwatched
from refute.ports import Ports
from refute.research.connect import connect_reader, require_mode, research
from refute.research.fetching import Fetcher, WebFetcher
from refute.research.harness import Effects
from refute.research.record import Goal, Mode
from refute.settings import Settings
from reports.research import notes_of
from tasks.research import RESEARCH_STAGES
from tasks.results import results_kept_in
from tasks.stages import StageTasks


class ResearchRequest(Request):
    """What to find out, from which pages, in which mode."""

    goal: str
    urls: tuple[str, ...]
    mode: Mode = Mode.DEFENDED
    unsafe: bool = False
    fetcher: SkipJsonSchema[SkipValidation[Fetcher]] = WebFetcher()


@refute_flow("research", run_name="research ({request.mode})")
def research_pages(request: ResearchRequest) -> State[None]:
    """Read pages for a goal.

    Raises:
        SettingsInvalid: the settings do not allow it, or lack what the model needs.
        AuditUnavailable: a gate's decision cannot be written.
    """
    settings, run_id, goal = request.settings, str(flow_run.id), Goal(text=request.goal, urls=request.urls)
    require_mode(settings, request.mode, unsafe=request.unsafe)
    ports = Ports(settings, run_id)
    stages = StageTasks(goal.id, run_id, settings, Unwatched(), stages=RESEARCH_STAGES)
    waiting = Waiting(turn=model_turn)
    model = connect_reader(settings, run_id, ledger=lambda: ports.ledger, audit=ports.audit, waiting=waiting)
    effects = Effects(
        fetcher=request.fetcher,
        model=model,
        gates=Gates(audit=ports.audit, run_id=run_id, modes=settings.guardrails),
        runner=stages,
        model_id=model_id(settings),
    )
    with results_kept_in(stages.storage):
        findings = research(goal, settings, request.mode, effects)
    hand_back(findings)
    return Completed(message=notes_of(findings))


def model_id(settings: Settings) -> str:
    """What of the model decides its answers; empty where cached results are switched off."""
    named = f"{settings.research.model} {settings.research.openai_model}"
    return named if settings.results_max_age_s else ""
