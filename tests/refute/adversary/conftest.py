"""Tickets, attacks and runs as small as a test needs them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import (
    Attack,
    AttackRun,
    AttackTest,
    Brief,
    Category,
    Origin,
    SourceModule,
    TestEnd,
    TestRun,
    TriagedTest,
    TriageVerdict,
)
from refute.sandbox.job import Job, Limits
from refute.ticket.record import ClaimId, Module
from tests.fakes.tickets import fake_ticket

CLAIM = "double(x) returns twice its argument."


def make_brief(*claims: str, source: str = "", **limits: Any) -> Brief:
    """A brief for `impl.py` of this source; claims are C1, C2 and so on."""
    texts = claims or (CLAIM,)
    ticket = fake_ticket(*texts, ticket_id="TCK-1", workspace=Path("/nowhere"), implementation_files=("impl.py",))
    module = SourceModule(module=Module(path="impl.py", name="impl"), source=source)
    return Brief(ticket=ticket, modules=(module,), workspace_paths=("impl.py",), **limits)


def make_test(name: str, *, claim: str = "C1", quote: str = CLAIM, origin: Origin = Origin.MODEL) -> AttackTest:
    """One test of an attack."""
    return AttackTest(
        name=name, claim_id=ClaimId(claim), quote=quote, category=Category.EDGE, origin=origin, tester="fake"
    )


def make_attack(source: str, tests: Sequence[AttackTest]) -> Attack:
    """An attack of one file."""
    return Attack(
        file_name="test_adversarial_tck_1.py", source=source, tests=tuple(tests), untestable=(), tester="fake"
    )


def make_outline(image_id: str = "sha256:1", workspace: bytes = b"tar", *, timeout_s: float = 90) -> Job:
    """A job before anybody said what it runs."""
    limits = Limits(timeout_s=timeout_s + 15)
    return Job(
        name="attack", run_id="r", ticket_id="T", image_id=image_id, command=(), workspace=workspace, limits=limits
    )


def make_run(name: str = "test_a", end: TestEnd = TestEnd.FAILED, **facts: Any) -> TestRun:
    """One run of a test that reached the implementation."""
    defaults: dict[str, Any] = {"error_type": "AssertionError", "error_message": "assert 1 == 2"}
    if end is not TestEnd.FAILED:
        defaults = {}
    if given := facts.pop("smallest_input", ""):
        defaults["notes"] = (f"Falsifying example: {name}({','.join(given.splitlines())})",)
    return TestRun(name=name, end=end, **({"reached_implementation": True} | defaults | facts))


def make_triaged(
    test: AttackTest, verdict: TriageVerdict = TriageVerdict.SURVIVED, run: TestRun | None = None
) -> TriagedTest:
    """A test with what was made of it."""
    end = TestEnd.PASSED if verdict is TriageVerdict.SURVIVED else TestEnd.FAILED
    return TriagedTest(test=test, verdict=verdict, reason=f"because {verdict}", run=run or make_run(test.name, end))


def make_attack_run(first: Sequence[TestRun], *repetitions: Sequence[TestRun], **facts: Any) -> AttackRun:
    """A run of an attack."""
    defaults: dict[str, Any] = {"tampering": (), "output": "", "duration_s": 1.0, "timed_out": False}
    return AttackRun(first=tuple(first), repetitions=tuple(tuple(runs) for runs in repetitions), **(defaults | facts))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """`write(name, text)` → a file in a throwaway folder."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
