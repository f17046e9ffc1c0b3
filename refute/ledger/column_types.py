"""How the ledger stores money and moments, the same in every database."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from sqlalchemy import BigInteger, DateTime, Dialect, TypeDecorator

NANODOLLARS: Final = 1_000_000_000


class Usd(TypeDecorator[Decimal]):
    """US dollars, stored exactly as whole nanodollars, so that every database sums them without rounding."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """To nanodollars."""
        return None if value is None else int((value * NANODOLLARS).to_integral_value(ROUND_HALF_EVEN))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Decimal | None:  # noqa: ARG002
        """From nanodollars."""
        return None if value is None else Decimal(value) / NANODOLLARS


class Instant(TypeDecorator[datetime]):
    """A moment in UTC; databases without time zones give it back with its zone all the same."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """To UTC; a moment without a zone is a mistake of the caller."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"got {value!r} without a time zone, expected one")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """With its zone."""
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
