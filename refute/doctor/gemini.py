"""Whether Gemini could write attacks: settings, credentials, prices, and what can be asked about data retention."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from refute.doctor.check import Check
from refute.errors import ModelUnavailable, SettingsInvalid
from refute.llm.enterprise import GeminiSettings
from refute.llm.gemini import Gemini
from refute.llm.model import Tier
from refute.llm.pricing import PriceList, load_prices
from refute.llm.request import RequestFailed
from refute.llm.retention import UNASKED, Retention, ask_retention
from refute.settings import Settings
from refute.settings_fields import TesterName

OLD_AFTER_DAYS: Final = 90
WORD: Final = "refute"
"""All that the doctor sends."""
Ask = Callable[[Gemini], Retention]
Count = Callable[[Gemini, str, Tier], int]


def check_gemini(
    settings: Settings, *, ask: Ask = ask_retention, count: Count = Gemini.count_tokens, today: date | None = None
) -> Iterator[Check]:
    """One calm line where nobody set up Gemini; else what stands between it and a first prompt. Sends no prompt.

    Args:
        settings: name `gemini.yaml`, and say whether it is wanted.
        ask: asks the project whether it caches data.
        count: has a model count the tokens of a word, which costs nothing and shows that it may be called.
        today: UTC.
    """
    path = settings.gemini_file
    wanted = TesterName.GEMINI in settings.testers
    if not path.exists() and not wanted:
        found = f"not set up ({path} does not exist); the property tester needs no key"
        yield Check(name="Gemini", ok=True, found=found)
        return
    try:
        given = GeminiSettings.read(path)
        prices = load_prices(given.prices)
    except SettingsInvalid as error:
        yield Check(name="Gemini settings", ok=False, found=error.message, advice=error.hint)
        return
    yield _settings(given, path)
    yield _priced(given, prices, today or datetime.now(UTC).date())
    yield from _project(Gemini(given), ask, count)


def _settings(given: GeminiSettings, path: Path) -> Check:
    models = f"flash {given.models.flash}, pro {given.models.pro}"
    if given.base_url:
        found = f"{path}: a local server at {given.base_url}, not Google; {models}"
        return Check(name="Gemini settings", ok=None, found=found, advice="Remove base_url to ask Google.")
    found = f"{path}: enterprise endpoint, project {given.project}, {given.location}; {models}"
    return Check(name="Gemini settings", ok=True, found=found)


def _priced(given: GeminiSettings, prices: PriceList, today: date) -> Check:
    """Every model has a price, and somebody looked at it lately."""
    models = dict.fromkeys(given.models.of(tier) for tier in Tier)
    missing = [one for one in models if prices.worst_case(one, input_tokens=1, max_output_tokens=1, day=today) is None]
    age_days = (today - prices.checked).days
    found = f"checked {prices.checked}, {age_days} days ago"
    if missing:
        advice = "Give a list of your own (prices: in gemini.yaml), or accept unknown cost (allow_unpriced: true)."
        ok = None if given.allow_unpriced else False
        return Check(name="Gemini prices", ok=ok, found=f"none for {', '.join(missing)}; {found}", advice=advice)
    if age_days > OLD_AFTER_DAYS:
        advice = f"Compare with {prices.source}; budgets count with these prices."
        return Check(name="Gemini prices", ok=None, found=found, advice=advice)
    return Check(name="Gemini prices", ok=True, found=found)


def _project(gemini: Gemini, ask: Ask, count: Count) -> Iterator[Check]:
    """Credentials, the project's caching, and what no program can ask."""
    try:
        _ = gemini.credentials
    except ModelUnavailable as error:
        yield Check(name="Gemini credentials", ok=False, found=error.message, advice=error.hint)
        return
    yield Check(name="Gemini credentials", ok=True, found=f"found, {type(gemini.credentials).__module__}")
    try:
        retention = ask(gemini)
    except ModelUnavailable as error:
        yield Check(name="Gemini retention", ok=False, found=error.message, advice=error.hint)
        return
    advice = "" if retention.caching_disabled else "Nothing is sent before that."
    yield Check(name="Gemini retention", ok=retention.caching_disabled, found=retention.detail, advice=advice)
    if retention.caching_disabled:
        yield _models(gemini, count)
    yield Check(name="Gemini abuse monitoring", ok=None, found="cannot be asked by a program", advice=UNASKED)


def _models(gemini: Gemini, count: Count) -> Check:
    """Every model can be called."""
    faults = []
    for model, tier in {gemini.settings.models.of(tier): tier for tier in Tier}.items():
        try:
            count(gemini, WORD, tier)
        except (RequestFailed, ModelUnavailable) as error:
            faults.append(f"{model}: {error.message}")
    if faults:
        advice = "Compare names and location in gemini.yaml; the account needs the role Vertex AI User."
        return Check(name="Gemini models", ok=False, found="; ".join(faults), advice=advice)
    return Check(name="Gemini models", ok=True, found="each answers, asked to count the tokens of a word")
