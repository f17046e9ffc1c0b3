"""Tests of our own among the generated ones: a reporter that turns failures into passes betrays itself by them."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.driver.plan import Report

_BANNER: Final = re.compile(rb"={3,} .+ ={3,}")
_HEADING: Final = re.compile(rb"_{3,} (?P<test>.+) _{3,}|" + _BANNER.pattern)
"""How pytest begins the traceback of a test, or another part of its report."""


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


def without_canaries(output: bytes, canaries: Sequence[Canary]) -> bytes:
    """What a worker printed, without the tracebacks of the canaries: who reads it has not written them."""
    ours = {canary.name.encode() for canary in canaries}
    kept: list[bytes] = []
    left_out = False
    for line in output.splitlines(keepends=True):
        if heading := _HEADING.fullmatch(line.rstrip()):
            left_out = heading["test"] in ours
            if kept and _BANNER.fullmatch(kept[-1].rstrip()) and heading["test"] is None:
                kept.pop()
        if not left_out:
            kept.append(line)
    if kept and _BANNER.fullmatch(kept[-1].rstrip()):
        kept.pop()
    return b"".join(kept)


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
