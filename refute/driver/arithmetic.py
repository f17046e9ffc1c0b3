"""The context of decimal arithmetic, which both processes have: precision and rounding."""

import decimal
from typing import Any, Final

from refute.driver.errors import Malformed

Settings = list[Any]
PRECISION: Final = 28
"""Of the default context, which rounds half to even: https://docs.python.org/3/library/decimal.html (2026-11)."""


class SharedArithmetic:
    """This side's end: what one side sets, the other has with the next message.

    Exponents, traps and flags stay with each side: with them a test's own arithmetic could be made to say nothing.
    """

    def __init__(self) -> None:
        self._agreed = _settings()

    def tell(self) -> Settings | None:
        """What changed since the other side heard of it."""
        now = _settings()
        if now == self._agreed:
            return None
        self._agreed = now
        return now

    def hear(self, told: Any) -> bool:
        """Take over what the other side set; whether sums could now hide a difference that they would show by default.

        Raises:
            Malformed: it is no setting.
        """
        try:
            precision, rounding = told
            context = decimal.getcontext()
            context.prec, context.rounding = precision, rounding
        except (TypeError, ValueError, OverflowError) as error:
            raise Malformed("a setting of decimal arithmetic is none") from error
        self._agreed = _settings()
        return bool(context.prec < PRECISION or context.rounding != decimal.ROUND_HALF_EVEN)


def _settings() -> Settings:
    context = decimal.getcontext()
    return [context.prec, context.rounding]
