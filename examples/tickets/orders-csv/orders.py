"""Reading the order export: comma-separated lines with ISO dates and amounts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Iterable, Iterator

ISO_DATE = re.compile(r"^(\d{4})-(\d{2})-(\d{2})$")
DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class OrderError(ValueError):
    """A line that is not an order."""


@dataclass(frozen=True)
class Order:
    """One line of the export."""

    number: str
    date: str
    customer: str
    amount: Decimal


def is_leap_year(year: int) -> bool:
    """Return True if the year has a 29th of February."""
    return year % 4 == 0


def is_iso_date(text: str) -> bool:
    """Return True if text is an existing calendar date in the form YYYY-MM-DD.

    >>> is_iso_date("2024-02-29")
    True
    >>> is_iso_date("2023-02-29")
    False
    >>> is_iso_date("24-2-9")
    False
    """
    match = ISO_DATE.match(text)
    if not match:
        return False
    year, month, day = map(int, match.groups())
    if not 1 <= month <= 12:
        return False
    days = DAYS_IN_MONTH[month - 1]
    if month == 2 and is_leap_year(year):
        days = 29
    return 1 <= day <= days


def split_line(line: str) -> list[str]:
    """Split a CSV line into its fields (RFC 4180).

    >>> split_line('1001,2024-02-29,"Smith, John",12.50')
    ['1001', '2024-02-29', 'Smith, John', '12.50']
    """
    fields: list[str] = []
    current = ""
    quoted = False
    for char in line.rstrip("\r\n"):
        if char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            fields.append(current)
            current = ""
        else:
            current += char
    fields.append(current)
    return fields


def parse_order(line: str) -> Order:
    """Parse one line of the export.

    Raises:
        OrderError: If the line does not have four fields, or one of them is invalid.
    """
    fields = split_line(line)
    if len(fields) != 4:
        raise OrderError(f"expected 4 fields, got {len(fields)}")
    number, date, customer, amount = fields
    if not is_iso_date(date):
        raise OrderError(f"invalid date: {date}")
    try:
        value = Decimal(amount)
    except InvalidOperation as error:
        raise OrderError(f"invalid amount: {amount}") from error
    return Order(number=number, date=date, customer=customer, amount=value)


def parse_orders(lines: Iterable[str]) -> Iterator[Order]:
    """Parse all lines that are not blank."""
    for line in lines:
        if line.strip():
            yield parse_order(line)
