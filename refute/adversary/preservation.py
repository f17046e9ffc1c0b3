"""Claims that the code does what its earlier version did, and which file that version stands for."""

import re
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.record import Claim, Ticket

_BEHAVIOUR: Final = r"(?:behaviou?rs?|results?|outputs?|semantics|functionality|api|interface|return(?:ed)? values?)"
_EARLIER: Final = (
    r"(?:before\b(?! (?:the (?!change|refactor|rewrite|patch)|an?\b|it\b|each|every|any|call|\w+ing\b))"
    r"|(?:the )?(?:previous|old|earlier|former|original|prior|existing) "
    r"(?:version|implementation|code|one|behaviou?r|function|results?|release)\b)"
)
_NO: Final = r"(?:does|do|did|will|must|may|should)(?: not|n't)"
PRESERVED: Final = re.compile(
    rf"\b(?:same|identical|equal|equivalent|unchanged)\b[^.;]{{0,60}}\b(?:as|to|from|with|since) {_EARLIER}"
    rf"|\b{_BEHAVIOUR}\b[^.;]{{0,60}}\b(?:is|are|remains?|stays?|left)\b[^.;]{{0,20}}"
    r"\b(?:unchanged|preserved|unaffected|unaltered|as before)\b"
    rf"|\b{_NO} (?:change|alter|affect|modify|break)\b[^.;]{{0,40}}"
    r"\b(?:behaviou?rs?|semantics|functionality|callers?)\b"
    rf"|\b{_NO} (?:change|alter|affect|modify) (?:the |any )?(?:results?|outputs?|return values?) of\b"
    r"|\b(?:no|without(?: any)?) (?:\w+ ){0,2}"
    rf"(?:behaviou?ral changes?|functional changes?|regressions?|changes? (?:in|to|of) (?:\w+ ){{0,2}}{_BEHAVIOUR}\b)"
    r"|\b(?:preserv|keep|retain|maintain)\w* [^.;]{0,40}\b(?:behaviou?rs?|semantics|functionality|compatib\w+)\b"
    r"|\bbackwards?[- ]compatib\w+|\bdrop-in replacement\b|\bbehaviou?r[- ]preserving\b|\bpure refactor\w*"
    r"|\b(?:works?|working|behaves?|behaving) (?:just |exactly )?(?:as|like) (?:it did )?before\b(?! \w)"
    r"|\b(?:is|are|remains?|stays?) (?:just |exactly )?as before\b(?! \w)",
    re.IGNORECASE,
)
"""Claims that something is as it was in the version before."""
_BOUNDED: Final = re.compile(
    r"\b(?:but|now|however|instead|no longer|only|while|also|new|additional\w*)\b", re.IGNORECASE
)
"""Words by which a claim may say that something is another now, too."""
_NARROWED: Final = re.compile(
    r"\b(?:except|unless|other than|apart from|besides|aside from|where|if|when|valid|well-formed|supported|most"
    r"|usually|otherwise|other|rest|remaining|remainder)\b"
    r"|\b(?:for|without)\s+(?!(?:(?:the|its|their)\s+)?(?:all|every\w*|each|any\w*|callers?|users?|existing)\b"
    r"|(?:\w+[\s-]+){0,2}(?:chang|regress|compat)\w+)\w",
    re.IGNORECASE,
)
"""Words by which a claim may say of which inputs it speaks."""

CONDITION: Final = """say of which, by a condition on its parameters: `unchanged: {parse: "'-' not in text"}`"""
"""What an author can do then."""

_CHANGING: Final = re.compile(
    r"\b(?:now|new\w*|no longer|instead|fix\w*|bugs?|wrong\w*|corrects?|corrected|corrections?|adds?|added|adding"
    r"|supports?|supported|chang\w*|introduc\w*|extend\w*|previously|used to|was|were|features?|improv\w*)\b",
    re.IGNORECASE,
)
"""Words by which a ticket may say that it makes something another than it was."""
_NAMED: Final = re.compile(r"`([^\W\d]\w*)|([^\W\d]\w*)\(")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_SENTENCE_END: Final = re.compile(r"[.;\n]")


def preserves(claim_text: str) -> bool:
    """Whether a claim says that behaviour is as it was."""
    return PRESERVED.search(claim_text) is not None


def narrows(claim_text: str) -> bool:
    """Whether a claim may speak of some inputs only ("as before for names without hyphens")."""
    return _NARROWED.search(claim_text) is not None


def preserves_everything(claim: Claim, ticket: Ticket) -> bool:
    """Whether a claim says so without any bound, in a ticket that speaks of no change: then nothing may differ.

    Args:
        claim: of the ticket.
        ticket: its title, description and other claims may say what is meant to be another now; of functions that the
            claim does not name, where it names any, that is no matter.
    """
    if not preserves(claim.text) or _BOUNDED.search(claim.text) or narrows(claim.text):
        return False
    named = {name for found in _NAMED.findall(claim.text) for name in found if name}
    others = [ticket.title, ticket.description, *(one.text for one in ticket.claims if one.id != claim.id)]
    sentences = [sentence for text in others for sentence in _SENTENCE_END.split(text)]
    changing = [one for one in sentences if _CHANGING.search(one) and not preserves(one)]
    return not any(not named or named & set(_WORD.findall(one)) for one in changing)


def replaced_file(ticket: Ticket) -> str:
    """The implementation file that the ticket's `previous` is an earlier version of.

    Returns:
        Its path: the only one, or the only one of the same name; empty where the ticket leaves that open.
    """
    if ticket.previous is None:
        return ""
    found = [path for path in ticket.implementation_files if path != ticket.previous]
    if len(found) > 1:
        found = [path for path in found if PurePosixPath(path).name == PurePosixPath(ticket.previous).name]
    return found[0] if len(found) == 1 else ""
