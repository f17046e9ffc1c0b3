"""A scan result for a person who must decide in ten seconds: what, where, why, and how to make it safe."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from refute.guardrails.plain_text import printable
from refute.scan.finding import Compared, Finding, ScanResult, Severity
from refute.scan.rules import title_of
from refute.wording import counted

_COLORS: Final = {Severity.CRITICAL: "\x1b[1;31m", Severity.HIGH: "\x1b[31m", Severity.MEDIUM: "\x1b[33m"}
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_WIDTH: Final = 110
_MAX_LINES: Final = 12


def render_text(
    result: ScanResult, sources: Mapping[str, str], *, compared: Compared | None = None, color: bool = False
) -> str:
    """The findings, worst first, each with its source line and a caret, and one line that sums up.

    Args:
        result: what the scan found.
        sources: path → decoded text, for the lines shown; a path that is missing shows the matched text instead.
        compared: to what, where only what is new is shown.
        color: whether to use terminal colours. All text of the scanned files is made printable first.
    """
    blocks = []
    for alike in _alike(sorted(result.findings, key=lambda found: -found.severity)):
        first = alike[0]
        blocks.append(_block(alike, sources.get(first.path), blocks=first.severity >= result.block_from, color=color))
    for item in result.suppressed:
        finding = item.finding
        place = printable(f"{finding.path}:{finding.line}", keep_newlines=False)
        reason = printable(item.reason, keep_newlines=False)
        blocks.append(f"allowed  {finding.rule_id}  {place}\n  reason: {reason}\n")
    return "\n".join([*blocks, summary(result, compared)]) + "\n"


def summary(result: ScanResult, compared: Compared | None = None) -> str:
    """One line: whether it may run, and the counts; no word of safety about what was not scanned or is not shown."""
    if not result.scanned:
        return "nothing was scanned: no shell or Python file is there"
    levels = Counter(finding.severity for finding in result.findings)
    counts = [f"{number} {level.name.lower()}" for level, number in sorted(levels.items(), reverse=True)]
    safe = "may run in the sandbox" if compared is None else f"nothing that blocks is new since {_name(compared.base)}"
    verdict = safe if result.safe else "BLOCKED"
    files = f"{counted(len(result.scanned), 'file')} scanned"
    allowed = f", {len(result.suppressed)} allowed by the allow-file" if result.suppressed else ""
    nothing = "nothing found" if compared is None else "nothing new found"
    old = f"; {counted(compared.left_out, 'finding')} there before, not shown" if compared and compared.left_out else ""
    return f"{verdict}: {files}, {', '.join(counts) or nothing}{allowed}{old}"


def not_shown(compared: Compared) -> str:
    """What a comparison left out, for formats without a line that sums up."""
    return f"{counted(compared.left_out, 'finding')} that {_name(compared.base)} has already, not shown"


def _name(text: str) -> str:
    return printable(text, max_chars=100, keep_newlines=False)


def _alike(findings: list[Finding]) -> list[list[Finding]]:
    """Findings of one rule with one explanation, which tell a person the same, together."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.severity, finding.rule_id, finding.explanation), []).append(finding)
    return list(groups.values())


def _block(alike: list[Finding], source: str | None, *, blocks: bool, color: bool) -> str:
    finding = alike[0]
    level = f"{finding.severity.name}{'' if blocks else ' (does not block)'}"
    title = title_of(finding)
    head = f"{level}  {title}"
    place = printable(f"{finding.path}:{finding.line}:{finding.column}", keep_newlines=False)
    if color:
        head = f"{_COLORS[finding.severity]}{level}{_RESET}  {_BOLD}{title}{_RESET}"
        place = f"{_DIM}{place}{_RESET}"
    lines = [
        head,
        f"  --> {place}  [{finding.rule_id}, {finding.tier.name.lower()}, confidence {finding.confidence}]",
        *_excerpt(finding, source),
    ]
    command = printable(finding.command, max_chars=_WIDTH, keep_newlines=False)
    if command and _plain(command) not in _plain(lines[2]) and finding.rule_id != "unanalysable":
        lines.append(f"  read as: {command}")
    lines.append(f"  why:     {printable(finding.explanation, keep_newlines=False)}")
    lines.append(f"  instead: {finding.remedy}")
    if others := list(dict.fromkeys(str(other.line) for other in alike if other.line != finding.line)):
        more = f" and {len(others) - _MAX_LINES} more" if len(others) > _MAX_LINES else ""
        lines.append(f"  also at: line{'s' if len(others) > 1 else ''} {', '.join(others[:_MAX_LINES])}{more}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Text without what quotes it: a command that differs in nothing else needs no second reading."""
    return re.sub(r"[\"'\\]", "", text)


def _excerpt(finding: Finding, source: str | None) -> list[str]:
    rows = source.split("\n") if source is not None else []
    raw = rows[finding.line - 1] if 0 < finding.line <= len(rows) else finding.matched.split("\n")[0]
    number = str(finding.line)
    start = min(finding.column - 1, len(raw)) if source is not None else 0
    # A long line is shown from just before the finding.
    offset = max(0, start - _WIDTH // 2) if len(raw) > _WIDTH else 0
    before = printable(raw[offset:start].expandtabs(4), keep_newlines=False)
    shown = printable(raw[start : offset + _WIDTH].expandtabs(4), keep_newlines=False)
    marked = printable(finding.matched.split("\n")[0], keep_newlines=False)
    caret = "^" * max(1, min(len(marked) or 1, len(shown) or 1))
    ellipsis = "…" if offset else ""
    gutter = " " * len(number)
    return [f" {number} | {ellipsis}{before}{shown}", f" {gutter} | {' ' * (len(ellipsis) + len(before))}{caret}"]
