"""Sum what was spent by category, from lines of `category,amount`."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation

COMMENT = "#"


class LineError(Exception):
    """A line that is no `category,amount`."""


def read_entries(lines: Iterable[str]) -> Iterator[tuple[str, Decimal]]:
    """Each line's category and amount; empty lines and comments are left out."""
    for number, raw in enumerate(lines, start=1):
        line = raw[:-1]
        if not line.strip() or line.startswith(COMMENT):
            continue
        category, comma, amount = line.rpartition(",")
        if not comma:
            raise LineError(f"line {number}: expected category,amount, got {line!r}")
        try:
            yield category.strip().lower(), Decimal(amount.strip())
        except InvalidOperation:
            raise LineError(f"line {number}: no amount: {amount!r}") from None


def totals(entries: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Category → sum, in alphabetical order."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for category, amount in entries:
        sums[category] += amount
    return dict(sorted(sums.items()))


def main(arguments: list[str] | None = None) -> int:
    """The command line; its exit code."""
    parser = argparse.ArgumentParser(description="Sum what was spent by category.")
    parser.add_argument("file", nargs="?", default="-", help="lines of category,amount; - is standard input")
    parser.add_argument("--total", action="store_true", help="only the sum of all categories")
    options = parser.parse_args(arguments)
    try:
        if options.file == "-":
            sums = totals(read_entries(sys.stdin))
        else:
            with open(options.file, encoding="utf-8") as file:
                sums = totals(read_entries(file))
    except (LineError, OSError) as error:
        print(f"expenses: {error}", file=sys.stderr)
        return 1
    if options.total:
        print(f"{sum(sums.values(), Decimal()):.2f}")
        return 0
    for category, amount in sums.items():
        print(f"{category} {amount:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
