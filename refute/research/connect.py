"""From settings to research: which model plans and reads, paid by whom, in which mode."""

from collections.abc import Callable

from refute.errors import SettingsInvalid
from refute.evaluation.baseline import Baseline
from refute.evaluation.gullible import GullibleModel
from refute.guardrails.audit import AuditLog
from refute.ledger.budgets import Payer
from refute.ledger.store import Ledger
from refute.llm.connect import connect_model, connect_openai
from refute.llm.model import Model
from refute.llm.till import Waiting
from refute.research.harness import Effects, Harness
from refute.research.record import Findings, Goal, Mode
from refute.research.settings import ReaderName
from refute.settings import Settings
from refute.settings_fields import TesterName


def connect_reader(
    settings: Settings, run_id: str, *, ledger: Callable[[], Ledger], audit: AuditLog, waiting: Waiting | None = None
) -> Model:
    """The model of `research.model`; arguments as `connect_model`.

    Raises:
        SettingsInvalid: the settings or the environment lack what it needs.
    """
    payer = Payer(run_id=run_id, ticket_id="research")
    match settings.research.model:
        case ReaderName.SCRIPTED:
            return GullibleModel()
        case ReaderName.OPENAI:
            return connect_openai(settings, payer, ledger=ledger, audit=audit, waiting=waiting)
        case ReaderName.GEMINI:
            asked = settings.model_copy(update={"tester": TesterName.GEMINI.value})
            return connect_model(asked, payer, ledger=ledger, audit=audit, waiting=waiting)


def require_mode(settings: Settings, mode: Mode, *, unsafe: bool) -> None:
    """Refuse to let pages command a real model, unless a person says so.

    Raises:
        SettingsInvalid: `vulnerable` with another model than the scripted one, and no word that this is meant.
    """
    if mode is Mode.VULNERABLE and settings.research.model is not ReaderName.SCRIPTED and not unsafe:
        raise SettingsInvalid(
            f"--mode vulnerable obeys pages, so it runs with the scripted model; got {settings.research.model}",
            hint="Use --model scripted, or add --unsafe to let pages command this model.",
        )


def research(goal: Goal, settings: Settings, mode: Mode, effects: Effects) -> Findings:
    """Research in a mode."""
    work = Harness if mode is Mode.DEFENDED else Baseline
    return work(goal, settings.research, effects).run()
