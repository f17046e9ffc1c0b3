"""A scan result as GitHub Actions workflow commands, which show findings beside the changed lines.

Source of the syntax and escapes: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and
`toolkit/packages/core/src/command.ts`, read 2026-11.
"""

from refute.scan.finding import Compared, Finding, ScanResult
from refute.scan.formats.text import not_shown
from refute.scan.rules import title_of


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
