"""What migrations read of the outcomes that are there."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa

FETCHED_AT_ONCE = 500
OUTCOMES = sa.table("outcomes", sa.column("id", sa.Integer), sa.column("document", sa.Text))


def rows_from_documents(
    connection: sa.Connection, columns: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[list[dict[str, Any]]]:
    """The outcomes in parts, each as `key` (its id) and what a migration makes of its document.

    Args:
        connection: of the migration.
        columns: of one document.
    """
    last = 0
    while True:
        query = sa.select(OUTCOMES.c.id, OUTCOMES.c.document).where(OUTCOMES.c.id > last)
        found = connection.execute(query.order_by(OUTCOMES.c.id).limit(FETCHED_AT_ONCE)).all()
        if not found:
            return
        last = found[-1].id
        yield [{"key": key, **columns(json.loads(document))} for key, document in found]
