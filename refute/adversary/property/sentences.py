"""Sentences of a text, each as it stands and without blanks too many."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a text."""

    verbatim: str
    plain: str
    """Whitespace collapsed, for matching."""


_MAX_SENTENCE = 1_000
"""Characters; what is longer is no sentence that a pattern was made for."""


def sentences(text: str) -> list[Sentence]:
    """Sentences, list items and paragraphs; a full stop inside backticks, brackets or numbers ends nothing."""
    found: list[Sentence] = []
    for paragraph in re.split(r"\n[ \t]*\n|\n(?=[ \t]*[-*•][ \t])", text):
        start = 0
        for end in [*_stops(paragraph), len(paragraph)]:
            verbatim = paragraph[start:end].strip()
            start = end
            if verbatim and len(verbatim) <= _MAX_SENTENCE:
                found.append(Sentence(verbatim=verbatim, plain=" ".join(verbatim.split())))
    return found


def _stops(text: str) -> Iterator[int]:
    depth, code = 0, False
    for hit in re.finditer(r"[`()\[\]{}]|[.;!?](?=\s|$)", text):
        match hit[0]:
            case "`":
                code = not code
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth = max(0, depth - 1)
            case _:
                abbreviated = re.search(r"\b(?:e\.g|i\.e|etc|vs|cf)$", text[: hit.start()])
                if not code and not depth and not abbreviated:
                    yield hit.end()
