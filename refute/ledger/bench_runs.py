"""Bench runs measure a tester on code known to be right or wrong: what they find is nobody's failing ticket.

They are told by the batch's name, which who runs a batch gives; a label would let a ticket's author hide its failures.
"""

from typing import Final

from sqlalchemy import ColumnElement, func

BENCH: Final = "bench-"
"""How the run id of every bench run begins, and no other."""


def is_bench(run_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a column's run is a bench run; `LIKE` would not mind capitals on SQLite."""
    return func.substr(run_id, 1, len(BENCH)) == BENCH


def is_no_bench(run_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a column's run is none."""
    return func.substr(run_id, 1, len(BENCH)) != BENCH
