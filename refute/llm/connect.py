"""From settings to a model: kept answers first, then Gemini, paid from the ledger's budgets."""

from collections.abc import Callable
from pathlib import Path

from refute.errors import SettingsInvalid
from refute.guardrails.audit import AuditLog
from refute.ledger.accounts import Accounts
from refute.ledger.budgets import Budgets, Payer
from refute.ledger.store import Ledger
from refute.llm.answers import FOLDER, AnswersPlace, KeptAnswers
from refute.llm.enterprise import GeminiSettings
from refute.llm.gemini import Gemini
from refute.llm.metered import Endpoint, MeteredModel
from refute.llm.model import Model, Prompt
from refute.llm.openai_chat import OpenAIChat, OpenAISettings
from refute.llm.pricing import load_prices
from refute.llm.retention import require_zero_retention
from refute.llm.shelf import Recording, Replay, Shelf
from refute.llm.till import Clockwork, Till, Waiting
from refute.settings import Settings
from refute.settings_fields import TesterName
from refute.signed_folder import SignedFolder, signing_key


def connect_model(
    settings: Settings, payer: Payer, *, ledger: Callable[[], Ledger], audit: AuditLog, waiting: Waiting | None = None
) -> Model:
    """The model of the settings. Nothing is sent before the first prompt that no kept answer serves.

    Args:
        settings: which tester, where its answers are kept, what may be spent.
        payer: the run and ticket that pay.
        ledger: opens the ledger; not called by a replay.
        audit: gets a line before every request.
        waiting: bounds how many requests are under way at once, and ends waits; by default nothing does.

    Raises:
        SettingsInvalid: `gemini.yaml` is missing or would let the provider keep what it is sent, others may know the
            key that kept answers are signed with, or there is no folder to replay from.
        InfrastructureError: that key cannot be made or read.
    """
    if TesterName.REPLAY in settings.testers:
        return Replay(Shelf(_recorded(settings)))
    waiting = waiting or Waiting()
    given = GeminiSettings.read(settings.gemini_file)
    if settings.allow_unpriced:
        given = given.model_copy(update={"allow_unpriced": True})
    gemini = Gemini(given)
    model = _paid(
        gemini,
        settings,
        payer,
        ledger=ledger,
        audit=audit,
        waiting=waiting,
        prices=given.prices,
        preflight=lambda: _make_ready(gemini, audit, payer.run_id),
    )
    return Recording(model, Shelf(settings.record_dir)) if settings.record_dir else model


def require_model(settings: Settings) -> None:
    """Find out, without a request, whether the settings' tester could ask its model; nothing where it asks none.

    Raises:
        SettingsInvalid: as `connect_model`.
    """
    if TesterName.REPLAY in settings.testers:
        _recorded(settings)
    elif TesterName.GEMINI in settings.testers:
        GeminiSettings.read(settings.gemini_file)


def _recorded(settings: Settings) -> Path:
    """The folder of recorded answers."""
    if settings.replay_dir is None or not settings.replay_dir.is_dir():
        raise SettingsInvalid(
            f"replay_dir: got {settings.replay_dir}, expected a folder of recorded answers",
            hint="Record one: refute verify TICKET --tester gemini --record DIR",
        )
    return settings.replay_dir


def connect_openai(
    settings: Settings, payer: Payer, *, ledger: Callable[[], Ledger], audit: AuditLog, waiting: Waiting | None = None
) -> Model:
    """An endpoint that speaks the OpenAI chat protocol, paid and kept like any model. Arguments as `connect_model`.

    Raises:
        SettingsInvalid: the environment has no key, or the settings name no model.
    """
    given = OpenAISettings.read(settings.research.openai_model, allow_unpriced=settings.allow_unpriced)
    return _paid(OpenAIChat(given), settings, payer, ledger=ledger, audit=audit, waiting=waiting or Waiting())


def _paid(  # noqa: PLR0913  # what any model needs to be paid, audited and kept
    endpoint: Endpoint,
    settings: Settings,
    payer: Payer,
    *,
    ledger: Callable[[], Ledger],
    audit: AuditLog,
    waiting: Waiting,
    prices: Path | None = None,
    preflight: Callable[[], None] = lambda: None,
) -> Model:
    opened = ledger()
    accounts = Accounts(opened, _budgets(settings))
    accounts.settle_abandoned()
    metered = MeteredModel(
        endpoint,
        Till(accounts=accounts, payer=payer, prices=load_prices(prices), turn=waiting.turn, tell=waiting.tell),
        audit=audit,
        clockwork=Clockwork(sleep=waiting.pause),
        preflight=preflight,
    )
    place = _answers_place(settings, endpoint, payer.run_id)
    return KeptAnswers(metered, place, fresh=settings.fresh, waiting=waiting)


def _make_ready(gemini: Gemini, audit: AuditLog, run_id: str) -> None:
    require_zero_retention(gemini, audit, run_id=run_id)
    gemini.connect()


def _answers_place(settings: Settings, endpoint: Endpoint, run_id: str) -> AnswersPlace:
    local = f"-{endpoint.settings.base_url}" if endpoint.settings.base_url else ""
    local = "-local" if isinstance(endpoint, Gemini) and local else local  # one machine, whatever its port

    def model_of(prompt: Prompt) -> str:
        return endpoint.model_of(prompt) + local

    return AnswersPlace(
        folder=SignedFolder(settings.state_dir / FOLDER, key=signing_key(settings)),
        model_of=model_of,
        run_id=run_id,
        max_age_s=settings.kept_answers_max_age_s,
    )


def _budgets(settings: Settings) -> Budgets:
    return Budgets(
        ticket_usd=settings.max_cost_usd,
        run_usd=settings.run_budget_usd,
        day_usd=settings.day_budget_usd,
        month_usd=settings.month_budget_usd if settings.month_hard_stop else None,
    )
