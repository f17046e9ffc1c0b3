"""Which gates stop what they deny, and which only say so."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Mode(StrEnum):
    """What a gate does with what it denies."""

    ENFORCE = "enforce"
    OBSERVE = "observe"
    """It decides, writes its line, and lets it through: for staging."""


class GuardrailSettings(BaseModel):
    """A switch for each kind of gate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    audit: Mode = Mode.ENFORCE
    """observe: a decision that cannot be written is taken all the same."""
    routes: Mode = Mode.ENFORCE
    confirmation: Mode = Mode.ENFORCE
    validators: Mode = Mode.ENFORCE
    results: Mode = Mode.ENFORCE
    sanitizer: Mode = Mode.ENFORCE
