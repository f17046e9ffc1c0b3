"""Outcomes as different as they come, and golden files: `REFUTE_UPDATE_GOLDEN=1 pytest …` writes them anew."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.outcome_document import read_document
from refute.settings import Settings
from reports.frames import Frames
from tests.golden_files import GOLDEN, assert_agreed

OUTCOMES = {
    "pass_weak": "two of three claims survived; one could not be attacked, one test was rejected, one flaky",
    "failed_adversarial": "a refutation; every text that an attacker controls is hostile",
    "blocked": "the scan stopped it: nothing ran",
    "failed_verification": "the author's own script failed after much output",
}
"""Name → what it is; each is as its JSON document among the golden files has it."""


def assert_equal(left: Frames, right: Frames) -> None:
    for name in ("outcomes", "claims", "failures", "sandbox_runs", "confirmations"):
        pd.testing.assert_frame_equal(getattr(left, name), getattr(right, name))


def read(name: str) -> Outcome:
    return with_surrogates(read_document((GOLDEN / "outcome" / f"{name}.json").read_text()))


def with_surrogates(value: Any) -> Any:
    """The value with the lone surrogates that it had before it was a document, which holds their escapes."""
    if isinstance(value, str):
        return value.replace("\\udc80", "\udc80") if type(value) is str else value
    if isinstance(value, tuple):
        return tuple(map(with_surrogates, value))
    if isinstance(value, dict):
        return {name: with_surrogates(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: with_surrogates(getattr(value, one.name)) for one in fields(value)})
    return value


@pytest.fixture(params=OUTCOMES)
def named_outcome(request: pytest.FixtureRequest) -> tuple[str, Outcome]:
    """Each outcome with its name."""
    return request.param, read(request.param)


@pytest.fixture(scope="session")
def outcomes() -> dict[str, Outcome]:
    """All outcomes by name."""
    return {name: read(name) for name in OUTCOMES}


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with a file under tests/golden/outcome."""

    def compare(name: str, text: str) -> None:
        assert_agreed(text, GOLDEN / "outcome" / name)

    return compare


@pytest.fixture
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger; on either database where a module is `ON_BOTH`."""
    url = request.getfixturevalue("postgres_url") if getattr(request, "param", "") == "postgresql" else None
    with closing(Ledger.open(Settings(state_dir=tmp_path, ledger_url=url))) as opened:
        yield opened


DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
ON_BOTH = pytest.mark.parametrize("ledger", DATABASES, indirect=True)


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drop the COLUMNS that xdist gives its workers: a table that goes to no terminal has a fixed width."""
    monkeypatch.delenv("COLUMNS", raising=False)
