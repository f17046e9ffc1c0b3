"""A fetched page as the text that a person would read in a browser, with what was left out of it."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import webencodings
from lxml import etree, html

from refute.guardrails.plain_text import encodable
from refute.research.masking import MASK, Dropped
from refute.research.visibility import drop_hidden

MAX_TITLE_CHARS: Final = 200
SNIFFED_BYTES: Final = 2_048
SHORT_CHARS: Final = 500
"""A page with less text than this is taken whole, as is one of which next to nothing is found to be its main text."""
MAX_ELEMENTS: Final = 15_000
"""A page with more is taken whole too: looking for its main text would take minutes."""
_META: Final = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_BLOCKS: Final = frozenset(
    "address article aside blockquote body br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul summary details".split()
)


class Unreadable(Exception):  # what is wrong with a page; told in a note, never an error of a run
    """A body that is no text, whatever was declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """What a page says."""

    title: str
    text: str
    dropped: tuple[Dropped, ...] = ()
    """What the page holds and a person would not see."""


def read_page(body: bytes, content_type: str, charset: str | None) -> PageText:
    """The visible text of a page.

    Args:
        body: unpacked.
        content_type: as declared, without parameters.
        charset: as declared.

    Raises:
        Unreadable: the body is no text.
    """
    text = decode(body, charset)
    try:
        return _read(text, content_type)
    except Exception as error:  # parsers against pages written to break them: that page is unreadable, the run goes on
        raise Unreadable(f"it cannot be parsed ({type(error).__name__})") from error


def _read(text: str, content_type: str) -> PageText:
    if content_type not in {"text/html", "application/xhtml+xml"}:
        return PageText(title="", text=_tidy(text))
    root = _parse(text)
    if root is None:
        return PageText(title="", text="")
    title = " ".join((root.findtext(".//title") or "").split())[:MAX_TITLE_CHARS]
    dropped = drop_hidden(root)
    return PageText(title=title, text=_tidy(main_text(root)), dropped=dropped)


def raw_text(body: bytes, charset: str | None) -> str:
    """All text of a page, seen or not, comments and attributes too: what `vulnerable` mode reads.

    Raises:
        Unreadable: the body is no text.
    """
    root = _parse(decode(body, charset))
    if root is None:
        return ""
    texts = []
    for element in root.iter():
        texts += [element.text or "", *(map(str, element.attrib.values()) if isinstance(element.tag, str) else ())]
        texts.append(element.tail or "")
    return _tidy("\n".join(texts))


def decode(body: bytes, charset: str | None) -> str:
    """The text of a body: by its byte order mark, as declared, as its <meta> says, as UTF-8, else as Windows-1252.

    Raises:
        Unreadable: it holds bytes that no text has.
    """
    meta = _META.search(body[:SNIFFED_BYTES])
    text = next(_decoded(body, [charset, meta and meta[1].decode("ascii", "replace"), "utf-8"]))
    if "\0" in text[:SNIFFED_BYTES]:
        raise Unreadable("binary data, despite its declared type")
    return text


def _decoded(body: bytes, names: Iterable[str | None]) -> Iterator[str]:
    """What a body says in each encoding that it may have; the last one has a character for every byte."""
    for encoding in filter(None, (webencodings.lookup(name) for name in names if name)):
        with suppress(UnicodeDecodeError):
            yield webencodings.decode(body, encoding, "strict")[0]  # a byte order mark goes before what is declared
    yield body.decode("cp1252", "replace")


def main_text(root: Any) -> str:
    """The main text of a tree, by trafilatura; all of it where that is next to nothing."""
    everything = visible_text(root)
    if len(everything) < SHORT_CHARS or sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        return everything
    import trafilatura  # noqa: PLC0415  # slow, and only needed here

    found = trafilatura.extract(root, include_comments=False) or ""
    seen = found.replace(MASK, "")
    return seen if len(seen) >= SHORT_CHARS / 2 else everything


def visible_text(root: Any) -> str:
    """Every text of a tree, blocks on lines of their own."""
    parts: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        block = "\n" if element.tag in _BLOCKS else ""
        parts += [block, element.text or ""] if event == "start" else [block, element.tail or ""]
    return "".join(parts).replace(MASK, "")


def _parse(text: str) -> Any | None:
    parser = html.HTMLParser(encoding="utf-8", remove_pis=False, huge_tree=False)
    source = text if encodable(text) else text.encode("utf-8", "replace").decode("utf-8")
    try:
        return html.document_fromstring(source.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return None  # nothing in it


def _tidy(text: str) -> str:
    """In Unicode's composed form, no line twice empty, none with spaces at its ends."""
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
