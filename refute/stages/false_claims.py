"""A claim about how the code was tested is refuted by the author's own tests, where these mock what they claim."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from refute.outcome import ClaimResult, ClaimVerdict, TestFailure
from refute.stages.evidence import Triage
from refute.ticket.integration import MockEvidence, find_mocked_integration
from refute.ticket.record import Ticket

ERROR_TYPE: Final = "FalseTestingClaim"
REPRODUCER: Final = '''"""{claim_id}: {claim!r}

Shows where the author's own tests replace what the claim says was tested for real. Run it from the workspace.
"""

import pathlib
import sys

PLACES = {places!r}
shown = 0
for path, number, what in PLACES:
    if not pathlib.Path(path).is_file():
        print(f"no {{path}} here; run it in the workspace", file=sys.stderr)
        sys.exit(2)
    line = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split("\\n")[number - 1]
    print(f"{{path}}:{{number}}: {{line.strip()}}")
    shown += 1
print(f"REPRODUCED: every test that reaches the integration mocks it, in {{shown}} places", file=sys.stderr)
sys.exit(1)
'''


def expose_false_claims(triage: Triage, ticket: Ticket, files: Mapping[str, bytes]) -> Triage:
    """Add the refutations that the verification's own tests give, with file and line."""
    evidence: dict[str, list[MockEvidence]] = {}
    for one in find_mocked_integration(ticket, files):
        evidence.setdefault(one.claim_id, []).append(one)
    if not evidence:
        return triage
    return replace(
        triage,
        claims=tuple(_refuted(claim, evidence.get(claim.claim_id, [])) for claim in triage.claims),
        failures=(
            *triage.failures,
            *(_failure(claim, evidence[claim.claim_id]) for claim in triage.claims if claim.claim_id in evidence),
        ),
    )


def _refuted(claim: ClaimResult, evidence: list[MockEvidence]) -> ClaimResult:
    if not evidence or claim.verdict is ClaimVerdict.REFUTED:
        return claim
    reason = f"its tests replace what they claim to integrate: {_places(evidence)}"
    return replace(claim, verdict=ClaimVerdict.REFUTED, reason=reason, decided_by=evidence[0].path)


def _failure(claim: ClaimResult, evidence: list[MockEvidence]) -> TestFailure:
    return TestFailure(
        test_name=evidence[0].path,
        claim_violated=claim.claim_id,
        claim_text=claim.text,
        error_type=ERROR_TYPE,
        error_message=f"every test of it mocks: {_places(evidence)}",
        traceback="",
        smallest_input="",
        reproducer=REPRODUCER.format(
            claim_id=claim.claim_id,
            claim=claim.text,
            places=[(one.path, one.line, one.what) for one in evidence if not one.path.startswith("<")],
        ),
        tester="verification rules",
    )


def _places(evidence: list[MockEvidence]) -> str:
    return "; ".join(f"{one.path}:{one.line} {one.what}" for one in evidence[:5])
