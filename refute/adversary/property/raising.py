"""Examples of a failure: "raises PathError if the path does not exist, e.g. `lookup({}, 'a')`"."""

import re
from collections.abc import Iterator

from refute.adversary.property.expected import Raises
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.lead_in import doubtful
from refute.adversary.property.notation import Inline, calls_known, end_of_call

_RAISES = re.compile(
    r"\b(?:raises?|throws?)\s+(?:an?\s+|the\s+)?`?(?P<name>[A-Z]\w*)`?(?P<when>[^.;`\n]{0,150}?)"
    r"[,(:]?\s*(?:e\.g\.|for example|for instance|such as)[,:]?\s+`?(?=[^\W\d][\w.]*\()"
)
_OTHERWISE = re.compile(
    r"\b(?:never|instead|unlike|rather|without|no longer|otherwise|else|but|except|returns?|"
    r"not (?:for|on|with|when|if))\b",
    re.IGNORECASE,
)
"""Between the exception and the call: then the call may be the case that does not raise."""
_NEXT = re.compile(r"`?(?:,| or|,? and)\s+`?(?=[^\W\d][\w.]*\()")
_END = re.compile(r"`?\)?\s*(?:[.;]|$|\n)|`?\)?,\s")


def read_raising(text: str, known: frozenset[str]) -> list[Inline]:
    """Calls that a text names as examples of what raises an exception, where nothing else is said of them.

    Args:
        text: prose.
        known: public names of the implementation and its modules.
    """
    return [example for hit in _RAISES.finditer(text) for example in _calls(text, hit, known)]


def _calls(text: str, hit: re.Match[str], known: frozenset[str]) -> Iterator[Inline]:
    if _OTHERWISE.search(hit["when"]) or doubtful(text, hit.start()):
        return
    found: list[Inline] = []
    start = hit.end()
    while True:
        opening = text.find("(", start)
        end = end_of_call(text, opening)
        node = parse_expression(text[start:end]) if end else None
        if node is None or end is None or not calls_known(node, known):
            return
        quote = text[hit.start() : end]
        found.append(
            Inline(
                expression=node, expected=Raises(name=hit["name"]), strict=False, weak=False, quote=quote, start=start
            )
        )
        following = _NEXT.match(text, end)
        if following is None:
            break
        start = following.end()
    if _END.match(text, end):
        yield from found
