"""What a report is made of, read from the ledger: a narrow row per outcome, the rest added up in SQL.

A million rows have to be read in seconds, and what costs is the number of cells. So the columns that repeat (status,
tester, labels, counts) come as one text, and each of the few different ones is taken apart once.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
import pandas as pd
from sqlalchemy import BigInteger, ColumnElement, Connection, cast, func, literal, or_, select, tuple_, type_coerce

from refute.approval import Answered
from refute.ledger.budgets import HELD, State
from refute.ledger.latest import RECORDED
from refute.ledger.schema import BATCHES, CONFIRMATIONS, MODEL_CALLS, OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import ClaimVerdict, Status
from reports.groups import GROUPS, Group
from reports.reading import ANSWER, CATEGORY, MOMENT, STATUS, Columns, bare, chunks, typed
from reports.scope import Scope

SEPARATOR: Final = "\x1f"
"""Stands in no column: the ledger escapes control characters."""
NARROW: Final[Columns] = {
    RECORDED.key: "int64",
    "started_at": MOMENT,
    "kind": CATEGORY,
    "ticket_id": CATEGORY,
    "cost_nanousd": "int64",
    "duration_s": "float64",
    "sandbox_s": "float64",
}
"""All from the index `ix_outcomes_report`, which on SQLite has the key too, so that it need not read the documents."""
KIND: Final = ("status", "tester", "labels", "claim_counts", "test_counts", "tiers", "models")
BETWEEN_MODELS: Final = "; "
"""As the ledger's rows list models; no model's name has it."""
GROUP: Final = pd.CategoricalDtype([group.value for group in Group], ordered=True)

CALL_COLUMNS: Final[Columns] = {
    "model": "str",
    "calls": "int64",
    "input_tokens": "int64",
    "cached_tokens": "int64",
    "output_tokens": "int64",
    "thinking_tokens": "int64",
    "cost_nanousd": "int64",
    "unpriced": "int64",
    "latency_s": "float64",
}
TIMED_CALL_COLUMNS: Final[Columns] = {**CALL_COLUMNS, "tenths": "int64"}
STRENGTH_COLUMNS: Final[Columns] = {
    "strength": "float64",
    "status": STATUS,
    "runs": "int64",
    "mutants_killed": "int64",
    "mutants_counted": "int64",
}


NO_FINDINGS: Final = "[]"
ANSWER_COLUMNS: Final[Columns] = {
    "outcome_id": "int64",
    "answer": ANSWER,
    "asked_at": MOMENT,
    "answered_at": MOMENT,
    "findings": CATEGORY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Of the outcomes in scope. Money in nanodollars, times in seconds, moments in UTC."""

    outcomes: pd.DataFrame
    """In the order of recording: `started_at`, `ticket_id`, `cost_nanousd`, `duration_s`, `sandbox_s`, `status`,
    `group`, `tester`, `tiers`, `claims_refuted`, `claims_judged`, and `kind`, the row in `kinds`."""
    kinds: pd.DataFrame
    """What differs between outcomes: `runs`, `labels` and `models` (tuples), `claims` and `tests` (kind → number)."""
    calls: pd.DataFrame
    """Model calls by model, `CALL_COLUMNS`; also those for other things than outcomes where the scope is
    one of time alone."""
    latencies: pd.DataFrame
    """The same calls by `model` and the `tenths` of a second that they took: `calls`."""
    strengths: pd.DataFrame
    """Outcomes whose attack's strength was measured, by strength (the lower end) and status, `STRENGTH_COLUMNS`."""
    queue_s: "pd.Series[float]"
    """Of each ticket of a batch: from the batch's opening to the ticket's own beginning."""
    answers: pd.DataFrame
    """What people answered, how long they took, and what was let through."""


def read_facts(ledger: Ledger, scope: Scope, now: datetime) -> Facts:
    """Read them in one transaction, so that all numbers are of one moment, `now`.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    plain = {name: OUTCOMES.c[name] for name in NARROW if name != "kind"}
    columns = [_kind() if name == "kind" else bare([plain[name]])[0] for name in NARROW]
    with ledger.transaction() as connection:
        found = typed(list(NARROW), chunks(connection, select(*columns).where(*scope.conditions())), NARROW)
        (calls, latencies), strengths = _calls(connection, scope, now), _strengths(connection, scope)
        batched = _batched(connection, scope)
        answers = _answers(connection, found[RECORDED.key])
    in_order = found.sort_values(RECORDED.key, ignore_index=True)
    queue_s = _queue_s(in_order, *batched)
    taken_apart = _taken_apart(in_order.drop(columns=RECORDED.key))
    rest = {"calls": calls, "latencies": latencies, "strengths": strengths, "answers": answers}
    return Facts(**taken_apart, **rest, queue_s=queue_s)


def _kind() -> ColumnElement[str]:
    first, *rest = (func.coalesce(OUTCOMES.c[name], "") for name in KIND)
    joined: ColumnElement[str] = first
    for column in rest:
        joined = joined.concat(literal(SEPARATOR)).concat(column)
    return joined.label("kind")


def _taken_apart(found: pd.DataFrame) -> dict[str, pd.DataFrame]:
    codes = found["kind"].cat.codes.to_numpy()
    texts = [text.split(SEPARATOR) for text in found["kind"].cat.categories]
    kinds = pd.DataFrame(texts, columns=list(KIND), dtype=object)
    kinds["claims"] = kinds.pop("claim_counts").map(json.loads)
    kinds["tests"] = kinds.pop("test_counts").map(json.loads)
    kinds["labels"] = kinds["labels"].map(lambda text: tuple(json.loads(text)))
    kinds["models"] = kinds["models"].map(lambda text: tuple(filter(None, text.split(BETWEEN_MODELS))))
    kinds["runs"] = np.bincount(codes, minlength=len(kinds))
    refuted = [claims.get("refuted", 0) for claims in kinds["claims"]]
    standing = [verdict.value for verdict in ClaimVerdict if verdict.survived]
    survived = [sum(claims.get(verdict, 0) for verdict in standing) for claims in kinds["claims"]]
    found["status"] = _spread(kinds["status"], STATUS, codes)
    groups = kinds["status"].map(lambda status: GROUPS[Status(status)].value)
    found["group"] = _spread(groups, GROUP, codes)
    for name in ("tester", "tiers"):
        found[name] = _spread(kinds[name], pd.CategoricalDtype(sorted(set(kinds[name]))), codes)
    found["claims_refuted"] = np.asarray(refuted, dtype="int64")[codes]
    found["claims_judged"] = np.asarray(refuted, dtype="int64")[codes] + np.asarray(survived, dtype="int64")[codes]
    found["kind"] = codes
    return {"outcomes": found, "kinds": kinds}


def _spread(values: "pd.Series[Any]", dtype: pd.CategoricalDtype, codes: Any) -> pd.Categorical:
    """A column of the kinds as one of the outcomes."""
    return pd.Categorical.from_codes(pd.Categorical(values, dtype=dtype).codes[codes], dtype=dtype)


def _calls(connection: Connection, scope: Scope, now: datetime) -> tuple[pd.DataFrame, pd.DataFrame]:
    """By model, and by model and time, in one pass over the table; without those whose answers are still waited for."""
    call = MODEL_CALLS.c
    tenths = cast(func.round(call.latency_s * 10), BigInteger)
    tokens = [_whole(call[name]) for name in ("input_tokens", "cached_tokens", "output_tokens", "thinking_tokens")]
    cost = type_coerce(call.cost_nanousd, BigInteger)
    # COUNT of a column leaves out NULL, which is what an unknown cost is.
    rest = [_whole(func.coalesce(cost, 0)), func.count() - func.count(call.cost_nanousd), func.sum(call.latency_s)]
    query = select(call.model, func.count(), *tokens, *rest, tenths)
    query = query.where(*scope.moments(call.at), *scope.runs(call.run_id))
    under_way = select(HELD.id).where(HELD.state == State.SENT.value, HELD.expires_at > now)
    query = query.where(call.reservation_id.not_in(under_way))
    if scope.statuses or scope.labels or scope.ticket_ids:
        # One pass over the report's index; asked for each call, SQLite would read the rows with their documents.
        of_scope = select(OUTCOMES.c.run_id, OUTCOMES.c.ticket_id).where(*scope.conditions())
        query = query.where(tuple_(call.run_id, call.ticket_id).in_(of_scope))
    kinds = (call.model, tenths)
    rows = chunks(connection, query.group_by(*kinds).order_by(*kinds))
    timed = typed(list(TIMED_CALL_COLUMNS), rows, TIMED_CALL_COLUMNS)
    calls = timed.drop(columns="tenths").groupby("model", as_index=False).sum()
    return calls, timed.groupby(["model", "tenths"], as_index=False)[["calls"]].sum()


def _strengths(connection: Connection, scope: Scope) -> pd.DataFrame:
    """A strength is one of few: it comes from two small numbers."""
    outcome = OUTCOMES.c
    sums = (func.count(), _whole(outcome.mutants_killed), _whole(outcome.mutants_counted))
    query = select(outcome.strength, outcome.status, *sums).where(outcome.mutants_counted > 0, *scope.conditions())
    kinds = (outcome.strength, outcome.status)
    return typed(list(STRENGTH_COLUMNS), chunks(connection, query.group_by(*kinds)), STRENGTH_COLUMNS)


def _batched(connection: Connection, scope: Scope) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Outcomes of batches, whose id is the run id of their tickets' outcomes, and when these batches were opened."""
    batches: Columns = {"batch": "str", "opened": MOMENT}
    query = select(BATCHES.c.batch_id, *bare([BATCHES.c.created_at]))
    opened = typed(list(batches), chunks(connection, query), batches)
    columns: Columns = {"id": "int64", "batch": CATEGORY}
    members = select(RECORDED, OUTCOMES.c.run_id)
    members = members.where(OUTCOMES.c.run_id.in_(select(BATCHES.c.batch_id)), *scope.conditions())
    # Without any batch the index would be gone through once more for nothing.
    return typed(list(columns), chunks(connection, members) if len(opened) else [], columns), opened


def _queue_s(ordered: pd.DataFrame, members: pd.DataFrame, opened: pd.DataFrame) -> "pd.Series[float]":
    """A run of one ticket begins when it is asked for and is not here.

    Args:
        ordered: outcomes by their keys, with their beginnings.
        members: of batches, some of the same outcomes.
        opened: batches with their openings.
    """
    places = np.searchsorted(ordered[RECORDED.key].to_numpy(), members["id"].to_numpy())
    began = ordered["started_at"].iloc[places].reset_index(drop=True)
    at = opened.set_index("batch")["opened"].reindex(members["batch"].cat.categories)
    waited = began - at.iloc[members["batch"].cat.codes].reset_index(drop=True)
    # Machines that share a batch have clocks of their own: who seems to begin before it was opened did not wait.
    found: pd.Series[float] = waited.dt.total_seconds().clip(lower=0.0)
    return found


def _answers(connection: Connection, outcome_ids: "pd.Series[int]") -> pd.DataFrame:
    """Answers of people, and such that were about findings that block.

    Args:
        connection: to the ledger.
        outcome_ids: which outcomes are in scope.

    Returns:
        `answer`; `waited_s`, NaN where nobody was asked; `overrides`, whether findings that block were let through.
    """
    table = CONFIRMATIONS.c
    query = select(table.outcome_id, *bare(table[name] for name in ANSWER_COLUMNS if name != "outcome_id"))
    # Joined here, not in SQL: most confirmations are in advance and need not be looked up among the outcomes.
    query = query.where(or_(table.asked_at.is_not(None), table.findings != NO_FINDINGS))
    found = typed(list(ANSWER_COLUMNS), chunks(connection, query), ANSWER_COLUMNS)
    found = found[found["outcome_id"].isin(outcome_ids)].reset_index(drop=True)
    waited_s = (found["answered_at"] - found["asked_at"]).dt.total_seconds()
    confirmed = found["answer"] == Answered.CONFIRMED.value
    overrides = confirmed & (found["findings"].astype(object) != NO_FINDINGS)
    # Two machines' clocks may differ; an answer before its question did not wait.
    return pd.DataFrame({"answer": found["answer"], "waited_s": waited_s.clip(lower=0.0), "overrides": overrides})


def _whole(column: Any) -> ColumnElement[Any]:
    """A sum as a whole number: PostgreSQL's sums of big integers are decimals."""
    return cast(func.sum(column), BigInteger)
