"""A whole report: totals, tables, what failed, and the budget; made once, shown in any format."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from refute.ledger.store import Ledger
from refute.llm.model import Usage
from refute.llm.pricing import load_prices
from refute.settings import Settings
from reports.aggregate import Tables, Totals, tables, totals
from reports.alerts import Alert, budget_alerts, spike_alerts
from reports.budget import DAYS_OF_WORST_CASE, BudgetState, budget_state
from reports.facts import read_facts
from reports.findings import Finding, newest_findings
from reports.scope import Scope
from reports.spending import read_spending
from reports.spikes import Spike, find_spikes


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReport:
    """The month's budget, and what could come."""

    state: BudgetState
    cap_usd: Decimal
    """Of one run."""
    spikes: tuple[Spike, ...] = ()
    """Shares of failing runs that rose beyond chance."""

    @property
    def runs_a_day(self) -> int:
        """On the busiest of the last thirty days."""
        return self.state.spending.runs_a_day

    @property
    def worst_case_usd(self) -> Decimal:
        """What a month costs if every run uses all that it may: runs a day × 30 × cap."""
        return self.runs_a_day * DAYS_OF_WORST_CASE * self.cap_usd

    @property
    def alerts(self) -> list[Alert]:
        """All that is to be told."""
        return [*budget_alerts(self.state), *spike_alerts(self.spikes, self.state.as_of)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that any format shows."""

    made_at: datetime
    scope: Scope
    totals: Totals
    tables: Tables
    findings: Sequence[Finding]
    budget: BudgetReport


def make_report(ledger: Ledger, settings: Settings, scope: Scope, now: datetime) -> Report:
    """Read the ledger and add it up.

    Args:
        ledger: where the outcomes are.
        settings: the budget and the cap of a run.
        scope: which outcomes; the budget is always the whole month's.
        now: the present moment.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    facts = read_facts(ledger, scope, now)
    return Report(
        made_at=now,
        scope=scope,
        totals=totals(facts),
        tables=tables(facts, saved_by_cache_usd),
        findings=newest_findings(ledger, scope),
        budget=make_budget(ledger, settings, now),
    )


def make_budget(ledger: Ledger, settings: Settings, now: datetime) -> BudgetReport:
    """The budget, and whether more fails than usual.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    return BudgetReport(
        state=budget_state(read_spending(ledger, now), settings.month_budget_usd, now),
        cap_usd=settings.max_cost_usd,
        spikes=find_spikes(ledger, now),
    )


def saved_by_cache_usd(model: str, cached_tokens: int) -> float | None:
    """What cached tokens would have cost more at today's price of fresh ones; None where no price is known."""
    prices, today = load_prices(), datetime.now(UTC).date()
    fresh = prices.cost(model, Usage(input_tokens=1), today)
    cached = prices.cost(model, Usage(input_tokens=1, cached_tokens=1), today)
    return None if fresh is None or cached is None else float((fresh - cached) * cached_tokens)
