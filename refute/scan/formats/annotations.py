"""A scan result as GitHub Actions workflow commands, which show findings beside the changed lines.

Source of the syntax and escapes: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and
`toolkit/packages/core/src/command.ts`, read 2026-11.
"""

from refute.scan.catalog import title_of
from refute.scan.finding import ScanResult


def render_annotations(result: ScanResult) -> str:
    """One `::error` or `::warning` line per finding."""
    lines = []
    for finding in result.findings:
        kind = "error" if finding.severity >= result.block_from else "warning"
        where = f"file={_property(finding.path)},line={finding.line},col={finding.column}"
        title = title_of(finding)
        message = f"{finding.explanation}\nRead as: {finding.command}\nInstead: {finding.remedy}"
        lines.append(f"::{kind} {where},title={_property(f'{title} [{finding.rule_id}]')}::{_data(message)}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
