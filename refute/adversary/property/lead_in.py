"""The words before an example: whether it holds as it stands, or under a condition, no more, or elsewhere."""

import re
from typing import Final

OWN_LINE: Final = re.compile(r"(?:\A|\n)[ \t]*(?:[-*•][ \t]+|\d+[.)][ \t]+)?`?\Z")
_CONDITION: Final = (
    r"(?:if|when|whenever|after|once|while|until|unless|given|assuming|suppose|before|not|never|no longer|cannot"
    r"|can't|doesn't|don't|isn't|with|possibl[ey]|could|would|might)"
)
_OTHER_CODE: Final = (
    r"(?:unlike|instead|rather|previously|formerly|wrong(?:ly)?|incorrect(?:ly)?|bug|buggy|old|naive(?:ly)?|legacy"
    r"|mistaken(?:ly)?|broken|used to|earlier|perhaps|something like"
    r"|(?:some|other|many|most) (?:\w+ ){0,2}(?:implementations?|versions?|people|tools?|libraries|languages))"
)
_LEADS_INTO_DOUBT: Final = re.compile(rf"\bdef $|\b(?:{_CONDITION}|{_OTHER_CODE})\b", re.IGNORECASE)
_OF_OTHER_CODE: Final = re.compile(rf"\b{_OTHER_CODE}\b", re.IGNORECASE)
_OPENS_WITH_CONDITION: Final = re.compile(rf"\W*(?:(?:and|but|so|only|even|except) )?{_CONDITION}\b", re.IGNORECASE)
_MAIN_CLAUSE: Final = re.compile(r",\s+\w+\s+\w+|\breturns?\b", re.IGNORECASE)
"""What completes a sentence that opens with a condition: "Given a list, sum it up"."""
_UNFINISHED: Final = re.compile(
    r"[,(\-–—&/]\s*\Z|\b(?:that|with|like|than|as|is|are|be|was|were|then|and|or|but|to|of|for|from|by|in|on|at|the|an?"
    r"|when|if|while|because|since|where|which|case|returned|returns?|gives?|gave|calls?|called|calling|evaluates?"
    r"|equals?|say|says|said|call|not)\s*\Z",
    re.IGNORECASE,
)
_LABELLED_AS_PAST: Final = re.compile(
    r"\b(?:was|were|before|previous(?:ly)?|former(?:ly)?|earlier|old|wrong|bad|incorrect|legacy|naive|bug)\s*:"
    r"[\s`*]*\Z",
    re.IGNORECASE,
)
"""`was: f(2) == 3` quotes what no longer holds."""
_CONTRAST: Final = re.compile(r"\)`?[^()\n]*?,?\s(?:while|whereas|but)\s+`?\Z")
"""`f(1) is 2 while f(2) is 3` sets a value against another, it is no condition."""
_HEADING: Final = re.compile(
    r"(?:\A|\n)[ \t#*_]*(?:some |for |usage )?(?:examples?|instance|usage|samples?|test ?cases?|doctests?)"
    r"(?: usages?| calls?)?[ \t*_\d]*(?=\n)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.;:!?](?:\s|$)|\n\s*(?:[-*]|\d+\.)\s|[)\]}'\"]\s*\n")


def doubtful(text: str, start: int) -> bool:
    """Whether the words before a position speak of a condition, a negation, the past or somebody else's code."""
    if _LABELLED_AS_PAST.search(text[max(0, start - 60) : start]):
        return True
    return bool(_LEADS_INTO_DOUBT.search(_lead(text, start)))


def below_a_sentence(text: str, start: int) -> bool:
    """Whether a position begins a line below a sentence that is complete, though no full stop says so.

    Its conditions are then its own: below "Return True if the word is short" the line `f('ab') == True` is an example.
    """
    if not OWN_LINE.search(text[:start]) or _LABELLED_AS_PAST.search(text[max(0, start - 60) : start]):
        return False
    lead = OWN_LINE.sub("", _lead(text, start)).strip()
    if not lead or _OF_OTHER_CODE.search(lead) or _UNFINISHED.search(lead):
        return False
    return not _OPENS_WITH_CONDITION.match(lead) or _MAIN_CLAUSE.search(lead) is not None


def _lead(text: str, start: int) -> str:
    """The part of the sentence before a position that bears on it."""
    before = _sentence_before(text, start)
    if contrast := _CONTRAST.search(before):
        before = re.sub(r"\b(?:while|whereas|but)\s+`?\Z", "", before[: contrast.end()])
    return re.split(r",? (?:so|hence|thus|therefore|e\.g\.|i\.e\.|for example|for instance),? ", before)[-1]


def _sentence_before(text: str, start: int) -> str:
    """The words that lead into a position: its line, and the line before where the sentence began there."""
    before = text[max(0, start - 300) : start]
    paragraph = re.split(r"\n\s*\n", before)[-1]
    return _SENTENCE_END.split(_HEADING.split(paragraph)[-1])[-1]
