"""What keeps a claim that nothing refuted from being shown: verdict, failures for the author and next steps word it."""

from enum import StrEnum

from refute.outcome import ClaimResult, ClaimVerdict


class Lack(StrEnum):
    """What keeps a claim that nothing refuted from being shown."""

    TEST = "test"
    ATTACK = "attack"
    """On some of its words or fields."""
    INDEPENDENCE = "independence"
    """Its author wrote what every test expects."""
    ATTESTATION = "attestation"
    """The code could have forged the result of every independent test."""


def lacks(claim: ClaimResult) -> tuple[Lack, ...]:
    """What a claim lacks, the most telling first; nothing where it is shown, refuted or undecided."""
    if claim.verdict is ClaimVerdict.UNTESTED:
        return (Lack.TEST,)
    if not claim.verdict.survived:
        return ()
    part = () if claim.verdict is ClaimVerdict.SURVIVED else (Lack.ATTACK,)
    if not claim.independent_tests:
        return (*part, Lack.INDEPENDENCE)
    return part if claim.attested_tests else (*part, Lack.ATTESTATION)


def before_advice(reason: str) -> str:
    """Why a claim is untested, without the field that would change it: that is a step of its own."""
    return reason.partition("; add  ")[0]
