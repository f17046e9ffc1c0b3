"""The gate's document: one for each status, with what its implementer can act on."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from refute.adversary.strength.record import ShallowClaim, Strength, ViolationEnd, ViolationResult
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing
from refute.errors import SnapshotCorrupted
from refute.governance.failures import FailureKind
from refute.governance.gate import SCHEMA_FILE, gate_schema, read_gate, write_gate
from refute.governance.policy import LoadedPolicy, Policy
from refute.governance.sarif import gate_sarif
from refute.outcome import ClaimVerdict, SecondEnvironment, Status
from refute.scan.scanner import scan_files
from refute.ticket.record import ClaimId
from refute.ticket.snapshot import reopen_snapshot
from refute.ticket.store import SnapshotStore
from tests.fakes.outcomes import CLAIM, FAILURE, REFUTED
from tests.golden_files import assert_agreed

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = (Status.FAILED_IMPORT, Status.FAILED_VERIFICATION, Status.FAILED_TIMEOUT, Status.FAILED_RESOURCES)
NOBODY = (Status.ERROR, Status.CANCELLED, Status.SKIPPED_BUDGET, Status.INCONCLUSIVE, Status.PENDING, Status.SKIPPED)
PUBLISHED = jsonschema.Draft202012Validator(json.loads((ROOT / SCHEMA_FILE).read_text()))


@pytest.mark.parametrize("status", list(Status))
def test_a_document_of_every_status_fits_the_published_schema(made, status):
    document = made(status=status, failures=(FAILURE,), title="lone \udc80 surrogate")
    text = write_gate(document)
    assert text.isascii()
    PUBLISHED.validate(json.loads(text))
    assert write_gate(read_gate(text)) == text
    assert document.exit_code == (17 if status is Status.SKIPPED else status.exit_code)
    assert document.passed == (status is Status.PASS)


def test_the_published_schema_is_current():
    assert_agreed(gate_schema(), ROOT / SCHEMA_FILE)


def test_a_refuted_claim_goes_back_with_its_input_and_a_program_that_shows_it(made):
    (failure,) = made(status=Status.FAILED_ADVERSARIAL, failures=(FAILURE,), claims=(REFUTED,)).failures
    assert failure.kind is FailureKind.CLAIM_REFUTED
    assert (failure.claim_id, failure.expected) == ("C1", "It sorts.")
    assert failure.observed == "AssertionError: [2, 1] != [1, 2]"
    assert failure.smallest_input == "xs=[2, 1]"
    assert "assert sort" in failure.reproducer


@pytest.mark.parametrize("status", SCRIPT)
def test_a_script_that_fails_goes_back_with_the_end_of_its_output(made, status):
    (failure,) = made(status=status, reason="exit code 1", verification_stderr="x" * 9_000 + "No module: y").failures
    assert failure.observed.startswith("exit code 1")
    assert failure.observed.endswith("No module: y")
    assert len(failure.observed) < 5_000


@pytest.mark.parametrize("status", NOBODY)
def test_nothing_goes_back_where_the_implementer_cannot_help(made, status):
    assert made(status=status).failures == ()


def test_weak_evidence_goes_back_claim_by_claim(made):
    claims = (CLAIM, replace(REFUTED, verdict=ClaimVerdict.UNTESTED, reason="no words"))
    second = SecondEnvironment(identity_reads=("answer.py:5 os.getuid",))
    failures = made(status=Status.PASS_WEAK, claims=claims, second_environment=second).failures
    assert {one.kind for one in failures} == {FailureKind.WEAK_EVIDENCE}
    assert failures[0].observed == "it is attacked only by examples of its author"
    assert failures[-1].where == "answer.py:5"


def test_confirmed_failures_of_critics_go_back_with_their_place(made):
    found = ReviewFailure(
        severity=Severity.MAJOR, description="loses the last row", evidence="answer.py:4", standing=Standing.CONFIRMED
    )
    opinion = replace(found, standing=Standing.WITHOUT_EVIDENCE)
    review = Review(critic_id="security-1", focus=Focus.SECURITY, verdict=ReviewVerdict.FAIL, failures=(found, opinion))
    (failure,) = made(status=Status.FAILED_REVIEW, reviews=(review,)).failures
    assert (failure.kind, failure.where) == (FailureKind.REVIEW, "answer.py:4")
    assert failure.observed == "major, confirmed: loses the last row"


def test_code_that_breaks_a_claim_unnoticed_goes_back_without_the_code(made):
    shallow = ShallowClaim(claim_id=ClaimId("C1"), tests=("t",), unnoticed="where every function fails")
    missed = ViolationResult(
        claim_id=ClaimId("C1"), clause="sorts", behaviour="drops 0", diff="- secret", end=ViolationEnd.MISSED
    )
    numbers = {"n": 2, "killed": 1, "killed_by_claims_only": 1, "low": 0.1, "high": 0.9, "floor": 0.6, "drawn": 2}
    strength = Strength(**numbers, shallow=(shallow,), violations=(missed,))
    document = made(status=Status.PASS_WEAK, claims=(replace(CLAIM, independent_tests=1, attested_tests=1),),
                    strength=strength)  # fmt: skip
    assert document.failures[0].expected == "the attack notices at least 60% of small faults in the code"
    assert [one.observed for one in document.failures[1:]] == [
        "its tests pass also where every function fails",
        "no test notices code that does this: drops 0",
    ]
    assert "secret" not in write_gate(document)


def test_a_pass_that_does_not_meet_the_policy_is_weak_and_says_why(made):
    document = made(LoadedPolicy(policy=Policy(require_tester="gemini")))
    assert (document.status, document.exit_code, document.passed) == (Status.PASS_WEAK, 11, False)
    assert "policy require_tester: requires a test by gemini, got tests by nobody" in document.reason
    assert document.failures == ()


def test_a_policy_never_turns_a_failure_into_something_milder(made):
    document = made(LoadedPolicy(policy=Policy(require_tester="gemini")), status=Status.FAILED_ADVERSARIAL)
    assert (document.status, document.policy.breaches) == (Status.FAILED_ADVERSARIAL, ())


def test_environment_reads_that_a_claim_speaks_of_are_refused_where_the_policy_says_so(made):
    document = made(LoadedPolicy(policy=Policy(no_environment_reads=True)))
    assert document.status is Status.PASS_WEAK
    (failure,) = document.failures
    assert (failure.kind, failure.observed) == (
        FailureKind.POLICY,
        "the code inspects where it runs: answer.py:5 os.getuid",
    )


def test_a_stored_snapshot_that_was_changed_is_not_opened_again(made, ticket, settings):
    digest = made().provenance.snapshot_digest
    (archive,) = (settings.state_dir / "snapshots").glob("*.tar")
    archive.write_bytes(archive.read_bytes().replace(b"return 42", b"return 43"))
    with pytest.raises(SnapshotCorrupted, match="does not hold the files"):
        reopen_snapshot(ticket, digest, store=SnapshotStore(settings.state_dir / "snapshots"))


def test_failures_as_sarif_stand_at_their_lines(made, ticket):
    failed = made(status=Status.FAILED_ADVERSARIAL, failures=(FAILURE,))
    blocked = made(status=Status.BLOCKED_DANGEROUS_SCRIPT, scan=scan_files({"v.sh": b"rm -rf /\n"}, ["v.sh"]))
    places = [
        json.loads(gate_sarif(one, ticket, ticket.workspace.parent))["runs"][0]["results"][0]["locations"][0]
        for one in (failed, blocked)
    ]
    assert [one["physicalLocation"]["artifactLocation"]["uri"] for one in places] == ["ticket/answer.py", "ticket/v.sh"]
