"""Rules as data: what each finding means, how bad it is, how to make it safe, and an example either way."""

from dataclasses import dataclass
from enum import StrEnum

from refute.scan.finding import Confidence, Severity


class Language(StrEnum):
    """A language that the scanner reads."""

    SHELL = "shell"
    PYTHON = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text that must, or must not, give the rule's finding."""

    text: str
    language: Language = Language.SHELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Mild:
    """What a weaker form of a danger is called, where the rule's own words would say what it does not do."""

    title: str
    explanation: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of danger."""

    id: str
    title: str
    severity: Severity
    """What it is graded by default; a weaker form of the same danger is graded lower where it is found."""
    explanation: str
    remedy: str
    matches: tuple[Example, ...]
    """Each gives a finding of this rule that blocks."""
    spares: tuple[Example, ...]
    """Each gives no blocking finding of this rule."""
    confidence: Confidence = Confidence.HIGH
    mild: Mild | None = None
    """Words for what is graded lower than the rule; None: its own fit that too."""

    def words(self, severity: Severity) -> "Rule | Mild":
        """Whose title, explanation and remedy fit a finding of this severity."""
        return self.mild if self.mild is not None and severity < self.severity else self


def sh(*texts: str) -> tuple[Example, ...]:
    """Shell examples."""
    return tuple(Example(text=text) for text in texts)


def py(*texts: str) -> tuple[Example, ...]:
    """Python examples."""
    return tuple(Example(text=text, language=Language.PYTHON) for text in texts)
