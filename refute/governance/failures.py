"""What goes back to whoever implemented a ticket: what was said, what was seen, how to see it again. No fixes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from refute.adversary.strength.record import Strength
from refute.lacking import Lack, lacks
from refute.outcome import ClaimResult, Outcome, Status
from refute.verdict import in_words
from refute.wording import in_quotes

TAIL_CHARS: Final = 4_000
"""Of a script's output; its end says why it failed."""


class FailureKind(StrEnum):
    """What is wrong."""

    CLAIM_REFUTED = "claim_refuted"
    IMPORT = "import"
    VERIFICATION = "verification"
    TIMEOUT = "timeout"
    RESOURCES = "resources"
    REVIEW = "review"
    DANGEROUS_SCRIPT = "dangerous_script"
    DANGEROUS_OPERATION = "dangerous_operation"
    WEAK_EVIDENCE = "weak_evidence"
    """Nothing is refuted, and something is not shown."""
    POLICY = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFailure:
    """One failure, complete in itself."""

    kind: FailureKind
    expected: str
    """What should hold: the claim's words, or the rule."""
    observed: str
    """What was seen instead."""
    claim_id: str = ""
    where: str = ""
    """`path:line` or a test's name."""
    smallest_input: str = ""
    reproducer: str = ""
    """A program that shows it: `python FILE [WORKSPACE]` exits with 1."""


SCRIPT_KINDS: Final = {
    Status.FAILED_IMPORT: (FailureKind.IMPORT, "every module that is imported is part of the ticket or declared"),
    Status.FAILED_VERIFICATION: (FailureKind.VERIFICATION, "the verification script exits with 0"),
    Status.FAILED_TIMEOUT: (FailureKind.TIMEOUT, "script and tests end within their limits"),
    Status.FAILED_RESOURCES: (FailureKind.RESOURCES, "the verification script stays within its limits"),
}


def failures_of(outcome: Outcome) -> tuple[GateFailure, ...]:
    """Everything in an outcome that its author can act on; nothing where infrastructure or a person is due."""
    return tuple(_each(outcome))


def _each(outcome: Outcome) -> Iterator[GateFailure]:
    match outcome.status:
        case Status.FAILED_ADVERSARIAL:
            yield from _refuted(outcome)
        case Status.FAILED_REVIEW:
            yield from _reviewed(outcome)
        case Status.BLOCKED_DANGEROUS_SCRIPT:
            yield from _dangerous(outcome)
        case Status.BLOCKED_DANGEROUS_OPERATION:
            yield GateFailure(
                kind=FailureKind.DANGEROUS_OPERATION,
                expected="nothing outside the workspace copy is changed",
                observed=outcome.reason,
                where=", ".join(outcome.decoys_touched),
            )
        case Status.PASS_WEAK:
            yield from _weak(outcome)
        case status if status in SCRIPT_KINDS:
            kind, expected = SCRIPT_KINDS[status]
            output = (outcome.verification_stderr or outcome.verification_output)[-TAIL_CHARS:].strip()
            yield GateFailure(kind=kind, expected=expected, observed=f"{outcome.reason}\n{output}".strip())
        case _:
            return


def _refuted(outcome: Outcome) -> Iterator[GateFailure]:
    for one in outcome.failures:
        yield GateFailure(
            kind=FailureKind.CLAIM_REFUTED,
            claim_id=one.claim_violated,
            expected=one.claim_text,
            observed=f"{one.error_type}: {one.error_message}",
            where=_line(one.traceback) or one.test_name,
            smallest_input=one.smallest_input,
            reproducer=one.reproducer,
        )


def _line(traceback: str) -> str:
    """The innermost line of the submitted code in a traceback; empty where none is."""
    frames = re.findall(r"^/workspace/([^:\n]+:\d+): in ", traceback, re.MULTILINE)
    return frames[-1] if frames else ""


def _reviewed(outcome: Outcome) -> Iterator[GateFailure]:
    for review in outcome.reviews:
        for one in review.blocking:
            yield GateFailure(
                kind=FailureKind.REVIEW,
                expected=f"the {review.focus} critic finds no critical or major failure",
                observed=f"{one.severity}, {one.standing}: {one.description}",
                where=one.evidence,
            )


def _dangerous(outcome: Outcome) -> Iterator[GateFailure]:
    for one in outcome.scan.blocking if outcome.scan else ():
        yield GateFailure(
            kind=FailureKind.DANGEROUS_SCRIPT,
            expected="the verification script does nothing dangerous",
            observed=f"{one.matched}: {one.explanation} ({one.rule_id})",
            where=f"{one.path}:{one.line}",
        )


def _weak(outcome: Outcome) -> Iterator[GateFailure]:
    for claim in outcome.claims:
        if missing := _missing(claim):
            yield _not_shown(claim, missing)
    if outcome.strength:
        yield from _unnoticed(outcome.strength, {claim.claim_id: claim for claim in outcome.claims})
    second = outcome.second_environment
    for read in second.identity_reads if second else ():
        yield GateFailure(
            kind=FailureKind.WEAK_EVIDENCE,
            expected="the code does not ask who runs it where, unless a claim speaks of it",
            observed=read,
            where=read.partition(" ")[0],
        )


def _unnoticed(strength: Strength, claims: dict[str, ClaimResult]) -> Iterator[GateFailure]:
    """What the attack lets through: small faults, and code that breaks a claim."""
    if not strength.reaches_floor:
        expected = f"the attack notices at least {strength.floor:.0%} of small faults in the code"
        yield GateFailure(kind=FailureKind.WEAK_EVIDENCE, expected=expected, observed=in_words(strength))
    for one in strength.shallow:
        yield _not_shown(claims[one.claim_id], f"its tests pass also {one.unnoticed}")
    for other in strength.missed:
        yield _not_shown(claims[other.claim_id], f"no test notices code that does this: {other.behaviour}")


def _not_shown(claim: ClaimResult, observed: str) -> GateFailure:
    return GateFailure(kind=FailureKind.WEAK_EVIDENCE, claim_id=claim.claim_id, expected=claim.text, observed=observed)


def _missing(claim: ClaimResult) -> str:
    """What is not shown of a claim; empty where it is shown."""
    match lacks(claim):
        case (Lack.TEST, *_):
            return f"no test could be written: {claim.reason}"
        case (Lack.ATTACK, *_):
            return f"no independent test attacks {in_quotes(claim.open_clauses)}"
        case (Lack.INDEPENDENCE, *_):
            return "it is attacked only by examples of its author"
        case (Lack.ATTESTATION, *_):
            return "it is attacked only by tests whose result the code could have forged"
    return ""
