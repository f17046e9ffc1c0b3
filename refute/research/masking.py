"""Taking text out of a page's tree: removed where browsers render nothing, else masked, and told."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree

from refute.guardrails.plain_text import printable
from refute.guardrails.skeleton import draws_nothing

NOT_RENDERED: Final = frozenset(
    "applet area audio base canvas datalist embed frameset head iframe input link meta metadata noembed noframes"
    " noscript object param rp script source style template track video annotation annotation-xml desc defs"
    " symbol".split()
)
"""Elements whose content is no text on the page (https://html.spec.whatwg.org/#hidden-elements, 2026-11-24)."""
MASK: Final = "\ue000"
"""Stands for each character that is not seen; a page's own are taken away before."""
SAMPLE_CHARS: Final = 160
ORDINARY: Final = frozenset({"head", "script", "style"})
"""What every page has and nobody takes for text: it is not reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Text that the page holds and a person would not see."""

    reason: str
    """`opacity 0`, `closed details` …"""
    chars: int
    sample: str
    """Its beginning, made printable."""


def remove_unrendered(root: Any) -> list[Dropped | None]:
    """Remove what browsers never render, comments too, in one go: one by one, thousands take minutes."""
    found: list[Dropped | None] = []
    for one in root.iter(etree.Comment, etree.ProcessingInstruction, *NOT_RENDERED):
        if not isinstance(one.tag, str):
            found.append(dropped_text("comment", one.text or ""))
        elif one.tag not in ORDINARY:
            found.append(dropped_text(f"<{one.tag}>", " ".join(one.itertext())))
    etree.strip_elements(root, etree.Comment, etree.ProcessingInstruction, *NOT_RENDERED, with_tail=False)
    return found


def hide(element: Any) -> None:
    """Mask the text of an element and all below it, so that the page keeps its form.

    What finds the main text goes by the form: without a closed <details> it takes its summary for a menu.
    """
    for one in element.iter():
        one.text = _mask(one.text)
        one.tail = _mask(one.tail) if one is not element else one.tail


def mask_own_text(element: Any) -> str:
    """Mask an element's own text, not its children's; what it was."""
    told = " ".join([element.text or "", *(child.tail or "" for child in element)])
    element.text = _mask(element.text)
    for child in element:
        child.tail = _mask(child.tail)
    return told


def _mask(text: str | None) -> str | None:
    return re.sub(r"\S", MASK, text) if text else text


def remove_invisible(root: Any) -> Dropped | None:
    """Take characters away that draw nothing, wherever text is."""
    gone: Counter[str] = Counter()
    for element in root.iter():
        element.text, element.tail = _plain(element.text, gone), _plain(element.tail, gone)
    return Dropped(reason="invisible characters", chars=gone.total(), sample="") if gone else None


def _plain(text: str | None, gone: Counter[str]) -> str | None:
    if text is None or (text.isascii() and text.isprintable()):
        return text
    unseen = {char for char in set(text) if draws_nothing(char) and not char.isspace()}
    gone.update(char for char in text if char in unseen)
    spaces = {char: " " for char in set(text) if char.isspace() and char != "\n"}  # some of them XML does not know
    return text.translate({ord(char): told for char, told in {**spaces, **dict.fromkeys(unseen, "")}.items()})


def dropped_text(reason: str, text: str) -> Dropped | None:
    """What is told of a text that is not seen; None where there is none."""
    words = " ".join(text.split())
    if not words:
        return None
    return Dropped(reason=reason, chars=len(words), sample=printable(words[:SAMPLE_CHARS], keep_newlines=False))
