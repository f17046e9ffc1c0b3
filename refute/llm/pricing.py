"""What a call costs: prices as data (`prices.yaml`), each with its source and how long it holds."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from refute.llm.model import Usage
from refute.yaml_file import YamlFile

MILLION: Final = 1_000_000
Dollars = Annotated[Decimal, Field(ge=0)]


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Dollars
    output: Dollars
    """Also of thinking."""
    cached: Dollars
    """Of input served from a cache."""
    above_input_tokens: int = 0
    """Holds for calls with more input than this; the highest such bound wins."""
    until: date | None = None
    """Last day on which it holds."""
    source: str

    def of(self, usage: Usage) -> Decimal:
        """What these tokens cost, in US dollars, exact."""
        fresh = usage.input_tokens - usage.cached_tokens
        made = usage.output_tokens + usage.thinking_tokens
        return (self.input * fresh + self.cached * usage.cached_tokens + self.output * made) / MILLION


class PriceList(BaseModel):
    """Prices by model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    checked: date
    source: str
    models: dict[str, tuple[Price, ...]]

    def cost(self, model: str, usage: Usage, day: date) -> Decimal | None:
        """What a call cost; None where no price is known.

        Args:
            model: id as it was asked for.
            usage: its tokens.
            day: of the call, UTC.
        """
        price = self._price(model, usage.input_tokens, day)
        return None if price is None else price.of(usage)

    def worst_case(self, model: str, *, input_tokens: int, max_output_tokens: int, day: date) -> Decimal | None:
        """The most that a call may cost: nothing cached, every output token used.

        Args:
            model: id as it is asked for.
            input_tokens: an upper bound.
            max_output_tokens: the limit that is sent, thinking included.
            day: of the call, UTC.
        """
        return self.cost(model, Usage(input_tokens=input_tokens, output_tokens=max_output_tokens), day)

    def _price(self, model: str, input_tokens: int, day: date) -> Price | None:
        holding = [p for p in self.models.get(model, ()) if input_tokens >= _first_token(p) and _holds(p, day)]
        # The dearer tier before the base, a price that ends before the one that follows it.
        return min(holding, key=lambda p: (-p.above_input_tokens, p.until or date.max), default=None)


@cache
def load_prices(path: Path | None = None) -> PriceList:
    """Read a price list.

    Args:
        path: a file of your own; by default the one that comes with refute.

    Raises:
        SettingsInvalid: the file cannot be read or holds something else.
    """
    with resources.as_file(resources.files("refute.llm").joinpath("prices.yaml")) as own:
        file = YamlFile(path=path or own, what="prices", hint="Compare with refute/llm/prices.yaml.")
        return file.check(PriceList, file.read())


def total(costs: Iterable[Decimal | None]) -> Decimal | None:
    """The sum; None as soon as one cost is unknown."""
    known = list(costs)
    return None if None in known else sum((cost for cost in known if cost is not None), Decimal(0))


def _first_token(price: Price) -> int:
    return price.above_input_tokens + 1 if price.above_input_tokens else 0


def _holds(price: Price, day: date) -> bool:
    return price.until is None or day <= price.until
