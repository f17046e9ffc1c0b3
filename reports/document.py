"""A report as JSON: the same numbers for programs. ASCII only; unknown is null, money is US dollars."""

import json
from dataclasses import asdict
from typing import Any, Final

import pandas as pd

from refute.statistics.rate import Rate
from reports.budget import state_fields
from reports.findings import Finding
from reports.report import BudgetReport, Report

SCHEMA_VERSION: Final = 1


def render_json(report: Report) -> str:
    """The whole report."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "made_at": report.made_at.isoformat(),
        "scope": report.scope.described(),
        "totals": _totals(report),
        "budget": budget_fields(report.budget),
        "findings": [_finding(finding) for finding in report.findings],
        "tables": {name: table_rows(frame) for name, frame in report.tables.items()},
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def render_budget_json(budget: BudgetReport) -> str:
    """The budget alone."""
    return json.dumps({"schema_version": SCHEMA_VERSION, "budget": budget_fields(budget)}, indent=2) + "\n"


def budget_fields(budget: BudgetReport) -> dict[str, Any]:
    """The budget as plain JSON values; dollars are exact decimals in text."""
    return {
        **state_fields(budget.state),
        "by_day_usd": {day.isoformat(): f"{usd:f}" for day, usd in budget.state.by_day.items()},
        "worst_case": {
            "runs_a_day": budget.runs_a_day,
            "cap_usd": f"{budget.cap_usd:f}",
            "month_usd": f"{budget.worst_case_usd:f}",
        },
        "spikes": [
            {"kind": spike.kind.value, "recent": _rate(spike.recent), "usual": _rate(spike.usual)}
            for spike in budget.spikes
        ],
    }


def _totals(report: Report) -> dict[str, Any]:
    found = {}
    for name, value in asdict(report.totals).items():
        one = getattr(report.totals, name)
        found[name] = _rate(one) if isinstance(one, Rate) else value
    return found


def _rate(rate: Rate) -> dict[str, Any]:
    return {"hits": rate.hits, "tries": rate.trials, "value": rate.value, "interval_95": rate.interval}


def _finding(finding: Finding) -> dict[str, Any]:
    failures = finding.outcome.failures if finding.outcome else ()
    return {
        "run_id": finding.run_id,
        "ticket_id": finding.ticket_id,
        "title": finding.title,
        "status": finding.status.value,
        "reason": finding.reason,
        "started_at": finding.started_at.isoformat(),
        "later": finding.later and finding.later.value,
        "refutations": [
            {
                "claim_id": failure.claim_violated,
                "claim": failure.claim_text,
                "counterexample": failure.smallest_input,
                "error": f"{failure.error_type}: {failure.error_message}",
                "reproducer": failure.reproducer,
            }
            for failure in failures
        ],
    }


def table_rows(frame: pd.DataFrame) -> Any:
    """A table as JSON values, a row each."""
    return json.loads(frame.reset_index().to_json(orient="records", date_format="iso"))
