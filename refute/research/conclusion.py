"""What of the readings is passed on: points with passages, citations of fetched pages, notes about the rest."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from refute.guardrails.audit import Gate
from refute.guardrails.redaction import Redactor
from refute.research.contradictions import contradictions
from refute.research.grounding import SourceText, grounded_summary, sentences, support
from refute.research.prompting import system_text
from refute.research.record import Citation, Findings, Goal, KeyPoint, Mode, Reading, Source
from refute.research.stops import Stops
from refute.wording import counted

MAX_SUMMARY_CHARS: Final = 3_000
LINK_MASK: Final = "[link removed]"
_URL: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.|//|mailto:|data:|javascript:)[^\s<>\"')\]]+", re.IGNORECASE
)


def conclude(goal: Goal, sources: Sequence[Source], readings: Mapping[int, Reading], stops: Stops) -> Findings:
    """Check every reading against its source, and put together what is left.

    Args:
        goal: whose words must not be repeated.
        sources: that were fetched.
        readings: by number of their source.
        stops: hears of all that is left out.
    """
    fetched = frozenset(source.url for source in sources)
    output = _Output(goal, fetched, stops)
    summaries, points = [], []
    for source in sources:
        reading = readings.get(source.number) or Reading(number=source.number, missing=source.missing)
        summary, found = output.of_source(source, reading)
        summaries += [summary] if summary else []
        points += found
    notes = [*_notes(sources, readings), *output.notes, *contradictions(points)]
    stops.allow(Gate.RESEARCH_OUTPUT, "checked against the sources", {"goal": goal.id, "points": len(points)})
    cited = {point.source for point in points}
    return Findings(
        goal_id=goal.id,
        mode=Mode.DEFENDED,
        summary=" ".join(summaries)[:MAX_SUMMARY_CHARS],
        key_points=tuple(points),
        citations=tuple(
            Citation(number=one.number, url=one.url, title=one.title) for one in sources if one.number in cited
        ),
        notes=tuple(dict.fromkeys(notes)),
        sources=tuple(sources),
    )


class _Output:
    """The last gate."""

    def __init__(self, goal: Goal, fetched: frozenset[str], stops: Stops) -> None:
        self._redactor = _redactor(goal.text)
        self._fetched, self._stops = fetched, stops
        self.notes: list[str] = []

    def of_source(self, source: Source, reading: Reading) -> tuple[str, list[KeyPoint]]:
        """What is passed on of one reading."""
        name, text = f"source {source.number}", SourceText(source.text)
        for fault in reading.answer.faults:
            self._deny(name, "answer", fault)
        for url in reading.answer.citations:
            if url not in self._fetched:
                self._deny(name, f"citation {url}", "it was not fetched")
        points = []
        for written in reading.answer.key_points:
            point = support(text, source.number, written)
            if isinstance(point, str):
                self._deny(name, f"key point “{written.text[:80]}”", point)
            else:
                points.append(self._clean(name, point))
        if not points:
            return "", []
        summary, left_out = grounded_summary(text, reading.answer.summary)
        if left_out:
            self._deny(name, counted(left_out, "sentence") + " of the summary", "in words that are not the source's")
        told = summary or " ".join(dict.fromkeys(point.text for point in points[:2]))
        return f"{self._redacted(name, told)} [{source.number}]", points

    def _clean(self, name: str, point: KeyPoint) -> KeyPoint:
        quote = self._redacted(name, point.quote)
        text = quote if point.text == point.quote else self._redacted(name, point.text)
        return replace(point, text=text, quote=quote)

    def _redacted(self, name: str, text: str) -> str:
        """Without the goal, our instructions, secrets, and addresses that were not fetched."""
        clean, found = self._redactor.redact(text)
        if found:
            self._deny(name, "repeated " + ", ".join(found), "masked in the output")
        linked = _URL.sub(
            lambda match: match.group() if match.group().rstrip(".,;") in self._fetched else LINK_MASK, clean
        )
        if linked != clean:
            self._deny(name, "link", "to an address that was not fetched")
        return linked

    def _deny(self, name: str, what: str, reason: str) -> None:
        self._stops.deny(Gate.RESEARCH_OUTPUT, f"{name}: {what}", reason)
        self.notes.append(f"{name}: {what[:160]}: {reason}")


@lru_cache(maxsize=8)
def _redactor(goal: str) -> Redactor:
    return Redactor(goal=goal, fragments=sentences(system_text()))


def _notes(sources: Sequence[Source], readings: Mapping[int, Reading]) -> list[str]:
    """Sources that could not be read, and suspicious ones."""
    notes = []
    for source in sources:
        missing = source.missing or (readings[source.number].missing if source.number in readings else "not read")
        notes += [f"source {source.number} could not be used: {missing}"] if missing else []
        notes += [f"source {source.number} ({source.url}) is suspicious: it {tag}" for tag in source.tags]
    return notes
