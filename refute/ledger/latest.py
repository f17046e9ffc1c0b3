"""Which outcome of a ticket is the latest: the one recorded last, whatever the clocks said when it began.

A clock that is set back, or that of another machine, would else let an old failure hide a newer pass, or the reverse.
"""

from typing import Final

from sqlalchemy import ColumnElement, Select, func, select

from refute.ledger.schema import OUTCOMES

RECORDED: Final = OUTCOMES.c.id
"""Greater of what was recorded later."""


def latest(*conditions: ColumnElement[bool]) -> Select[tuple[int]]:
    """The ids of the latest outcome of each ticket.

    Args:
        conditions: which outcomes count.
    """
    return select(func.max(RECORDED)).where(*conditions).group_by(OUTCOMES.c.ticket_id)
