"""What critics said: of one ticket, and lately by focus."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Final

import pandas as pd
from pydantic import TypeAdapter

from refute.critics.record import Review, ReviewVerdict
from refute.guardrails.plain_text import printable
from refute.ledger.reviews import ReviewRow
from refute.llm.pricing import total
from refute.stages.evidence import Critique
from refute.wording import counted
from reports.evidence import review_lines
from reports.wording import money

SHOWN: Final = 20
REVIEWS_JSON: Final = TypeAdapter(tuple[Review, ...])


def render_critique(critique: Critique, form: str) -> str:
    """The reviews of one ticket, as `table` or `json`."""
    judgement = critique.judgement
    if form == "json":
        told = {
            "status": judgement.status,
            "reason": judgement.reason,
            "reviews": REVIEWS_JSON.dump_python(critique.reviews, mode="json"),
            "tests": critique.tests,
            "cost_usd": None if critique.cost_usd is None else str(critique.cost_usd),
        }
        return json.dumps(told, indent=2)
    tokens = sum(one.input_tokens + one.output_tokens for one in critique.reviews)
    asked = [one for one in critique.reviews if one.model]
    end = judgement.reason or "no finding blocks this ticket"
    lines = [*review_lines(critique.reviews), "", f"{judgement.status or 'no objection'}: {end}"]
    lines.append(
        f"{counted(len(asked), 'critic')}, {tokens:,} tokens, {money(critique.cost_usd)}"
        if asked
        else "for a model's review: --tester gemini"
    )
    return "\n".join(printable(line, max_chars=2_000) for line in lines)


def render_reviews(rows: Sequence[ReviewRow], form: str) -> str:
    """Recent reviews: counts by focus, then the last ones; as `table` or `json`."""
    if form == "json":
        plain = [{**asdict(row), "at": row.at.isoformat(), "cost_usd": _plain(row.cost_usd)} for row in rows]
        return json.dumps({"by_focus": _by_focus(rows).reset_index().to_dict("records"), "reviews": plain}, indent=2)
    if not rows:
        return "no review yet; run `refute critics run TICKET`"
    latest = [f"{row.at:%Y-%m-%d %H:%M}  {printable(row.ticket_id)}  {_said(row)}" for row in rows[:SHOWN]]
    cost = total(row.cost_usd for row in rows)
    return "\n".join([_table(rows), "", *latest, "", f"{counted(len(rows), 'review')}, {money(cost)}"])


def _by_focus(rows: Sequence[ReviewRow]) -> pd.DataFrame:
    """Focus → how often it passed, failed and so on, confirmed failures, tokens a review, cost of all."""
    frame = pd.DataFrame([asdict(row) for row in rows], columns=list(ReviewRow.__dataclass_fields__))
    frame["tokens"] = frame["input_tokens"] + frame["output_tokens"]
    counts = pd.crosstab(frame["focus"], frame["verdict"]).reindex(columns=[*ReviewVerdict], fill_value=0)
    sums = frame.groupby("focus").agg(confirmed=("confirmed", "sum"), tokens_each=("tokens", "mean"))
    costs = frame.groupby("focus")["cost_usd"].agg(lambda each: money(total(each)))
    return counts.join(sums.round(0).astype(int)).join(costs.rename("cost"))


def _table(rows: Sequence[ReviewRow]) -> str:
    """Counts by focus, under headings of one line."""
    counts = _by_focus(rows).reset_index()
    counts.columns = pd.Index([str(name).replace("_", " ") for name in counts.columns])
    return counts.to_string(index=False)


def _said(row: ReviewRow) -> str:
    verdict = f"{row.focus}: {row.verdict.replace('_', ' ')}"
    return f"{verdict}, {counted(row.failures, 'failure')}, {row.confirmed} confirmed" if row.failures else verdict


def _plain(cost: Decimal | None) -> str | None:
    return None if cost is None else str(cost)
