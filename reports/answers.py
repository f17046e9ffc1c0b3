"""How long tickets waited for a person, and what was answered; what was said in advance waited for nobody."""

from typing import Final

import pandas as pd
from sqlalchemy import Connection, or_, select

from refute.approval import Answered
from refute.ledger.schema import CONFIRMATIONS
from reports.columns import ANSWER, CATEGORY, MOMENT, Columns, typed
from reports.reading import bare, chunks

NO_FINDINGS: Final = "[]"
READ: Final[Columns] = {
    "outcome_id": "int64",
    "answer": ANSWER,
    "asked_at": MOMENT,
    "answered_at": MOMENT,
    "findings": CATEGORY,
}


def read_answers(connection: Connection, outcome_ids: "pd.Series[int]") -> pd.DataFrame:
    """Answers of people, and such that were about findings that block.

    Args:
        connection: to the ledger.
        outcome_ids: which outcomes are in scope.

    Returns:
        `answer`; `waited_s`, NaN where nobody was asked; `overrides`, whether findings that block were let through.
    """
    table = CONFIRMATIONS.c
    query = select(table.outcome_id, *bare(table[name] for name in READ if name != "outcome_id"))
    # Joined here, not in SQL: most confirmations are in advance and need not be looked up among the outcomes.
    query = query.where(or_(table.asked_at.is_not(None), table.findings != NO_FINDINGS))
    found = typed(list(READ), chunks(connection, query), READ)
    found = found[found["outcome_id"].isin(outcome_ids)].reset_index(drop=True)
    waited_s = (found["answered_at"] - found["asked_at"]).dt.total_seconds()
    confirmed = found["answer"] == Answered.CONFIRMED.value
    overrides = confirmed & (found["findings"].astype(object) != NO_FINDINGS)
    # Two machines' clocks may differ; an answer before its question did not wait.
    return pd.DataFrame({"answer": found["answer"], "waited_s": waited_s.clip(lower=0.0), "overrides": overrides})
