"""Claims whose fields can refute them and never bring a pass, and why: what `refute ticket lint` tells beside."""

from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Attack, Brief, Origin
from refute.adversary.property.earlier_answers import unknown
from refute.adversary.property.faces import read_surface
from refute.adversary.property.fields import Advice, advise
from refute.adversary.property.surface import ELSEWHERE
from refute.ticket.record import ClaimId, Kind

ONLY_EXAMPLES: Final = "it has only examples"
OF_PROGRAM: Final = "a program's expected output is its author's own"


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


def missing_fields(brief: Brief, attack: Attack) -> tuple[Advice, ...]:
    """One advice for each claim that has neither an executable field nor an example in its text.

    Args:
        brief: on the ticket.
        attack: what the built-in tester writes against it.
    """
    return advise(brief, {one.claim_id for one in attack.tests if one.origin is Origin.CLAIM_EXAMPLE})


def weaknesses(brief: Brief, attack: Attack) -> tuple[Weakness, ...]:
    """One for each claim whose fields or text make no test, or only tests of what its author expects.

    None for what `missing_fields` advises on: it says already that only others' examples are there.
    """
    surface = read_surface(brief.modules)
    python, found = brief.ticket.kind is not Kind.CLI, []
    for claim in brief.ticket.claims:
        tests = [one for one in attack.tests if one.claim_id == claim.id]
        fields = [one for one in attack.untested_fields if one.claim.id == claim.id]
        untested = [f"unchanged: {unknown(name, surface)}" for name in claim.unchanged if surface.named(name) is None]
        untested += [one.reason for one in fields if not one.field.startswith("unchanged")]
        if python and not claim.code() and surface.speaks_of_others(claim.text):
            untested.append(ELSEWHERE)
        found += [Weakness(claim_id=claim.id, reason=reason, is_tested=False) for reason in untested]
        told = claim.code() or Origin.CLAIM_EXAMPLE in {one.origin for one in tests}
        if told and tests and all(one.origin.by_author for one in tests) and not claim.unchanged:
            doubt = next((one.doubt for one in tests if one.doubt), ONLY_EXAMPLES)
            found.append(Weakness(claim_id=claim.id, reason=doubt if python else OF_PROGRAM))
    return tuple(dict.fromkeys(found))  # calls of one `raises` may lack the same
