"""What of an answer its source bears: quotes that are there, words that are the source's, numbers that agree.

A model that a page has taken over can still only say what the page says itself, in its words; and of a fact that is not
there no passage can be shown. Whether a passage is true, nobody here can tell.
"""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from refute.research.record import KeyPoint, WrittenPoint

MIN_QUOTE_CHARS: Final = 20
MIN_QUOTE_WORDS: Final = 3
STEM_CHARS: Final = 5
"""Words that begin alike (`connect`, `connection`) count as one."""
FREE_CHARS: Final = 3
"""Words as short as this carry no content, unless they are numbers."""
FREE_WORDS: Final = frozenset(
    "about according after also although among another article because been before being between both cannot could"
    " describes does during each either explains from given gives have into many more most must notes only other over"
    " page provides said same says section should since some source specifies states such text than that their them"
    " then there these they this those through under until used uses using very were what when where whether which"
    " while will with without would your".split()
)
"""Words of reporting, which say nothing of their own."""
_FOLD: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
_WORD: Final = re.compile(r"[^\W_]+(?:['.,][^\W_]+)*")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def words(text: str) -> list[str]:
    """The words of a text, folded: compatibility forms, case, typographic marks."""
    return [match.group() for match in _WORD.finditer(_folded(text))]


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, thousands without separators."""
    return frozenset(re.sub(r",(?=\d{3})", "", found) for found in _NUMBER.findall(_folded(text)))


def sentences(text: str) -> list[str]:
    """The sentences of a text; a line break ends one too."""
    return [part.strip() for line in text.splitlines() for part in _SENTENCE.split(line) if part.strip()]


@dataclass(frozen=True)
class SourceText:
    """A source's text, made ready to be searched."""

    text: str

    @cached_property
    def _index(self) -> tuple[str, list[int]]:
        """The text folded, without spaces, and where each of its characters comes from."""
        folded: list[str] = []
        places: list[int] = []
        for place, char in enumerate(self.text):
            for one in _folded(char):
                if not one.isspace():
                    folded.append(one)
                    places.append(place)
        return "".join(folded), places

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, words(self.text)))

    def span(self, quote: str) -> tuple[int, int] | None:
        """Where a quote stands, whatever its spaces, case and typographic marks; None where it does not."""
        wanted = "".join(_folded(quote).split())
        haystack, places = self._index
        start = haystack.find(wanted) if wanted else -1
        return None if start < 0 else (places[start], places[start + len(wanted) - 1] + 1)

    def bears(self, text: str) -> bool:
        """Whether every word of content is one of the source's."""
        return all(stem(word) in self._stems for word in _content(text))


def support(source: SourceText, number: int, point: WrittenPoint) -> KeyPoint | str:
    """A point with its passage, or why it has none. Where its words are not the source's, the passage speaks."""
    if len(point.quote) < MIN_QUOTE_CHARS or len(words(point.quote)) < MIN_QUOTE_WORDS:
        return "its quote is too short to bear it"
    span = source.span(point.quote)
    if span is None:
        return "its quote is not in the source"
    quote = " ".join(source.text[slice(*span)].split())
    if not numbers(point.text) <= numbers(quote):
        return "its numbers are not in its quote"
    text = point.text if source.bears(point.text) else quote
    return KeyPoint(text=text, quote=quote, source=number, start=span[0], end=span[1])


def grounded_summary(source: SourceText, summary: str) -> tuple[str, int]:
    """The sentences of a summary in which every word of content is one of the source's, and how many are not kept."""
    told = sentences(summary)
    kept = [one for one in told if source.bears(one)]
    return " ".join(kept), len(told) - len(kept)


def _content(text: str) -> Iterator[str]:
    for word in words(text):
        if (len(word) > FREE_CHARS or any(map(str.isdigit, word)) or not word.isascii()) and word not in FREE_WORDS:
            yield word


def stem(word: str) -> str:
    """What words that begin alike have in common; a number is its own."""
    return word if any(map(str.isdigit, word)) else word[:STEM_CHARS]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_FOLD).casefold()
