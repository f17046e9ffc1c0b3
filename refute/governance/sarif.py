"""A gate's failures as SARIF 2.1.0, for code scanning pages."""

import hashlib
import json
import re
from typing import Any, Final

from refute.governance.failures import FailureKind, GateFailure
from refute.governance.gate import GateDocument
from refute.ticket.record import Ticket

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
PLACE: Final = re.compile(r"(?P<path>[^:\n]+):(?P<line>[1-9]\d*)(?:-\d+)?")


def place_of(failure: GateFailure, ticket: Ticket) -> tuple[str, int]:
    """File and line that a failure is shown at; where it names none, the beginning of the implementation."""
    found = PLACE.fullmatch(failure.where)
    return (found["path"], int(found["line"])) if found else (ticket.implementation_files[0], 1)


def gate_sarif(document: GateDocument, ticket: Ticket) -> str:
    """The failures as a SARIF log with one run."""
    kinds = sorted({one.kind for one in document.failures})
    rules = [{"id": kind, "shortDescription": {"text": kind.replace("_", " ")}} for kind in kinds]
    driver = {"name": "refute-gate", "version": document.refute_version, "rules": rules}
    results = [_result(one, ticket) for one in document.failures]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2) + "\n"


def _result(failure: GateFailure, ticket: Ticket) -> dict[str, Any]:
    path, line = place_of(failure, ticket)
    claim = f"{failure.claim_id}: " if failure.claim_id else ""
    text = f"{claim}expected: {failure.expected}\nobserved: {failure.observed}\n{failure.smallest_input}".strip()
    identity = f"{ticket.id}\0{failure.kind}\0{failure.claim_id}\0{path}"
    return {
        "ruleId": failure.kind,
        "level": "warning" if failure.kind in {FailureKind.WEAK_EVIDENCE, FailureKind.POLICY} else "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": line}}}],
        "partialFingerprints": {"refute/v1": hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]},
    }
