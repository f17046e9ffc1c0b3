"""How reports say numbers that may be unknown; an unknown one is a dash, never 0."""

import math
from decimal import Decimal
from typing import Final

from refute.statistics.rate import Rate
from refute.wording import counted, dollars
from reports.budget import BudgetState, Level, Spending
from reports.wording import duration

NOTHING: Final = "–"


def usd(amount: Decimal | float | None) -> str:
    """US dollars."""
    return NOTHING if amount is None or math.isnan(amount) else dollars(amount)


def unpriced(calls: int) -> str:
    """What costs leave out; empty where they leave out nothing."""
    return f"{counted(calls, 'model call')} of unknown price not counted" if calls else ""


def unreconciled(spending: Spending) -> str:
    """How much of what is spent is a worst case, as nobody knows what it came to; empty where nothing is."""
    if not spending.unreconciled_calls:
        return ""
    return f"{counted(spending.unreconciled_calls, 'call')} unreconciled, {usd(spending.unreconciled_usd)}"


def seconds(amount: float | None) -> str:
    """Seconds, minutes, or hours."""
    if amount is None or math.isnan(amount):
        return NOTHING
    return duration(amount) if amount < 7_200 else f"{amount / 3_600:,.1f} h"  # noqa: PLR2004  # two hours


def percent(share: float | None) -> str:
    """A share of one in percent."""
    return NOTHING if share is None or math.isnan(share) else f"{share:.1%}"


def rate(one: Rate) -> str:
    """`2.4% (2.0–2.9%) of 4,000`."""
    if one.value is None or one.interval is None:
        return NOTHING
    low, high = one.interval
    return f"{one.value:.1%} ({low * 100:.1f}–{high * 100:.1f}%) of {one.trials:,}"


def short_rate(one: Rate) -> str:
    """`12% (3–36%)`, for a table's cell."""
    if one.value is None or one.interval is None:
        return NOTHING
    low, high = one.interval
    return f"{one.value:.1%} ({low * 100:.0f}–{high * 100:.0f}%)"


def budget_line(state: BudgetState) -> str:
    """The budget in one sentence."""
    spent, forecast = usd(state.spent_usd), usd(state.forecast_usd)
    doubts = "".join(
        f"; {doubt}" for doubt in (unpriced(state.spending.unpriced_calls), unreconciled(state.spending)) if doubt
    )
    if state.budget_usd is None:
        return f"{state.month}: {spent} spent, {forecast} forecast, no budget set{doubts}"
    budget = usd(state.budget_usd)
    used = "" if not state.budget_usd else f" ({state.spent_usd / state.budget_usd:.0%})"
    match state.level:
        case Level.EXCEEDED:
            verdict = "the budget is used up"
        case Level.ALERT if state.forecast_exceeds:
            verdict = "the forecast exceeds the budget"
        case _:
            verdict = "the budget holds"
    return f"{state.month}: {spent} of {budget} spent{used}, {forecast} forecast: {verdict}{doubts}"
