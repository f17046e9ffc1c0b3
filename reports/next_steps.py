"""What to do about a verdict that is neither a pass nor a failure: for each claim, the step most likely to mend it."""

import re
from collections.abc import Iterator
from typing import Final

from refute.lacking import Lack, lacks
from refute.outcome import ClaimResult, ClaimVerdict, Outcome, Status
from refute.ticket.record import Kind
from refute.wording import first_names, in_quotes
from reports.evidence import SHARPEN

PAGE: Final = "docs/strength.md#what-to-do-about-a-weak-pass"
STEPS_SHOWN: Final = 8

_EVIDENCE: Final = "independent evidence"
_WHAT_IT_IS: Final = {
    Kind.PYTHON: (
        f"{_EVIDENCE}: with types in `given`, a `property` that compares one call with the standard library alone (no "
        "lambda, comprehension or condition) or with a constant that the claim gives, or `raises` with an error that "
        "the claim names; `same_as` a function of the library; `unchanged` against `base`; or tests by a model "
        "(--tester gemini)"
    ),
    Kind.CLI: f"{_EVIDENCE} for a program: tests by a model (--tester gemini)",
}
_ADVICE: Final = re.compile(r"\badd  (?P<field>.+)")
"""How the built-in tester names the field that would make a claim testable."""
_REFUSED: Final = re.compile(r"(?:property|raises|same_as|unchanged)(?:, [^:]+)?: |`unchanged` names ")
"""How it says why a field makes no test as it is written."""
_SPELLED: Final = re.compile(r"\bwrite (?P<code>`.+?`)")
"""… and how a call of the author's has to be written."""


def next_steps(outcome: Outcome) -> tuple[str, ...]:
    """A line for what would help each claim that keeps the ticket from passing, then what concerns the whole attack.

    Empty where the status needs no step of this kind: a pass, a refutation, a failure of the script or the machine.
    """
    if outcome.status not in {Status.PASS_WEAK, Status.INCONCLUSIVE}:
        return ()
    steps = [*_for_claims(outcome), *_for_the_attack(outcome)]
    if len(steps) > STEPS_SHOWN:
        steps = [*steps[: STEPS_SHOWN - 1], f"then {len(steps) - STEPS_SHOWN + 1} more: `refute ticket lint`"]
    return (*steps, *([_WHAT_IT_IS[outcome.kind]] if any(_EVIDENCE in one for one in steps) else []))


def _for_claims(outcome: Outcome) -> Iterator[str]:
    shallow = {one.claim_id for one in outcome.strength.shallow} if outcome.strength else set()
    by_step: dict[str, list[str]] = {}
    for claim in outcome.claims:
        sharpen = SHARPEN if claim.claim_id in shallow else ""
        if step := _for_a_field(claim, outcome) or _step(claim) or sharpen:
            by_step.setdefault(step, []).append(claim.claim_id)
    yield from (f"{first_names(claims)}: {step}" for step, claims in by_step.items())


def _for_a_field(claim: ClaimResult, outcome: Outcome) -> str:
    """Why the first field that nothing attacks is not tested; empty where only clauses are open."""
    for part in claim.open_clauses:
        start = f"{claim.claim_id}: {part} is not tested: "
        if trouble := next((one.removeprefix(start) for one in outcome.caveats if one.startswith(start)), ""):
            return f"{part}: {trouble}"
    return ""


def _step(claim: ClaimResult) -> str:
    """What would most likely help one claim; empty where nothing is amiss with it."""
    if claim.verdict is ClaimVerdict.INCONCLUSIVE:
        return f"look at {claim.decided_by or 'its tests'}, and say in the claim which result is right"
    match lacks(claim):
        case (Lack.TEST, *_):
            return _for_untested(claim.reason)
        case (Lack.ATTACK, *_):
            return f"make {in_quotes(claim.open_clauses[:1])} a claim of its own, with {_EVIDENCE}"
        case (Lack.INDEPENDENCE, *_):
            why = f" ({claim.doubt})" if claim.doubt else ""
            return f"only the author's tests passed{why}; add {_EVIDENCE}"
        case (Lack.ATTESTATION, *_):
            return (
                "say what one call returns, as plain data (NumPy's by `.item()` or `.tolist()`): its tests compare the "
                "code's answers or objects with one another, or with what another of its calls was given"
            )
    return ""


def _for_untested(reason: str) -> str:
    if spelled := _SPELLED.search(reason):
        return f"write {spelled['code']} in its field"
    if _REFUSED.match(reason):
        return f"mend its field: {reason}"
    advice = _ADVICE.search(reason)
    return f"give it a field: {advice['field']}" if advice else f"state the expected result, with {_EVIDENCE}"


def _for_the_attack(outcome: Outcome) -> Iterator[str]:
    strength, second = outcome.strength, outcome.second_environment
    if strength is not None and strength.void:
        yield f"strength was not measured ({strength.void}): fix that and run again"
    elif strength is not None and strength.undecided:
        yield "too few mutants ran in time: raise mutation_timeout_s"
    elif strength is not None and strength.blind_to:
        yield f"make a claim, with inputs, of what {strength.blind_to[0]} does now: no test notices a fault there"
    elif strength is not None and not strength.reaches_floor:
        yield "add claims about the lines that surviving mutants change (see Strength), or lower --strength-floor"
    if second is not None and second.identity_reads:
        yield f"remove {second.identity_reads[0]}, or claim why the code asks where it runs"
