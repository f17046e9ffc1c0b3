"""Rules as data (`tables/rules.toml`): what a finding means, how bad it is, how to make it safe, examples both ways.

`python -m refute.scan.rules PAGE` writes them into the documentation page, behind its introduction as it stands.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core.tables import read_table
from refute.scan.finding import Confidence, Finding, Severity, Tier


class Language(StrEnum):
    """A language that the scanner reads."""

    SHELL = "shell"
    PYTHON = "python"


Examples = Mapping[Language, list[str]]


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
    matches: Examples
    """Each gives a finding of this rule that blocks."""
    spares: Examples
    """Each gives no blocking finding of this rule."""
    confidence: Confidence = Confidence.HIGH
    mild: Words | None = None
    """Words for the milder form; None: the rule's own fit that too."""

    def words_for(self, severity: Severity) -> Words:
        """Title, explanation and remedy for a finding of this severity."""
        return self.mild if self.mild is not None and severity < self.severity else self.words


@lru_cache(maxsize=1)
def rules() -> Mapping[str, Rule]:
    """Rule id → rule."""
    return MappingProxyType({name: _rule(name, **row) for name, row in read_table("rules").items()})


def _rule(name: str, grade: str = "high confirm", mild: dict[str, str] | None = None, **row: Any) -> Rule:
    severity, tier, *confidence = grade.split()
    examples = [{Language(name): texts for name, texts in row.pop(kind).items()} for kind in ("matches", "spares")]
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
    return rules()[finding.rule_id].words_for(finding.severity).title


def rules_page(page: str) -> str:
    """The page as Markdown.

    Args:
        page: as it was; what stands in front of the first rule is kept.
    """
    introduction = page.partition(f"\n## {next(iter(rules()))}\n")[0]
    return introduction + "".join(map(_section, rules().values()))


def _section(rule: Rule) -> str:
    words, mild = rule.words, rule.mild
    milder = (
        f"Where it is graded lower: **{mild.title}.** {mild.explanation} Instead: {mild.remedy}\n\n" if mild else ""
    )
    return (
        f"\n## {rule.id}\n\n**{words.title}.** {rule.severity.name}, {rule.tier.name}, confidence {rule.confidence}. "
        f"{words.explanation}\n\nInstead: {words.remedy}\n\n{milder}"
        f"Blocks:\n\n{_examples(rule.matches)}\nDoes not block:\n\n{_examples(rule.spares)}"
    )


def _examples(examples: Examples) -> str:
    return "".join(f"- {language}: `{_inline(text)}`\n" for language, texts in examples.items() for text in texts)


def _inline(text: str) -> str:
    shown = text.encode("unicode_escape").decode() if not text.isprintable() and "\n" not in text else text
    return shown.replace("`", "'").replace("\n", " ⏎ ")


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.write_text(rules_page(where.read_text(encoding="utf-8")), encoding="utf-8")
