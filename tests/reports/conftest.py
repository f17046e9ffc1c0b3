"""Outcomes as different as they come, and golden files: `REFUTE_UPDATE_GOLDEN=1 pytest …` writes them anew."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from refute.adversary.attack import Origin, TriageVerdict
from refute.adversary.strength.record import MutantEnd, MutantResult, ShallowClaim, Strength
from refute.approval import Answered, Confirmation
from refute.ledger.store import Ledger
from refute.outcome import (
    ClaimResult,
    ClaimVerdict,
    Outcome,
    Provenance,
    StageRecord,
    Status,
    TestFailure,
    TestRecord,
)
from refute.scan.finding import Confidence, Finding, ScanResult, Severity, Suppressed
from refute.settings import Settings
from refute.ticket.record import ClaimId, LeftOut, TicketId
from tests.fakes.outcomes import fake_test
from tests.golden_files import GOLDEN, assert_agreed

PROVENANCE = Provenance(
    refute_version="0.1.0",
    tester="property",
    snapshot_digest="sha256:" + "a1" * 32,
    image_id="sha256:" + "b2" * 32,
    profile_digest="sha256:" + "c3" * 32,
    engine="docker 26.1.5",
    runtime="runc",
)


def generated(
    name: str,
    claim_id: str,
    origin: Origin,
    verdict: TriageVerdict | None = TriageVerdict.SURVIVED,
    reason: str = "passed",
    *,
    attested: bool | None = None,
) -> TestRecord:
    return fake_test(
        name, verdict, claim_id=ClaimId(claim_id), origin=origin, tester="property", reason=reason, attested=attested
    )


def pass_weak() -> Outcome:
    """Two of three claims survived; one could not be attacked, one test was rejected, one flaky."""
    return Outcome(
        run_id="0f7c1d2e-5b1c-4c1e-9a55-2f5c0d5a7e01",
        ticket_id=TicketId("TCK-102"),
        title="LRU cache with a capacity",
        status=Status.PASS_WEAK,
        reason="2 of 3 claims survived 9 tests; untested: C3; the attack is too weak: 11 of 20 mutants killed, "
        "at least 37% with 90% confidence, floor 60%",
        started_at=datetime(2026, 3, 1, 2, 30, 0, 123456, tzinfo=UTC),
        duration_s=8.437,
        provenance=PROVENANCE,
        claims=(
            ClaimResult(
                claim_id=ClaimId("C1"),
                text="Importing lru needs nothing outside the standard library.",
                verdict=ClaimVerdict.SURVIVED,
                reason="every test passed",
                tests_run=2,
                independent_tests=2,
                decided_by="test_c1_import",
                supported_by=("test_c1_import",),
            ),
            ClaimResult(
                claim_id=ClaimId("C2"),
                text="get() returns the value last put under the key, and never one that was evicted.",
                verdict=ClaimVerdict.SURVIVED_IN_PART,
                reason="every test passed",
                tests_run=7,
                independent_tests=0,
                clauses=("get() returns the value last put under the key,", "and never one that was evicted."),
                open_clauses=("and never one that was evicted.",),
            ),
            ClaimResult(
                claim_id=ClaimId("C3"),
                text="The cache feels fast.",
                verdict=ClaimVerdict.UNTESTED,
                reason="no example, property or phrase that can be tested",
            ),
        ),
        tests=(
            generated("test_c1_import", "C1", Origin.PHRASE, attested=True),
            generated("test_c2_example_0", "C2", Origin.AUTHOR_EXAMPLE, attested=True),
            generated("test_c2_property", "C2", Origin.AUTHOR_PROPERTY, attested=False),
            generated("test_c2_fuzz", "C2", Origin.FUZZ, TriageVerdict.FLAKY, "failed in 1 of 4 runs"),
            generated("test_c2_sleep", "C2", Origin.PHRASE, None, "sleeps"),
        ),
        stages=(
            StageRecord(name="snapshot", summary="3 files, 4,120 bytes", duration_s=0.012),
            StageRecord(name="verify", summary="passed", duration_s=2.61, sandbox_s=2.11),
            StageRecord(name="attack", summary="9 tests", duration_s=5.2, sandbox_s=4.8),
        ),
        caveats=("C2: 1 test flaky: test_c2_fuzz: failed in 1 of 4 runs",),
        scan=ScanResult(findings=(), scanned=("verify.sh",)),
        confirmation=Confirmation(
            answer=Answered.CONFIRMED,
            by="--yes (ada)",
            note="approved by --yes (ada)",
            asked_at=None,
            answered_at=datetime(2026, 3, 1, 2, 30, 1, tzinfo=UTC),
            snapshot_digest=PROVENANCE.snapshot_digest or "",
        ),
        left_out=(LeftOut(path=".env", reason="credentials"),),
        verification_output="3 passed in 0.02s\n",
        adversarial_tests="def test_c1_import():\n    import lru\n",
        adversarial_output="9 passed\n",
        changed_paths={"verify": ("__pycache__/lru.cpython-311.pyc",), "attack": ()},
        strength=Strength(
            n=20,
            killed=11,
            killed_by_claims_only=9,
            low=0.3711,
            high=0.717,
            floor=0.6,
            drawn=24,
            limit=1,
            unusable=1,
            not_run=2,
            survivors=(
                MutantResult(
                    path="lru.py",
                    line=12,
                    change="< → <=",
                    diff="--- lru.py\n+++ lru.py\n@@ -1 +1 @@\n-    if a < b:\n+    if a <= b:",
                    end=MutantEnd.SURVIVED,
                ),
            ),
            shallow=(
                ShallowClaim(
                    claim_id=ClaimId("C1"),
                    tests=("test_c1_import",),
                    unnoticed="whatever the functions do: they use none, or hide how it ends",
                    remedy="say in the claim what comes out",
                ),
            ),
        ),
        labels=("needs-adversarial",),
        flow_run_url="http://127.0.0.1:4200/runs/flow-run/0f7c1d2e",
    )


def failed_adversarial() -> Outcome:
    """A refutation; every text that an attacker controls is hostile."""
    hostile = "\x1b[2J\x1b]0;owned\x07[red]x[/red] <script>alert(1)</script> | `a` \u202egnp ```\n# PASS \udc80\x00"
    return Outcome(
        run_id="3d5f0a77-0c53-4f0e-8f1e-8a2d6c1b2c02",
        ticket_id=TicketId("TCK-101"),
        title="Sliding-window rate limiter " + hostile,
        status=Status.FAILED_ADVERSARIAL,
        reason="1 of 2 claims refuted: C2",
        started_at=datetime(2026, 3, 1, 2, 31, 0, tzinfo=UTC),
        duration_s=192.0,
        cost_usd=Decimal("0.0314"),
        provenance=PROVENANCE,
        claims=(
            ClaimResult(
                claim_id=ClaimId("C1"),
                text="Importing ratelimit needs nothing outside the standard library.",
                verdict=ClaimVerdict.SURVIVED,
                reason="every test passed",
                tests_run=1,
                independent_tests=1,
            ),
            ClaimResult(
                claim_id=ClaimId("C2"),
                text="allow() grants at most `limit` calls in any window of `window_s` seconds. " + hostile,
                verdict=ClaimVerdict.REFUTED,
                reason="test_c2_limit failed in 4 of 4 runs",
                decided_by="test_c2_limit",
                tests_run=3,
                independent_tests=2,
            ),
        ),
        failures=(
            TestFailure(
                test_name="test_c2_limit",
                claim_violated=ClaimId("C2"),
                claim_text="allow() grants at most `limit` calls in any window of `window_s` seconds. " + hostile,
                error_type="AssertionError",
                error_message="granted 3 calls, limit 2\n" + hostile,
                traceback='Traceback (most recent call last):\n  File "test.py", line 9\nAssertionError: ' + hostile,
                smallest_input="limit=2\nwindow_s=1.0",
                reproducer="print('" + hostile + "')\n",
                tester="property",
            ),
        ),
        tests=(
            generated("test_c1_import", "C1", Origin.PHRASE),
            generated("test_c2_limit", "C2", Origin.PHRASE, TriageVerdict.REFUTED, "failed in 4 of 4 runs"),
        ),
        stages=(StageRecord(name="attack", summary=hostile, duration_s=190.0, sandbox_s=188.5),),
        caveats=("tampering: " + hostile,),
        confirmation=Confirmation(
            answer=Answered.CONFIRMED,
            by="Ada " + hostile,
            note="approved by Ada " + hostile,
            asked_at=datetime(2026, 3, 1, 2, 31, 0, tzinfo=UTC),
            answered_at=datetime(2026, 3, 1, 2, 31, 40, tzinfo=UTC),
            snapshot_digest=PROVENANCE.snapshot_digest or "",
            findings=("SH001@verify.sh:7",),
        ),
        verification_output=hostile,
        verification_stderr=hostile,
        adversarial_tests="# " + hostile,
        adversarial_output=hostile,
        changed_paths={"attack": (hostile,)},
    )


def blocked() -> Outcome:
    """The scan stopped it: nothing ran."""
    finding = Finding(
        rule_id="SH001",
        path="verify.sh",
        line=7,
        column=1,
        severity=Severity.CRITICAL,
        confidence=Confidence.HIGH,
        matched='rm -rf "$HOME"',
        command="rm -rf /root",
        explanation="Deletes everything in the home directory.",
        remedy="Delete only paths inside the workspace.",
    )
    return Outcome(
        run_id="77aa0a77-0c53-4f0e-8f1e-8a2d6c1b2c03",
        ticket_id=TicketId("TCK-666"),
        title="Clean-up script",
        status=Status.BLOCKED_DANGEROUS_SCRIPT,
        reason="verify.sh:7: 'rm -rf \"$HOME\"' — Deletes everything in the home directory.",
        started_at=datetime(2026, 3, 1, 2, 32, 0, tzinfo=UTC),
        duration_s=0.1,
        provenance=Provenance(refute_version="0.1.0", tester="property"),
        stages=(StageRecord(name="scan", summary="1 finding, 1 blocking", duration_s=0.02),),
        scan=ScanResult(
            findings=(finding,),
            scanned=("verify.sh",),
            suppressed=(Suppressed(finding=finding, reason="reviewed"),),
        ),
    )


def failed_verification() -> Outcome:
    """The author's own script failed after much output."""
    return Outcome(
        run_id="88bb0a77-0c53-4f0e-8f1e-8a2d6c1b2c04",
        ticket_id=TicketId("TCK-103"),
        title="ISO date parser",
        status=Status.FAILED_VERIFICATION,
        reason="verify.sh exited with 1",
        started_at=datetime(2026, 3, 1, 2, 33, 0, tzinfo=UTC),
        duration_s=3.0,
        provenance=PROVENANCE,
        verification_output="".join(f"line {number}\n" for number in range(100)),
        verification_stderr="ValueError: month must be in 1..12\n",
    )


OUTCOMES = {
    "pass_weak": pass_weak,
    "failed_adversarial": failed_adversarial,
    "blocked": blocked,
    "failed_verification": failed_verification,
}


@pytest.fixture(params=OUTCOMES)
def named_outcome(request: pytest.FixtureRequest) -> tuple[str, Outcome]:
    """Each outcome with its name."""
    return request.param, OUTCOMES[request.param]()


@pytest.fixture(scope="session")
def outcomes() -> dict[str, Outcome]:
    """All outcomes by name."""
    return {name: make() for name, make in OUTCOMES.items()}


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
