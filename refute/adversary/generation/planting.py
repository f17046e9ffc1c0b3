"""Asking a model for violations: per clause one edit that breaks it. It sees code and claims, and no test."""

from typing import Annotated, Final

from pydantic import BaseModel, Field

from refute.adversary.attack import Brief
from refute.adversary.generation.answer import CONFIG, each, listed
from refute.adversary.generation.fitting import claims_shown, excerpts
from refute.adversary.generation.prompting import PROMPTS
from refute.llm.model import DataClass, Prompt

VIOLATIONS: Final = "violations-1"
SYSTEM: Final = "violations-system-1"
MAX_EDITS: Final = 12
MAX_EDIT_CHARS: Final = 2_000


class WrittenViolation(BaseModel):
    """One edit, as the model wrote it."""

    model_config = CONFIG

    claim_id: Annotated[str, Field(max_length=64)]
    clause: Annotated[int, Field(ge=1, le=100)] = 1
    """Its number among the claim's clauses, from 1."""
    module: Annotated[str, Field(max_length=200)]
    """Dotted name, as the code is headed."""
    original: Annotated[str, Field(min_length=1, max_length=MAX_EDIT_CHARS)]
    """Verbatim; stands in the module once."""
    replacement: Annotated[str, Field(max_length=MAX_EDIT_CHARS)]
    """Takes its place."""
    behaviour: Annotated[str, Field(min_length=1, max_length=400)]
    """What the edited code does wrong, one sentence."""
    witness: Annotated[str, Field(max_length=4_000)]
    """`def test_…():` that passes on the code and fails on the edit."""


class WrittenViolations(BaseModel):
    """A whole answer."""

    violations: list[WrittenViolation]


def planting(brief: Brief) -> Prompt:
    """The question for violations of a ticket's clauses."""
    code = excerpts(brief)
    text = PROMPTS.filled(
        VIOLATIONS,
        ticket=brief.ticket.id,
        max_edits=str(MAX_EDITS),
        claims=claims_shown(brief.ticket.claims, room=brief.max_prompt_chars // 2),
        cut=code.cut,
        code=code.text,
    )
    return Prompt(
        name=VIOLATIONS,
        system=PROMPTS.filled(SYSTEM),
        text=text,
        answer_schema=WrittenViolations.model_json_schema(),
        data_class=DataClass.CODE,
        usable=lambda answer: read_violations(answer) is not None,
    )


def read_violations(text: str) -> tuple[WrittenViolation, ...] | None:
    """The edits of an answer that can be read; None where it is no such answer."""
    listing = listed(text, "violations")
    return None if listing is None else tuple(each(WrittenViolation, listing, "violation", []))[:MAX_EDITS]
