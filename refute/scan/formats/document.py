"""A scan result as versioned JSON."""

import json
from dataclasses import asdict
from typing import Any, Final

from refute.scan.finding import Compared, Finding, ScanResult

SCHEMA_VERSION: Final = 1
"""Raised when a field changes meaning or goes; new fields do not raise it."""


def render_json(result: ScanResult, compared: Compared | None = None) -> str:
    """The result as a JSON object with `schema_version`, `safe`, `findings`, `suppressed`, `scanned` and `compared`."""
    return json.dumps(document_of(result, compared), indent=2, ensure_ascii=True) + "\n"


def document_of(result: ScanResult, compared: Compared | None = None) -> dict[str, Any]:
    """The result as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "safe": result.safe,
        "block_from": result.block_from.name.lower(),
        "scanned": list(result.scanned),
        "compared": {"base": compared.base, "left_out": compared.left_out} if compared is not None else None,
        "findings": [_finding(finding, blocks=finding.severity >= result.block_from) for finding in result.findings],
        "suppressed": [{**_finding(item.finding, blocks=False), "reason": item.reason} for item in result.suppressed],
    }


def _finding(finding: Finding, *, blocks: bool) -> dict[str, Any]:
    graded = {"severity": finding.severity.name.lower(), "tier": finding.tier.name.lower()}
    return {**asdict(finding), **graded, "confidence": str(finding.confidence), "blocks": blocks}
