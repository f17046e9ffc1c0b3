"""Collects findings while a text is walked, and keeps the walk within its budget."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from refute.scan.catalog import RULES
from refute.scan.finding import Confidence, Finding, Severity
from refute.scan.symbols import show

MAX_FINDINGS = 200
"""Findings kept for one file, the worst of them."""
MAX_STEPS = 150_000
"""Nodes visited for one file, over all embedded texts; a typical script needs a few hundred."""


class BudgetExceeded(Exception):
    """The text asks for more work than a scan may take."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """Steps left for one file."""

    steps: int = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            BudgetExceeded: when none are left.
        """
        self.steps -= steps
        if self.steps < 0:
            raise BudgetExceeded


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where something stands."""

    line: int
    """1-based."""
    column: int
    """1-based."""
    text: str
    """The source text as written."""


def letters_before(line: str, offset: int) -> int:
    """How many letters stand before an offset that a parser counts in bytes."""
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


@dataclass(slots=True, kw_only=True)
class Report:
    """The findings of one file so far. Embedded texts report into the same one, at the place that holds them."""

    path: str
    budget: Budget = field(default_factory=Budget)
    findings: dict[tuple[str, int, str], Finding] = field(default_factory=dict)
    library: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the workspace whose functions and variables a script may read, by path; judged by themselves."""
    muted: int = 0
    """How many texts are being walked only for what they define."""
    reached: list[tuple[str, str]] = field(default_factory=list)
    """(path as the script writes it, resolved against the workspace; interpreter) of what it runs."""

    def add(
        self,
        rule_id: str,
        spot: Spot,
        command: str,
        *,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        detail: str = "",
    ) -> None:
        """Record a finding; a second one of the same rule, line and command is dropped unless it is worse."""
        if self.muted:
            return
        rule = RULES[rule_id]
        graded = rule.severity if severity is None else severity
        words = rule.words(graded)
        finding = Finding(
            rule_id=rule_id,
            path=self.path,
            line=spot.line,
            column=spot.column,
            severity=graded,
            confidence=confidence or rule.confidence,
            matched=show(spot.text.strip()),
            command=show(command),
            explanation=f"{words.explanation} {detail}".strip(),
            remedy=words.remedy,
        )
        key = (rule_id, spot.line, finding.command)
        held = self.findings.get(key)
        if held is None and len(self.findings) >= MAX_FINDINGS and not self._make_room(finding):
            return
        if held is None or held.severity < finding.severity:
            self.findings[key] = finding

    def count_letters(self, source: str) -> None:
        """Turn columns that a parser counted in bytes into letters, as everybody else counts."""
        lines = source.split("\n") if not source.isascii() else []
        for key, finding in self.findings.items():
            if 0 < finding.line <= len(lines):
                column = letters_before(lines[finding.line - 1], finding.column - 1) + 1
                self.findings[key] = replace(finding, column=column)

    def _make_room(self, finding: Finding) -> bool:
        """Let the first of the weakest findings go for a worse one; says whether there is room now.

        A finding that would block is never dropped unseen: the file then counts as not understood.
        """
        weakest = min(self.findings, key=lambda key: self.findings[key].severity)
        if self.findings[weakest].severity < finding.severity:
            del self.findings[weakest]
        elif finding.severity > Severity.MEDIUM:
            spot = Spot(line=finding.line, column=finding.column, text=finding.matched)
            self.add_always(
                "unanalysable", spot, f"It gives more than {MAX_FINDINGS} findings; the rest is not listed."
            )
            return False
        return len(self.findings) < MAX_FINDINGS

    def add_always(self, rule_id: str, spot: Spot, reason: str) -> None:
        """Record that the file was not understood, however many findings there are already."""
        rule = RULES[rule_id]
        self.findings[rule_id, 0, reason] = Finding(
            rule_id=rule_id,
            path=self.path,
            line=spot.line,
            column=spot.column,
            severity=rule.severity,
            confidence=rule.confidence,
            matched=show(spot.text),
            command=show(reason),
            explanation=f"{rule.explanation} {reason}",
            remedy=rule.remedy,
        )

    def result(self) -> tuple[Finding, ...]:
        """Most severe first, then by place."""
        return tuple(sorted(self.findings.values(), key=lambda f: (-f.severity, f.line, f.column, f.rule_id)))
