"""Tests of our own among the generated ones: a reporter that turns failures into passes betrays itself by them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from refute.driver.plan import Report


@dataclass(frozen=True, slots=True)
class Canary:
    """A test whose end we know."""

    name: str
    source: str
    end: str
    error_type: str = ""


def make_canaries(tests: Sequence[str]) -> list[Canary]:
    """Four canaries, named like the real tests. The last one is meant to run last.

    Their code uses literals only: whatever the test file imported, `assert` and `{}` mean what they mean.
    """
    names: list[str] = []
    while len(names) < 4:  # noqa: PLR2004
        name = f"{secrets.choice(tests).rpartition('::')[2]}_{secrets.randbelow(90) + 10}"
        if name not in tests and name not in names:
            names.append(name)
    low, high = secrets.randbelow(1000), 1000 + secrets.randbelow(1000)
    return [
        Canary(names[0], f"    assert [{low}, {high}] == [{low}, {high}]\n", "passed"),
        Canary(names[1], f"    assert [{low}, {high}] == [{low}, {high + 1}]\n", "failed", "AssertionError"),
        Canary(names[2], f"    {{}}[{low}]\n", "failed", "KeyError"),
        Canary(names[3], f"    assert {low} == {high}\n", "failed", "AssertionError"),
    ]


def with_canaries(source: bytes, canaries: Sequence[Canary]) -> bytes:
    """The test file with the canaries behind everything else, so that no line of it moves."""
    functions = (f"\n\ndef {canary.name}():\n{canary.source}" for canary in canaries)
    return source.rstrip(b"\n") + b"\n" + "".join(functions).encode()


def mixed_order(tests: Sequence[str], canaries: Sequence[Canary]) -> list[str]:
    """The tests in their order with the canaries at random places, the last canary at the end."""
    order = list(tests)
    for canary in canaries[:-1]:
        order.insert(secrets.randbelow(len(order) + 1), canary.name)
    return [*order, canaries[-1].name]


def lying_canaries(canaries: Sequence[Canary], reports: Mapping[str, Report]) -> list[str]:
    """One line per canary that ran and was not reported as what it is.

    A canary that could not be set up, or whose process ended, was not lied about.
    """
    lies = []
    for canary in canaries:
        report = reports.get(canary.name)
        if report is None or report.end not in {"passed", "failed", "skipped"}:
            continue
        if (report.end, report.error_type) != (canary.end, canary.error_type):
            got = f"{report.end} {report.error_type}".strip()
            lies.append(f"a test that must end {canary.end} {canary.error_type}".strip() + f" was reported {got}")
    return lies
