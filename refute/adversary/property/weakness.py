"""Claims whose fields can refute them and never bring a pass, and why: what `refute ticket lint` tells beside."""

from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.calls import published_calls
from refute.adversary.property.draft import Draft
from refute.adversary.property.earlier_answers import UNKNOWN
from refute.adversary.property.faces import read_surface
from refute.adversary.property.fields import Advice, advise
from refute.adversary.property.laws import field_tests
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import ELSEWHERE
from refute.adversary.property.tester import PropertyTester
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


def missing_fields(brief: Brief) -> tuple[Advice, ...]:
    """One advice for each claim that has neither an executable field nor an example in its text."""
    tests = PropertyTester().write_tests(brief).tests
    return advise(brief, {one.claim_id for one in tests if one.origin is Origin.CLAIM_EXAMPLE})


def weaknesses(brief: Brief) -> tuple[Weakness, ...]:
    """One for each claim whose fields or text make no test, or only tests of what its author expects.

    None for what `missing_fields` advises on: it says already that only others' examples are there.
    """
    namespace = Namespace(surface=read_surface(brief.modules), files=brief.workspace_paths)
    published = published_calls(brief, namespace.surface)
    attack = PropertyTester().write_tests(brief)
    untestable = {one.claim.id: one.reason for one in attack.untestable}
    python, found = brief.ticket.kind is not Kind.CLI, []
    for claim in brief.ticket.claims:
        unknown = [name for name in claim.unchanged if namespace.surface.named(name) is None]
        found += [Weakness(claim_id=claim.id, reason=UNKNOWN.format(name), is_tested=False) for name in unknown]
        if python and not claim.code() and namespace.surface.speaks_of_others(claim.text):
            found.append(Weakness(claim_id=claim.id, reason=ELSEWHERE, is_tested=False))
        origins = [one.origin for one in attack.tests if one.claim_id == claim.id]
        if claim.code() and not claim.unchanged and claim.id in untestable:
            found.append(Weakness(claim_id=claim.id, reason=untestable[claim.id], is_tested=False))
        told = claim.code() or Origin.CLAIM_EXAMPLE in origins
        if told and origins and all(one.by_author for one in origins) and not claim.unchanged:
            drafts = (one for one in field_tests(claim, published, namespace) if isinstance(one, Draft))
            doubt = next((one.doubt for one in drafts if one.doubt), ONLY_EXAMPLES)
            reason = doubt if python else OF_PROGRAM
            found.append(Weakness(claim_id=claim.id, reason=reason))
    return tuple(found)
