"""What the safety scanner says about a text: findings, and whether they allow it to run."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Severity(IntEnum):
    """How bad the consequence would be; ordered."""

    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3


class Tier(IntEnum):
    """What becomes of a run with such a finding; ordered."""

    NOTE = 1
    """Shown."""
    CONFIRM = 2
    """A person is asked by name, default No; with nobody to ask, or with network, it blocks."""
    REFUSE = 3
    """Blocked before anybody is asked."""


class Confidence(StrEnum):
    """How sure the scanner is that the pattern is what it looks like."""

    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One dangerous pattern at one place."""

    rule_id: str
    path: str
    line: int
    """1-based."""
    column: int
    """1-based."""
    severity: Severity
    tier: Tier = Tier.CONFIRM
    confidence: Confidence
    matched: str
    """The matched text as written, cut to 200 characters."""
    command: str
    """The command as understood after unquoting and expanding, e.g. `rm -rf /`."""
    explanation: str
    remedy: str
    """How to make it safe."""

    @property
    def grade(self) -> str:
        """Severity and tier in words."""
        return f"{self.severity.name} ({self.tier.name.lower()})"

    @property
    def name(self) -> str:
        """`rule@path:line`, as records and the audit log name it."""
        return f"{self.rule_id}@{self.path}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that a reviewed allow-file silences; still counted and shown."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What of a scan is not shown, because a git revision has it already."""

    base: str
    """The revision as a person named it."""
    left_out: int
    """Findings that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanResult:
    """All findings over the scanned files, most severe first within a file."""

    findings: tuple[Finding, ...]
    scanned: tuple[str, ...]
    """Paths that were analysed."""
    block_from: Severity = Severity.HIGH
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """The findings that keep the text from running."""
        return tuple(finding for finding in self.findings if finding.severity >= self.block_from)

    @property
    def refused(self) -> tuple[Finding, ...]:
        """The blocking findings about which nobody is asked."""
        return tuple(finding for finding in self.blocking if finding.tier is Tier.REFUSE)

    @property
    def safe(self) -> bool:
        """Whether nothing blocks."""
        return not self.blocking
