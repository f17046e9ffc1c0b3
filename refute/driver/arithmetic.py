"""Decimal arithmetic: each process has its own context, so they are to be as Python has them."""

import decimal
from typing import Final

REASON: Final = "needs the implementation in the test's process: sets the context of decimal arithmetic"


def is_as_usual() -> bool:
    """Whether this thread's context is that of a new one; what is only flagged may differ."""
    now, usual = decimal.getcontext(), decimal.DefaultContext
    return now.prec == usual.prec and now.rounding == usual.rounding and now.traps == usual.traps
