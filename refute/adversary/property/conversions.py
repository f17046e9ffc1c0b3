"""Examples told as a sentence about the function: "encode turns 'a' into 'b'", "size returns 3 for 'abc'"."""

import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.property.described import described_call
from refute.adversary.property.expected import read_value
from refute.adversary.property.lead_in import doubtful
from refute.adversary.property.notation import Inline, consistent

_QUOTED: Final = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_BRACKETED: Final = r"\[[^\n\[\]]*\]|\{[^\n{}]*\}|\((?:[^\n()]*,[^\n()]*)\)"
_PLAIN: Final = r"-?\d+(?:\.\d+)?|True|False|None"
_TEXT: Final = rf"`?(?:{_QUOTED}|{_BRACKETED})`?"
_ANY: Final = rf"`?(?:{_QUOTED}|{_BRACKETED}|{_PLAIN})`?"
_END: Final = r"(?=\s*(?:[.;,)](?:\s|$)|\n|$)|,?\s+and\b)"
_AND: Final = r"(?:\s*,|\s*,?\s+and)\s+"
_INTO: Final = rf"(?P<given>{_TEXT})\s+(?:in)?to\s+(?P<value>{_ANY}){_END}"
_FOR: Final = rf"(?P<value>{_ANY})\s+(?:for|when (?:called with|given|passed)|given|on input)\s+(?P<given>{_ANY}){_END}"
_SPOKEN: Final = (
    (re.compile(r"\b(?:maps|turns|converts|transforms|changes|translates|encodes|decodes|renders)\s+"), _INTO),
    (re.compile(r"\b(?:returns?|gives?|yields?)\s+"), _FOR),
)
_ANOTHER: Final = re.compile(rf"(?:\s*,|\s*,?\s+(?:and|or))\s+{_ANY}")
"""`for 1, 2 and 3`: it is not said which of them."""
_UNLESS: Final = re.compile(
    r"[^.;\n]*\b(?:if|when|unless|but|only|except|otherwise|depending|where|with|without|provided|mode|perhaps)\b"
)
"""A condition behind the examples may be theirs."""
_SENTENCE: Final = re.compile(r"[.;!?]\s|\n\s*\n")


def read_conversions(text: str, function: str, parameters: tuple[str, ...], required: int) -> list[Inline]:
    """Examples in sentences that name the function before the verb, input and result being plain data.

    Args:
        text: prose.
        function: the only function that it can speak of.
        parameters: the function's positional parameters, in order.
        required: how many of them have no default.
    """
    found: list[Inline] = []
    named = re.compile(rf"(?<![\w.]){re.escape(function)}(?!\w)")
    for verb, what in _SPOKEN:
        for opening in verb.finditer(text):
            lead = _SENTENCE.split(text[: opening.start()])[-1]
            if named.search(lead) is None or doubtful(text, opening.start()):
                continue
            for hit in _listed(text, opening.end(), what):
                call = described_call(hit["given"], function, parameters, required)
                expected = read_value(hit["value"].strip("`"))
                if call is not None and expected is not None:
                    quote = text[opening.start() : hit.end()][:300]
                    found.append(
                        Inline(
                            expression=call, expected=expected, strict=False, weak=False, quote=quote, start=hit.start()
                        )
                    )
    return consistent(found)


def _listed(text: str, start: int, what: str) -> Iterator[re.Match[str]]:
    """The pairs of a list from here on; none where the last may mean several inputs."""
    first, another = re.compile(what), re.compile(_AND + what)
    hits: list[re.Match[str]] = []
    hit = first.match(text, start)
    while hit is not None:
        hits.append(hit)
        hit = another.match(text, hit.end())
    behind = hits[-1].end() if hits else 0
    if hits and not _ANOTHER.match(text, behind) and not _UNLESS.match(text, behind):
        yield from hits
