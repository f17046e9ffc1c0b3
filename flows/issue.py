"""An issue: what its workflow is asked for, and the record that it files."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from flows.request import TicketRequest
from refute.governance.gate import GateDocument, write_gate

SCHEMA_VERSION: Final = 1


class IssueRequest(TicketRequest):
    """An issue: its ticket, who implements it, what the gate requires."""

    implement: tuple[str, ...] = Field(
        default=(),
        description="Command of N2, run in the workspace with the failures as JSON on stdin; none: a person.",
    )
    implement_timeout_s: float = Field(default=3600, gt=0)
    policy: Path | None = Field(default=None, description="The gate's policy file.")
    design: Path | None = Field(default=None, description="Low-level design; a blocked one ends the workflow at N0.")
    max_rework: int = Field(default=2, ge=0, le=20, description="Returns to N2 before a person is asked.")
    approval: str = Field(default="ask", pattern="^(ask|in_advance)$", description="Of the verification script.")
    out: Path | None = Field(default=None, description="Where N6 files; default: issues/ in the state directory.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the workflow as it ended."""

    node: str
    result: str
    note: str = ""
    by: str = ""


@dataclass(slots=True, kw_only=True)
class IssueRecord:
    """What N6 files: every node in its order, and how the issue ended."""

    ticket_id: str
    run_id: str
    status: str = "STOPPED"
    """FILED, REJECTED by a person, BLOCKED by its design, or STOPPED."""
    exit_code: int = 1
    nodes: list[Node] = field(default_factory=list)
    rework: int = 0
    """Returns from N2.5 to N2."""
    gate: GateDocument | None = None
    filed_in: str = ""
    schema_version: int = SCHEMA_VERSION

    def end(self, status: str, exit_code: int) -> None:
        """Note how it ended."""
        self.status, self.exit_code = status, exit_code

    def document(self) -> dict[str, Any]:
        """As JSON values, the gate's document within."""
        fields = asdict(self)
        return {**fields, "gate": json.loads(write_gate(self.gate)) if self.gate else None}
