"""What a text leaves open about an answer: the order of its items, or which of several right ones is given."""

import re
from typing import Final

_ANY_ORDER: Final = re.compile(
    r"\b(?:any|no (?:particular|specific|special|fixed|given)|arbitrary|whatever|unspecified|undefined|random) order\b"
    r"|\border\b[^.;\n]{0,60}?\b(?:(?:does|do|is|are|need) ?(?:not|n't)(?: be)?|never|hardly)\s+"
    r"(?:matters?|important|relevant|guaranteed|specified|defined|significant|fixed|preserved|kept|counts?)\b"
    r"|\border\b(?: of [^.;\n]{1,60}?)? is (?:"
    r"irrelevant|unimportant|undefined|unspecified|arbitrary|insignificant|up to)"
    r"|\b(?:regardless|irrespective) of (?:the |their )?order\b|\b(?:may|can) be (?:in a different order|unordered)\b",
    re.IGNORECASE,
)
_OF_THE_INPUT: Final = re.compile(
    r"\b(?:given|takes?|accepts?|inputs?|arguments?|parameters?|passed|receives?|provided)\b", re.IGNORECASE
)
_OF_THE_ANSWER: Final = re.compile(
    r"\b(?:return\w*|results?|outputs?|answers?|yields?|produces?|gives?|find|list all|all)\b", re.IGNORECASE
)
_SEVERAL: Final = re.compile(
    r"\b(?:returns?|outputs?|gives?|yields?|produces?|finds?|prints?|choose|picks?) (?:just )?(?:any|some|either)"
    r"(?: one)?(?: (?:of|valid|possible|correct|such|acceptable|suitable|legal|optimal|answer|solution))\b"
    r"|\bany (?:of (?:them|these|those)|(?:valid|correct|possible|optimal|acceptable) (?:\w+ )?"
    r"(?:answers?|solutions?|results?|outputs?|arrangements?|orders?|orderings?|paths?|ones?)) "
    r"(?:is|are|will|may|can|suffices?|does|do)\b"
    r"|\b(?:multiple|several|more than one|many)(?: \w+){0,2} (?:answers?|solutions?|results?|outputs?|paths?|ways?)\b"
    r"[^.\n]{0,60}\bany\b",
    re.IGNORECASE,
)

_IN_PLACE: Final = re.compile(
    r"\bin[- ]?place\b|\b(?:do|does|must|should) ?(?:not|n't) return\b|\breturns? (?:nothing|`?None`?)\b", re.IGNORECASE
)


def changes_in_place(text: str) -> bool:
    """Whether what is called the output may be an argument afterwards, and not what the call gives."""
    return _IN_PLACE.search(text) is not None


_NONE: Final = re.compile(
    r"\breturns?\b[^.\n]{0,80}?\bNone\b|\bNone`{0,2},? (?:if|when|where|for|otherwise|unless|in case|is returned)\b"
    r"|(?:\bor|\belse|,) `{0,2}None`{0,2}(?: if| when| otherwise|\.|$)",
    re.IGNORECASE | re.MULTILINE,
)


def documents_none(text: str) -> bool:
    """Whether None is one of the answers that a text names."""
    return _NONE.search(text) is not None


def any_order(text: str) -> bool:
    """Whether the items of an answer may stand in another order than an example shows.

    Said of the inputs alone it means nothing here: "takes the values in any order".
    """
    for hit in _ANY_ORDER.finditer(text):
        lead = re.split(r"[.;!?]\s|\n\s*\n", text[: hit.start()])[-1]
        if not _OF_THE_INPUT.search(lead) or _OF_THE_ANSWER.search(lead):
            return True
    return False


def any_of_several(text: str) -> bool:
    """Whether an example shows one right answer among others: "return any of them"."""
    return _SEVERAL.search(text) is not None
