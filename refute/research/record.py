"""The records of research: a goal, what was planned, fetched and read for it, and what that came to."""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from refute.llm.model import DataClass
from refute.research.masking import Dropped


class Mode(StrEnum):
    """How pages are treated."""

    DEFENDED = "defended"
    VULNERABLE = "vulnerable"
    """A deliberately weak baseline: whatever a page asks for is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a person wants to know, and the pages that they name."""

    text: str
    urls: tuple[str, ...]
    data_class: DataClass = DataClass.WEB
    """Of the goal's words; whoever may not get it is not asked."""

    @property
    def id(self) -> str:
        """Names the goal where its words have no business: in intents and in the audit log."""
        return hashlib.sha256(json.dumps([self.text, *self.urls]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """Something that a gate stopped."""

    gate: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One page as the reader gets it."""

    number: int
    """1-based, in the order of the plan."""
    url: str
    """Where it was found, after redirects."""
    title: str = ""
    text: str = ""
    """Visible, sanitised, cut; every quote is a part of it."""
    dropped: tuple[Dropped, ...] = ()
    tags: tuple[str, ...] = ()
    """What makes it suspicious."""
    missing: str = ""
    """Why there is no text, in words."""
    transferred_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPoint:
    """A key point, as the model wrote it."""

    text: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A model's answer that keeps to the contract; what had to be changed for that is in `faults`."""

    summary: str = ""
    key_points: tuple[WrittenPoint, ...] = ()
    citations: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a model answered about one source."""

    number: int
    answer: Answer = Answer()
    missing: str = ""
    """Why there is no answer, in words."""
    cost_usd: Decimal | None = Decimal(0)
    """None where no price is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoint:
    """One point with the passage of its source that bears it."""

    text: str
    quote: str
    source: int
    start: int
    """Of the quote in the source's text, in characters."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source of at least one point."""

    number: int
    url: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What research came to: a summary, points with their passages, and all that a reader should know beside."""

    goal_id: str
    mode: Mode
    summary: str
    key_points: tuple[KeyPoint, ...]
    citations: tuple[Citation, ...]
    notes: tuple[str, ...]
    denials: tuple[Denial, ...] = ()
    actions: tuple[str, ...] = ()
    """Every tool call that was carried out: tool and arguments as JSON, in order."""
    sources: tuple[Source, ...] = ()
    cost_usd: Decimal | None = Decimal(0)
