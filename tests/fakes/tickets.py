"""Tickets as small as a test needs them, as records and on disk, and questions about them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from refute.approval import Question
from refute.scan.finding import Confidence, Finding, ScanResult, Severity
from refute.ticket.record import Claim, ClaimId, Snapshot, Ticket, TicketId

DANGER: Final = Finding(
    rule_id="sh.rm",
    path="verify.sh",
    line=2,
    column=1,
    severity=Severity.CRITICAL,
    confidence=Confidence.HIGH,
    matched="rm -rf /",
    command="rm -rf /",
    explanation="deletes outside the workspace",
    remedy="delete below the workspace only",
)


def fake_ticket(*claims: str, ticket_id: str = "T", **fields: Any) -> Ticket:
    """A ticket for `a.py` that nothing reads from disk.

    Args:
        claims: their texts; ids are C1, C2 and so on.
        ticket_id: its id.
        fields: of the record, instead of what a test does not care about.
    """
    defaults: dict[str, Any] = {
        "title": "t",
        "workspace": Path("/w"),
        "implementation_files": ("a.py",),
        "verification_script": "verify.sh",
        "source": "ticket.yaml",
        "claims": tuple(Claim(id=ClaimId(f"C{number}"), text=text) for number, text in enumerate(claims, 1)),
    }
    return Ticket(id=TicketId(ticket_id), **(defaults | fields))


def write_ticket(
    directory: Path, files: Mapping[str, str] | None = None, script: str = "true\n", **fields: Any
) -> Path:
    """Write the files of a ticket and its `ticket.yaml`; the directory.

    Args:
        directory: made where it is missing.
        files: the first one is what is verified.
        script: its `verify.sh`.
        fields: of `ticket.yaml`, instead of what a test does not care about.
    """
    files = {"a.py": "A = 1\n"} if files is None else files
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in {"verify.sh": script, **files}.items():
        (directory / name).write_text(text)
    stated = {"id": "T-1", "title": "t", "implementation_files": [next(iter(files))]}
    stated |= {"verification_script": "verify.sh", "claims": ["A is 1."], **fields}
    (directory / "ticket.yaml").write_text(yaml.safe_dump(stated))
    return directory


def fake_question(*findings: Finding, digest: str = "sha256:1", **fields: Any) -> Question:
    """The question whether a harmless script, or one with findings, may run.

    Args:
        findings: of its scan.
        digest: of its files.
        fields: of the record, instead of what a test does not care about.
    """
    defaults: dict[str, Any] = {
        "ticket": fake_ticket(title="A title"),
        "snapshot": Snapshot(digest=digest, files=(), archive=Path("/a")),
        "script": "echo hi\n",
        "scan": ScanResult(findings=findings, scanned=("verify.sh",)),
        "plan": ("verify: bash ./verify.sh",),
    }
    return Question(**(defaults | fields))
