"""Prices: every token once, the tier of the prompt's length, the day of the call."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from refute.errors import SettingsInvalid
from refute.llm.enterprise import Models
from refute.llm.model import Usage
from refute.llm.pricing import load_prices, total

PRICES = """
checked: 2026-11-22
source: a test
models:
  m:
    - {input: "1", output: "10", cached: "0.1", until: 2026-12-31, source: s}
    - {input: "2", output: "20", cached: "0.2", source: s}
    - {input: "4", output: "40", cached: "0.4", above_input_tokens: 200000, source: s}
"""
TODAY = date(2026, 12, 31)
TOMORROW = date(2027, 1, 1)
MILLION = 1_000_000


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES)
    return path


@pytest.mark.parametrize(
    ("usage", "day", "usd"),
    [
        (Usage(input_tokens=100_000), TODAY, "0.1"),
        (Usage(input_tokens=100_000, cached_tokens=50_000), TODAY, "0.055"),
        (Usage(output_tokens=MILLION), TODAY, "10"),
        (Usage(output_tokens=400_000, thinking_tokens=600_000), TODAY, "10"),
        (Usage(input_tokens=1), TODAY, "0.000001"),
        (Usage(output_tokens=MILLION), TOMORROW, "20"),  # until its last day
        (Usage(input_tokens=200_000), TOMORROW, "0.4"),
        (Usage(input_tokens=200_001), TOMORROW, "0.800004"),  # the dearer tier, for all of it
    ],
)
def test_each_token_is_paid_once_at_the_price_of_its_day_and_tier(own: Path, usage: Usage, day: date, usd: str) -> None:
    assert load_prices(own).cost("m", usage, day) == Decimal(usd)


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    assert total([Decimal(1), None]) is None
    assert total([Decimal(1), Decimal(2)]) == 3
    assert total([]) == 0


def test_the_default_models_have_prices() -> None:
    prices = load_prices()
    for model in (Models().flash, Models().pro):
        assert prices.cost(model, Usage(input_tokens=1, output_tokens=1), TODAY)


@pytest.mark.parametrize("text", ["", "models: 3", "a: [", PRICES.replace('"10"', "-1")])
def test_what_is_no_price_list_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(SettingsInvalid, match="prices"):
        load_prices(path)
