"""A scan result for other programs: versioned JSON, and commands by which GitHub shows findings beside lines.

Source of the commands and their escapes: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
and `toolkit/packages/core/src/command.ts`, read 2026-11.
"""

import json
from dataclasses import asdict
from typing import Any, Final

from refute.scan.finding import Compared, Finding, ScanResult
from refute.scan.formats.text import not_shown
from refute.scan.rules import title_of

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


def render_annotations(result: ScanResult, compared: Compared | None = None) -> str:
    """One `::error` or `::warning` line per finding, and a `::notice` for what is silenced or not shown."""
    lines = []
    for finding in result.findings:
        kind = "error" if finding.severity >= result.block_from else "warning"
        message = f"{finding.explanation}\nRead as: {finding.command}\nInstead: {finding.remedy}"
        lines.append(_annotation(kind, finding, title_of(finding), message))
    for item in result.suppressed:
        message = f"{item.reason}\nRead as: {item.finding.command}"
        lines.append(_annotation("notice", item.finding, "Allowed by the allow-file", message))
    if compared is not None:
        lines.append(f"::notice title=refute scan::{_data(not_shown(compared))}\n")
    return "".join(lines)


def _annotation(kind: str, finding: Finding, title: str, message: str) -> str:
    where = f"file={_property(finding.path)},line={finding.line},col={finding.column}"
    named = _property(f"{title} [{finding.rule_id}] ({finding.tier.name.lower()})")
    return f"::{kind} {where},title={named}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
