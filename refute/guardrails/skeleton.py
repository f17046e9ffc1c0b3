"""What a text says to a reader, whatever characters it is written in: for comparison only, never for output.

Compatibility forms, case, look-alike letters, accents and characters that draw nothing are folded away, and each
character of the result knows where in the text it came from.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refute.guardrails.plain_text import INVISIBLE

LOOK_ALIKES: Final = str.maketrans(
    "авсԁеһіјкӏмոорԛгѕтυѵԝхуʏαβεηικνρτχγωɑɡıɩ",
    "abcdehijklmnopqrstuvwxyyabenikvptxywagii",
)
"""Cyrillic, Armenian and Greek letters that look like Latin ones, after folding case (a choice of
https://www.unicode.org/Public/security/latest/confusables.txt)."""

_HIDDEN: Final = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
_ACCENTS: Final = frozenset(("Me", "Mn"))
_SPACED_LETTERS: Final = re.compile(r"(?<![^\W_])(?:[^\W_][ .*_-]{1,2}){4,}[^\W_](?![^\W_])")
_SEPARATOR: Final = re.compile(r"[ .*_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """A text as it is compared."""

    text: str
    origin: Sequence[int]
    """Where in the source each of its characters stands."""

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """What of the source a part of `text` stands for."""
        return self.origin[start], self.origin[end - 1] + 1


def draws_nothing(char: str) -> bool:
    """Whether a character is there for machines only: zero-width, reordering, a tag, a control, unassigned."""
    return char in INVISIBLE or (unicodedata.category(char) in _HIDDEN and char not in "\n\r\t")


def folded(source: str) -> Skeleton:
    """The text in words: `snake_case` apart, `s p a c e d` together."""
    source = source.replace("_", " ")
    if source.isascii():
        skeleton = Skeleton(text=source.lower(), origin=range(len(source)))
    else:
        pairs = [(one, place) for place, char in enumerate(source) for one in _fold(char)]
        skeleton = _of(pairs)
    return _joined(skeleton)


def letters(source: str) -> Skeleton:
    """The text's letters and digits alone, so that neither spacing nor punctuation hides anything."""
    return _of([(one, place) for place, char in enumerate(source) for one in _fold(char) if one.isalnum()])


def _fold(char: str) -> str:
    if char.isascii():
        return char.lower()
    if draws_nothing(char):
        return ""
    shown = unicodedata.normalize("NFKD", char).casefold().translate(LOOK_ALIKES)
    return "".join(one for one in shown if unicodedata.category(one) not in _ACCENTS)


def _of(pairs: Sequence[tuple[str, int]]) -> Skeleton:
    return Skeleton(text="".join(one for one, _ in pairs), origin=[place for _, place in pairs])


def _joined(skeleton: Skeleton) -> Skeleton:
    gaps = {
        place
        for run in _SPACED_LETTERS.finditer(skeleton.text)
        for gap in _SEPARATOR.finditer(skeleton.text, run.start(), run.end())
        for place in range(*gap.span())
    }
    if not gaps:
        return skeleton
    kept = [place for place in range(len(skeleton.text)) if place not in gaps]
    return _of([(skeleton.text[place], skeleton.origin[place]) for place in kept])
