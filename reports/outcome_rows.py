"""An outcome as rows of plain JSON values, for table artifacts of Prefect (which accept nothing else)."""

from typing import Final

from refute.guardrails.plain_text import printable
from refute.outcome import Outcome
from reports.evidence import claim_evidence
from reports.wording import CLAIM_WORDS

MAX_CELL_CHARS: Final = 400

Row = dict[str, str | int | float | bool | None]


def claims_rows(outcome: Outcome) -> list[Row]:
    """One row per claim; where none was judged, one row with the ticket's status and its reason."""
    if not outcome.claims:
        return [{"claim": "-", "verdict": outcome.status.value, "text": "-", "evidence": _cell(outcome.reason)}]
    return [
        {
            "claim": _cell(claim.claim_id),
            "verdict": CLAIM_WORDS[claim.verdict],
            "text": _cell(claim.text),
            "evidence": _cell(claim_evidence(claim)),
            "decided by": _cell(claim.decided_by),
            "tests": claim.tests_run,
            "independent": claim.independent_tests,
            "attested": claim.attested_tests,
        }
        for claim in outcome.claims
    ]


def _cell(text: str) -> str:
    return printable(text, max_chars=MAX_CELL_CHARS, keep_newlines=False)
