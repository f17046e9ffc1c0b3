"""The reviewed allow-file of a batch: dangerous scripts that may run all the same, each for exactly one snapshot."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from refute.errors import UsageError
from refute.yaml_file import YamlFile

HINT = (
    "Expected a list of entries with ticket, snapshot (`provenance.snapshot_digest` of the blocked outcome's JSON) "
    "and reason (at least 10 characters)."
)


class Allowance(BaseModel):
    """One ticket whose dangerous script somebody looked at and accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ticket: str = Field(min_length=1)
    snapshot: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    """The files that were looked at; with any other files the script is blocked again."""
    reason: str = Field(min_length=10)
    """Why, for the audit log."""


def load_allowances(path: Path) -> dict[str, Allowance]:
    """Ticket id → what is allowed.

    Raises:
        UsageError: the file cannot be read, or an entry has faults or a ticket that another entry has.
    """
    file = YamlFile(path=path, what="allow-file", hint=HINT, error=UsageError)
    entries = file.entries(Allowance)
    allowed = {entry.ticket: entry for entry in entries}
    if len(allowed) < len(entries):
        raise file.refused("got a ticket in two entries, expected each once")
    return allowed
