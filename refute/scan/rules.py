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


def _examples(row: Mapping[str, list[str]]) -> tuple[Example, ...]:
    return tuple(Example(text=text, language=Language(name)) for name, texts in row.items() for text in texts)


def _words(row: Mapping[str, Any]) -> Words:
    return Words(title=row["title"], explanation=row["explanation"], remedy=row["remedy"])


@lru_cache(maxsize=1)
def rules() -> Mapping[str, Rule]:
    """Rule id → rule."""
    return MappingProxyType({name: _rule(name, row) for name, row in read_table("rules").items()})


def _rule(name: str, row: Mapping[str, Any]) -> Rule:
    severity, tier, *confidence = row.get("grade", "high confirm").split()
    return Rule(
        id=name,
        words=_words(row),
        severity=Severity[severity.upper()],
        tier=Tier[tier.upper()],
        matches=_examples(row["matches"]),
        spares=_examples(row["spares"]),
        confidence=Confidence(*confidence or ["high"]),
        mild=_words(row["mild"]) if "mild" in row else None,
    )


UNANALYSABLE: Final = "unanalysable"


def title_of(finding: Finding) -> str:
    """What a finding is called, by its rule and how it is graded."""
    rule = rules().get(finding.rule_id)
    return rule.words_for(finding.severity).title if rule is not None else finding.rule_id
