"""A scan result for other programs: versioned JSON, SARIF 2.1.0, commands by which GitHub shows findings beside lines.

Sources, read 2026-11: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ (OASIS standard); for the commands
https://docs.github.com/actions/reference/workflow-commands-for-github-actions, `toolkit/packages/core/src/command.ts`.
"""

import hashlib
import json
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import quote

from refute.scan.finding import Compared, Finding, ScanResult, Severity
from refute.scan.formats.text import not_shown
from refute.scan.rules import Rule, rules, title_of

SCHEMA_VERSION: Final = 1
"""Raised when a field changes meaning or goes; new fields do not raise it."""
SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}
# GitHub's scale: over 9.0 is critical, 7.0-8.9 high, 4.0-6.9 medium
# (https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning).
_SCORES: Final = {Severity.CRITICAL: "9.5", Severity.HIGH: "8.0", Severity.MEDIUM: "5.0"}


def render_json(result: ScanResult, compared: Compared | None = None) -> str:
    """The result as a JSON object with `schema_version`, `safe`, `findings`, `suppressed`, `scanned` and `compared`."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "safe": result.safe,
        "block_from": result.block_from.name.lower(),
        "scanned": list(result.scanned),
        "compared": {"base": compared.base, "left_out": compared.left_out} if compared is not None else None,
        "findings": [_plain(finding, blocks=finding.severity >= result.block_from) for finding in result.findings],
        "suppressed": [{**_plain(item.finding, blocks=False), "reason": item.reason} for item in result.suppressed],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _plain(finding: Finding, *, blocks: bool) -> dict[str, Any]:
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


def render_sarif(result: ScanResult, compared: Compared | None = None, *, version: str) -> str:
    """The result as a SARIF log with one run; suppressed findings carry their suppression."""
    told: list[tuple[Finding, str | None]] = [(finding, None) for finding in result.findings]
    told += [(item.finding, item.reason) for item in result.suppressed]
    used = sorted({finding.rule_id for finding, _ in told})
    driver = {
        "name": "refute-scan",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(rules()[rule_id]) for rule_id in used],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(path)}} for path in dict.fromkeys(result.scanned)],
        "invocations": [{"executionSuccessful": True, **_not_shown(compared)}],
        "results": [_result(finding, used.index(finding.rule_id), reason) for finding, reason in told],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _not_shown(compared: Compared | None) -> dict[str, Any]:
    """What a comparison left out, as a note that viewers show. `baselineState` would need the runs before."""
    if compared is None:
        return {}
    text = f"{not_shown(compared)}."
    told = {"base": compared.base, "leftOut": compared.left_out}
    return {"toolExecutionNotifications": [{"level": "note", "message": {"text": text}, "properties": told}]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.id.title().replace("-", ""),
        "shortDescription": {"text": rule.words.title},
        "fullDescription": {"text": rule.words.explanation},
        "help": {"text": rule.words.remedy},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["security"], "security-severity": _SCORES[rule.severity]},
    }


def _result(finding: Finding, rule_index: int, reason: str | None) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column, "snippet": {"text": finding.matched}}
    identity = f"{finding.path}\0{finding.rule_id}\0{finding.command}"
    made: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.explanation} Read as: {finding.command}. Instead: {finding.remedy}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(finding.path)}, "region": region}}],
        "partialFingerprints": {"refute/v1": hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]},
        "properties": {
            "severity": finding.severity.name.lower(),
            "tier": finding.tier.name.lower(),
            "confidence": str(finding.confidence),
        },
    }
    if reason is not None:
        made["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reason}]
    return made


def _uri(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/-._~")
