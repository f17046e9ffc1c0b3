"""Rules as data (`tables/rules.toml`): what a finding means, how bad it is, how to make it safe, examples both ways."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core.tables import read_table
from refute.scan.finding import Confidence, Finding, Severity, Tier


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
class Words:
    """What a danger is called."""

    title: str
    explanation: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of danger."""

    id: str
    words: Words
    severity: Severity
    tier: Tier
    """A milder form of the same danger is a NOTE of severity MEDIUM."""
    matches: tuple[Example, ...]
    """Each gives a finding of this rule that blocks."""
    spares: tuple[Example, ...]
    """Each gives no blocking finding of this rule."""
    confidence: Confidence = Confidence.HIGH
    mild: Words | None = None
    """Words for the milder form; None: the rule's own fit that too."""

    def graded(self, *, mild: bool, refuse: bool) -> tuple[Severity, Tier]:
        """Severity and tier of a finding, as the judge decided on its form."""
        if mild:
            return Severity.MEDIUM, Tier.NOTE
        return self.severity, Tier.REFUSE if refuse else self.tier

    def words_for(self, severity: Severity) -> Words:
        """Title, explanation and remedy for a finding of this severity."""
        return self.mild if self.mild is not None and severity < self.severity else self.words


@lru_cache(maxsize=1)
def rules() -> Mapping[str, Rule]:
    """Rule id → rule."""
    return MappingProxyType({name: _rule(name, **row) for name, row in read_table("rules").items()})


def _rule(name: str, grade: str = "high confirm", mild: dict[str, str] | None = None, **row: Any) -> Rule:
    severity, tier, *confidence = grade.split()
    examples = [
        tuple(Example(text=text, language=Language(name)) for name, texts in row.pop(kind).items() for text in texts)
        for kind in ("matches", "spares")
    ]
    return Rule(
        id=name,
        words=Words(**row),
        severity=Severity[severity.upper()],
        tier=Tier[tier.upper()],
        matches=examples[0],
        spares=examples[1],
        confidence=Confidence(*confidence or ["high"]),
        mild=Words(**mild) if mild else None,
    )


UNANALYSABLE: Final = "unanalysable"


def title_of(finding: Finding) -> str:
    """What a finding is called, by its rule and how it is graded."""
    rule = rules().get(finding.rule_id)
    return rule.words_for(finding.severity).title if rule is not None else finding.rule_id
