"""Clauses: the parts of a claim that could be false one without the other. Where that is in doubt, nothing is cut.

Half a claim is easily attacked and the other half forgotten, so every clause wants a test that quotes its words.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

_VERB: Final = (
    r"(?:(?:does|do|will|must|can|may) not|doesn't|won't|cannot|can't|must|will|always|never|also"
    r"|(?:return|raise|throw|yield|print|exit)s)\b"
    r"|\w{2,}[^\W_s]s (?:an?|the|any|all|every|each|no|its|their|it|them|nothing|only|[A-Z]\w*)\b"
)
"""How the predicate of another clause begins: a modal verb, what functions do, any `…s the`."""
_SUBJECT: Final = r"(?:it|they|its|no|none|nothing|nobody|every|each|all|any|so (?:does|do|is|are))\b"
_CONDITION: Final = r"(?:if|when|with|without|for|on)\b"
_SUBORDINATE: Final = re.compile(
    r"\b(?:if|when|whenever|that|which|who|whose|where|whether|until|because|such)\b", re.IGNORECASE
)
"""After such a word `and` joins conditions as likely as clauses."""
_LONE_VERB: Final = re.compile(r"(?:(?:it|\S*_\S*|\w+\.\w\S*)\s+)?\w{2,}[^\W_s]s", re.IGNORECASE)
"""A verb without an object: `removes and returns the last item` is one clause."""
_EXPLAINS: Final = re.compile(
    r"\s*(?:[(:]|>>>|\$ |e\.g\.|i\.e\.|given\b[^,.;]*(?:[.;]|\Z)|(?:the )?(?:inputs?|goal)\b"
    r"|(?:this function |\w+ )?(?:takes|accepts)\b|(?:for )?(?:examples?|instance)\b"
    r"|(?:you(?:'re| are| have| will be)|assume|suppose|consider|imagine|let|note|see|implements|that is)\b"
    r"|(?:[A-Z]\w+ )?(?:arg(?:ument)?s|param(?:eter)?s|preconditions?|returns?|outputs?|yields?|usage)[ \t]*:?\s*\n)",
    re.IGNORECASE,
)
"""How a sentence begins that says when or what is meant, not what the code does: it is no clause of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Separator:
    """One pattern over a claim whose code and quotations are masked."""

    pattern: re.Pattern[str]
    cuts: str
    """A claim that it cuts in two."""
    keeps: str
    """A claim that it leaves whole."""


SEPARATORS: Final = (
    Separator(
        pattern=re.compile(r"(?<=\w\.)\s+"),
        cuts="Sorts the values. Raises ValueError when empty.",
        keeps="Rounds to 3.5, e.g. for halves.",
    ),
    Separator(pattern=re.compile(r"(?<=;)\s+"), cuts="f(0) is 1; f(1) is 2.", keeps="Splits `a; b` at its semicolon."),
    Separator(
        pattern=re.compile(r"\n(?=[ \t]*[-*•][ \t])"),
        cuts="It holds that:\n- keys are sorted\n- values stay",
        keeps="Gives a - b.",
    ),
    Separator(
        pattern=re.compile(rf",?\s+(?=(?:and|or|but|then|and then)\s+(?:{_VERB}))"),
        cuts="Returns the largest and raises ValueError when empty.",
        keeps="Returns keys and values in order.",
    ),
    Separator(
        pattern=re.compile(rf",\s+(?=(?:and|but)\s+(?:{_SUBJECT}|{_CONDITION}[^.;]*?\s(?:{_VERB})))"),
        cuts="The names are sorted, and no two are equal.",
        keeps="Gives the middle one, and the mean of two for an even number.",
    ),
    Separator(
        pattern=re.compile(r",\s+(?=(?:and|but)\s+(?:\S+\s+){1,3}?(?:return|raise|throw|yield|print|exit)s\b)"),
        cuts="root(4) is 2, and a negative number raises ValueError.",
        keeps="Takes keys, values, and what a call returns.",
    ),
    Separator(
        pattern=re.compile(
            r",\s+(?=(?:unless|otherwise(?! (?:true|false)\b)|never|while|whereas|raising|returning)\b)", re.IGNORECASE
        ),
        cuts="Gives the value, raising KeyError when there is none.",
        keeps="Raises ValueError unless n > 0.",
    ),
)
"""Where one clause ends and the next begins."""

_OPAQUE: Final = (
    re.compile(r"^[ \t]*(?:>>>|\$ ).*(?:\n[ \t]*\S.*)*", re.MULTILINE),
    re.compile(
        r"^([ \t]*)(?:[A-Z]\w+ )?(?:inputs?|arg(?:ument)?s|param(?:eter)?s|preconditions?)[ \t]*:?[ \t]*"
        r"(?:\n[ \t]*$|\n\1[ \t]+\S.*)+",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"^[ \t]*examples?[ \t]*:?[ \t]*(?:\n[ \t]*\S.*)+", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^[ \t]*:(?:param|type|arg)\b.*", re.MULTILINE),
    re.compile(r"`+[^`]+`+"),
    re.compile(r"(?<!\w)(['\"])(?:\\.|(?!\1)[^\\\n])*\1(?!\w)"),
    re.compile(r"^[ \t]*\d+\.", re.MULTILINE),
    re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no)\.", re.IGNORECASE),
)
"""What is never cut: sessions, premises under their heading, code, quotations, abbreviations."""
_BRACKETS: Final = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")


def clauses_of(text: str) -> tuple[str, ...]:
    """A claim's clauses in order, verbatim; together they are the whole text but for blanks between them."""
    masked = _masked(text)
    starts, before, asserts = [0], 0, False
    for cut in sorted({hit.end() for row in SEPARATORS for hit in row.pattern.finditer(masked)}):
        piece = masked[before:cut].strip()
        ended = piece.endswith((".", ";", ",", ":"))
        if not ended and (_SUBORDINATE.search(piece) or _LONE_VERB.fullmatch(piece)):
            continue
        before = cut
        asserts = asserts or not _EXPLAINS.match(piece.rpartition("\n\n")[2])
        if asserts and not piece.endswith(":") and text[cut:].strip() and not _EXPLAINS.match(text, cut):
            starts.append(cut)
    return tuple(text[start:end].strip() for start, end in pairwise([*starts, len(text)]))


def open_clauses(text: str, quotes: Iterable[str]) -> tuple[str, ...]:
    """The clauses of a claim that no quote is from; a quote counts for one clause, the one that holds most of it.

    Args:
        text: of the claim.
        quotes: words of it, verbatim but for blanks, one text per test.
    """
    clauses = clauses_of(text)
    quoted = {_place(clauses, quote) for quote in quotes} if len(clauses) > 1 else {0 for _ in quotes}
    return tuple(clause for place, clause in enumerate(clauses) if place not in quoted)


def _place(clauses: Sequence[str], quote: str) -> int | None:
    """The number of the clause that holds most of a quote; None where it does not stand in the claim."""
    words = _compact(quote)
    ends = list(accumulate(len(_compact(clause)) for clause in clauses))
    start = "".join(map(_compact, clauses)).find(words)
    if start < 0 or not words:
        return None
    held = [min(end, start + len(words)) - max(begin, start) for begin, end in pairwise([0, *ends])]
    return held.index(max(held))


def _compact(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _masked(text: str) -> str:
    for pattern in _OPAQUE:
        text = pattern.sub(_mask, text)
    while (inner := _BRACKETS.sub(_mask, text)) != text:
        text = inner
    return text


def _mask(hit: re.Match[str]) -> str:
    return "_" * len(hit[0])
