"""A gate's failures as SARIF 2.1.0, for code scanning pages."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from refute.governance.failures import FailureKind, GateFailure
from refute.governance.gate import GateDocument
from refute.ticket.record import Ticket

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
PLACE: Final = re.compile(r"(?P<path>[^:\n]+):(?P<line>[1-9]\d*)(?:-\d+)?")


def _place(failure: GateFailure, ticket: Ticket) -> tuple[str, int]:
    """File and line that a failure is shown at; where it names none, the beginning of the implementation."""
    found = PLACE.fullmatch(failure.where)
    return (found["path"], int(found["line"])) if found else (ticket.implementation_files[0], 1)


def gate_sarif(document: GateDocument, ticket: Ticket, root: Path) -> str:
    """The failures as a SARIF log with one run.

    Args:
        document: the verdict.
        ticket: that it is about.
        root: absolute directory that paths are given relative to, where files lie below it: the checkout.
    """
    kinds = sorted({one.kind for one in document.failures})
    rules = [{"id": kind, "shortDescription": {"text": kind.replace("_", " ")}} for kind in kinds]
    driver = {"name": "refute-gate", "version": document.provenance.refute_version, "rules": rules}
    results = [_result(one, ticket, root) for one in document.failures]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2) + "\n"


def _result(failure: GateFailure, ticket: Ticket, root: Path) -> dict[str, Any]:
    path, line = _place(failure, ticket)
    file = ticket.workspace / path
    uri = quote((file.relative_to(root) if file.is_relative_to(root) else Path(path)).as_posix())
    claim = f"{failure.claim_id}: " if failure.claim_id else ""
    text = f"{claim}expected: {failure.expected}\nobserved: {failure.observed}\n{failure.smallest_input}".strip()
    identity = f"{ticket.id}\0{failure.kind}\0{failure.claim_id}\0{path}"
    return {
        "ruleId": failure.kind,
        "level": "warning" if failure.kind in {FailureKind.WEAK_EVIDENCE, FailureKind.POLICY} else "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}],
        "partialFingerprints": {"refute/v1": hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]},
    }
