"""Collects findings while a text is walked, keeps the walk within its budget, tells which texts may be read here."""

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Final

from refute.scan.core.symbols import OUTPUT, show, strip_symbols
from refute.scan.core.tables import Knowledge, knowledge
from refute.scan.finding import Finding, Severity, Tier
from refute.scan.rules import UNANALYSABLE, rules

_SMALL_BYTES: Final = 200_000
_SHALLOW: Final = 40
_SHORT_LINE: Final = 8_000
_UNARY_RUN: Final = re.compile(
    rb"(?:[~!+]|not\s|lambda\s*:|await\s|else\s){30}|-{2000}|(?:-\s){30}|(?:[.\w]{1,8}\*\*){30}"
)
_DEEP_INDENT: Final = re.compile(rb"^(?:\t{40}|[ ]{400})", re.MULTILINE)
_FEW: Final = 40
"""So few brackets cannot nest deeply."""
_STEPS: Final = {**dict.fromkeys(b"([{", 1), **dict.fromkeys(b")]}", -1)}


def is_plain(data: bytes, most: int = _SMALL_BYTES) -> bool:
    """Whether a text has no more bytes than that, no endless line, and nothing that nests deeply."""
    return (
        len(data) <= most
        and max(map(len, data.split(b"\n"))) <= _SHORT_LINE
        and depth_of(data) <= _SHALLOW
        # Operators and keywords nest without brackets.
        and not _UNARY_RUN.search(data)
        and not _DEEP_INDENT.search(data)
    )


def depth_of(source: bytes) -> int:
    """How deeply brackets nest, counted on the bytes alone: an upper bound that needs no parser."""
    if sum(source.count(bracket) for bracket in (b"(", b"[", b"{", b"`")) <= _FEW:
        return 0
    depths = accumulate(source, lambda depth, byte: max(0, depth + _STEPS.get(byte, 0)), initial=0)
    return max(depths) + source.count(b"\\`") + 1  # only escaped backticks nest


MAX_FINDINGS = 500
"""Findings kept for one file."""
MAX_STEPS = 150_000
"""Nodes visited for one file, over all embedded texts; a typical script needs a few hundred."""
MAX_READ = 20_000
"""Bytes of a file of the workspace that are read where a script reads it."""


class BudgetExceeded(Exception):
    """The text asks for more work than a scan may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where something stands."""

    line: int
    """1-based."""
    column: int
    """1-based."""
    text: str
    """The source text as written."""
    holds: bool = False
    """Whether it stands for all lines of what is walked there, which the file itself does not hold."""

    def below(self, rows: int) -> "Spot":
        """Where a text that begins here has got to after so many rows."""
        return self if self.holds else replace(self, line=self.line + rows)


def finding_of(  # noqa: PLR0913 - what a finding is made of
    rule_id: str, path: str, spot: Spot, command: str, *, mild: bool = False, refuse: bool = False, detail: str = ""
) -> Finding:
    """A finding in the words of its rule, about a command as understood.

    It may be `mild`, only worth seeing; `refuse`: nobody is asked, whatever the rule says; `detail`: said besides.
    """
    rule = rules()[rule_id]
    severity, tier = (Severity.MEDIUM, Tier.NOTE) if mild else (rule.severity, Tier.REFUSE if refuse else rule.tier)
    words = rule.words_for(severity)
    return Finding(
        rule_id=rule_id,
        path=path,
        line=spot.line,
        column=spot.column,
        severity=severity,
        tier=tier,
        confidence=rule.confidence,
        matched=show(spot.text.strip()),
        command=show(command),
        explanation=f"{words.explanation} {detail}".strip(),
        remedy=words.remedy,
    )


def unanalysable(path: str, reason: str, line: int = 1) -> Finding:
    """A file that was not understood, or of which nothing could be read."""
    return finding_of(UNANALYSABLE, path, Spot(line=line, column=1, text=""), reason, detail=reason)


@dataclass(slots=True, kw_only=True)
class Report:
    """The findings of one file so far. Embedded texts report into the same one, at the place that holds them."""

    path: str
    steps: int = MAX_STEPS
    """Steps left."""
    findings: dict[tuple[str, int, str], Finding] = field(default_factory=dict)
    knowledge: Knowledge = field(default_factory=knowledge)
    written: dict[str, str] = field(default_factory=dict)
    """Located path → text that the scanned text itself put there."""
    reached: list[tuple[str, str]] = field(default_factory=list)
    """(path as the script writes it, resolved against the workspace; interpreter) of what it runs."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Every file of the workspace, by path; empty where a text is scanned by itself."""
    borrowed: set[str] = field(default_factory=set)
    """Files of the workspace whose functions and variables were read, by path."""

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            BudgetExceeded: when none are left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded

    def content_of(self, pattern: str) -> str:
        """What files of the workspace hold, OUTPUT where none is there, or one is long or odd."""
        held = [self.files[name] for name in fnmatch.filter(self.files, pattern)]
        plain = held and all(is_plain(data, MAX_READ) for data in held)
        return strip_symbols(b"\n".join(held).decode("utf-8", "replace")) if plain else OUTPUT

    def add(self, rule_id: str, spot: Spot, command: str, **form: Any) -> None:
        """Record a finding; a second one of the same rule, line and command is dropped unless it is worse."""
        finding = finding_of(rule_id, self.path, spot, command, **form)
        key = (rule_id, spot.line, finding.command)
        held = self.findings.get(key)
        if held is None or (held.severity, held.tier) < (finding.severity, finding.tier):
            self.findings[key] = finding

    def count_letters(self, source: str) -> None:
        """Turn columns that a parser counted in bytes into letters, as everybody else counts."""
        lines = source.encode("utf-8", "replace").split(b"\n") if not source.isascii() else []
        for key, finding in self.findings.items():
            if 0 < finding.line <= len(lines):
                before = lines[finding.line - 1][: finding.column - 1].decode(errors="ignore")
                self.findings[key] = replace(finding, column=len(before) + 1)

    def refuse(self, reason: str, line: int = 1) -> None:
        """Record that the file was not understood, however many findings there are already."""
        self.findings[UNANALYSABLE, 0, reason] = unanalysable(self.path, reason, line)

    def result(self) -> tuple[Finding, ...]:
        """Most severe first, then by place; of many the first, and what would block is never dropped unseen."""
        found = sorted(self.findings.values(), key=lambda f: (-f.severity, f.line, f.column, f.rule_id))
        if len(found) > MAX_FINDINGS and found[MAX_FINDINGS].severity > Severity.MEDIUM:
            told = f"It gives more than {MAX_FINDINGS} findings; the rest is not listed."
            found.insert(0, unanalysable(self.path, told, found[MAX_FINDINGS].line))
        return tuple(found[:MAX_FINDINGS])
