"""Values of options that click has no type for."""

from decimal import Decimal, InvalidOperation
from typing import Any

import click


class Usd(click.ParamType[Decimal]):
    """An amount of money."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """The amount; a usage error names what is expected."""
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount < 0:
            self.fail(f"got {value!r}, expected an amount in US dollars such as 0.50", param, ctx)
        return amount


def parse_size(text: str) -> int:
    """Bytes from `512m`, `2g`, `1.5GiB` or a plain number.

    Raises:
        click.BadParameter: anything else.
    """
    units = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
    number = text.strip().lower().removesuffix("b").removesuffix("i")
    unit = number[-1:] if number[-1:] in units and not number[-1:].isdigit() else ""
    try:
        return int(Decimal(number.removesuffix(unit)) * units[unit])
    except ArithmeticError as error:
        raise click.BadParameter(f"got {text!r}, expected a size such as 512m or 2g", param_hint="--memory") from error
