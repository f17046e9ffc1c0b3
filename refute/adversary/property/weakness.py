"""Claims whose fields can refute them and never bring a pass, and why: what `refute ticket lint` tells beside."""

from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.fields import Advice, advise
from refute.adversary.property.tester import PropertyTester
from refute.ticket.record import ClaimId, Kind

ONLY_AUTHORS: Final = (
    "its author wrote what they expect; it counts where a `property` compares one call with the standard library's "
    "answer, or a constant of the claim, on inputs that `given` has types for"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """Why a claim that can be refuted does not pass without a model's tests."""

    claim_id: ClaimId
    reason: str
    is_tested: bool = True
    """Whether its fields make a test at all."""

    def __str__(self) -> str:
        if not self.is_tested:
            return f"{self.claim_id} is not tested: {self.reason}"
        return f"{self.claim_id} can be refuted, and stays PASS_WEAK without tests by a model: {self.reason}"


def missing_fields(brief: Brief) -> tuple[Advice, ...]:
    """One advice for each claim that has neither an executable field nor an example in its text."""
    tests = PropertyTester().write_tests(brief).tests
    return advise(brief, {one.claim_id for one in tests if one.origin is Origin.CLAIM_EXAMPLE})


def weaknesses(brief: Brief) -> tuple[Weakness, ...]:
    """One for each claim of Python code whose fields make no test, or only tests of what its author expects."""
    attack = PropertyTester().write_tests(brief)
    untestable = {one.claim.id: one.reason for one in attack.untestable}
    found = []
    for claim in brief.ticket.claims if brief.ticket.kind is not Kind.CLI else ():
        origins = [one.origin for one in attack.tests if one.claim_id == claim.id]
        if claim.code() and not claim.unchanged and claim.id in untestable:
            found.append(Weakness(claim_id=claim.id, reason=untestable[claim.id], is_tested=False))
        if origins and all(one.by_author for one in origins) and not claim.unchanged:
            found.append(Weakness(claim_id=claim.id, reason=ONLY_AUTHORS))
    return tuple(found)
