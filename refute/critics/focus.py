"""What a critic looks for, and which critics look at a ticket."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from refute.guardrails.routes import parse_choice
from refute.ticket.record import Ticket


class Focus(StrEnum):
    """One critic each."""

    CORRECTNESS = "correctness"
    SECURITY = "security"
    PERFORMANCE = "performance"
    SPEC_COMPLIANCE = "spec_compliance"


class BlockOn(StrEnum):
    """Which failures keep a ticket from passing."""

    CONFIRMED = "confirmed"
    """Those that a counterexample showed, or a person upheld."""
    ANY = "any"
    """Every critical or major opinion."""


LABELS: Final[Mapping[str, Focus]] = {
    "security-relevant": Focus.SECURITY,
    "performance-relevant": Focus.PERFORMANCE,
}
"""Label of a ticket → the critic that it asks for."""


class CriticsSettings(BaseModel):
    """`critics:` in refute.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    focus_areas: tuple[Focus, ...] = (Focus.CORRECTNESS, Focus.SPEC_COMPLIANCE)
    """The critics of every ticket; a ticket may add others, and take none away."""
    directories: Mapping[str, Annotated[tuple[Focus, ...], Field(min_length=1)]] = {}
    """Folder of a workspace (`auth/`) → critics that changes of files in it get as well."""
    block_on: BlockOn = BlockOn.CONFIRMED
    max_attack_rounds: Annotated[int, Field(ge=1, le=10)] = 2
    """Reviews of a change that fails: of what was submitted, then of each rework."""
    rework_command: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(max_length=100)] = ()
    """Mends a copy of the files after a review that fails; empty: nobody does, a person is asked at once."""
    rework_on_host: bool = False
    """Whether that command runs on this machine, with its network and rights, instead of in the sandbox."""
    rework_timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 600
    alternate_models: bool = False
    """Whether critics ask the two models, flash and pro, in turn; else all ask the ticket's."""
    always: bool = False
    """Whether critics are asked also where the attack has decided a ticket."""


def focuses_of(ticket: Ticket, settings: CriticsSettings) -> tuple[Focus, ...]:
    """The critics of a ticket, in the order of `Focus`.

    Args:
        ticket: may ask for some by `focus_areas` and by labels; names that are no focus count for nothing.
        settings: the defaults, and folders whose files ask for some.
    """
    known = {focus.value: focus for focus in Focus}
    asked = {known[name] for one in ticket.focus_areas if (name := parse_choice(one, known, ""))}
    asked |= {LABELS[label] for label in ticket.labels if label in LABELS}
    for folder, focuses in settings.directories.items():
        if any(path.startswith(f"{folder.rstrip('/')}/") for path in ticket.implementation_files):
            asked |= {*focuses}
    wanted = {*settings.focus_areas, *asked}
    return tuple(focus for focus in Focus if focus in wanted)


def in_order(focuses: Sequence[Focus]) -> tuple[Focus, ...]:
    """Each once, in the order of `Focus`."""
    return tuple(focus for focus in Focus if focus in focuses)
