"""A design document as its rules see it: rows, list items, paragraphs and code, each with section and line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

Found = Iterator[tuple[int, str]]
"""Line and what is wrong there: what a rule finds."""
SECTIONS: Final[Mapping[str, str]] = {
    "files": r"files? changed|changed files",
    "inventory": r"file inventory",
    "requirements": r"requirements?\b",
    "tests": r"\btests?\b|scenarios?\b",
    "done": r"definition of done|\bdod\b",
    "risks": r"\brisks?\b",
    "signatures": r"signatures?\b",
    "questions": r"open questions?",
    "review": r"review log|review history",
}
"""Part of a design → words of the heading that it stands under, in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A row of a table, a list item, a paragraph, or a block of code."""

    line: int
    headings: tuple[str, ...]
    """Those above it, the nearest last."""
    text: str
    """Of a row, all its cells."""
    cells: Mapping[str, str] = field(default_factory=dict)
    """Of a row: column in lower case → text."""
    depth: int = 0
    """Of the list whose item it begins; 0: it begins none."""
    number: str = ""
    """Of an item of a numbered list."""
    language: str = ""
    """Of code."""
    has_picture: bool = False

    def cell(self, words: str) -> str | None:
        """The first cell whose column's name matches; None where there is no such column."""
        return next((text for name, text in self.cells.items() if re.search(words, name)), None)

    @property
    def first(self) -> str:
        """The first cell."""
        return next(iter(self.cells.values()), "")


@dataclass(slots=True)
class Design:
    """A document that was read."""

    blocks: list[Block] = field(default_factory=list)
    _above: list[tuple[int, str]] = field(default_factory=list)
    _items: list[str | None] = field(default_factory=list)
    """Of the lists around: the number of an item that nothing has begun yet."""
    _columns: list[str] = field(default_factory=list)
    _cells: list[str] | None = None
    _row: Token | None = None
    _title: Token | None = None

    def of(self, part: str) -> list[Block]:
        """What stands under the headings of a part, a key of `SECTIONS`."""
        words = re.compile(SECTIONS[part], re.IGNORECASE)
        return [one for one in self.blocks if any(map(words.search, one.headings))]

    def rows(self, part: str) -> list[Block]:
        """The rows of a part's tables."""
        return [one for one in self.of(part) if one.cells]

    def read(self, text: str) -> "Design":
        """Read a document; any text is one. A single first-level heading is its title, and no section."""
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        top = [token for token in tokens if token.type == "heading_open" and token.tag == "h1"]
        self._title = top[0] if len(top) == 1 else None
        for token, following in zip(tokens, tokens[1:] + tokens[:1], strict=True):
            take = getattr(self, f"_{token.type}", None)
            if take is not None:
                take(token, following)
        return self

    def _heading_open(self, token: Token, following: Token) -> None:
        level, text = int(token.tag[1:]), following.content
        following.type = "heading"
        here = [] if token is self._title else [(level, text)]
        self._above = [*((above, words) for above, words in self._above if above < level), *here]

    def _thead_open(self, *_: Token) -> None:
        self._columns = []

    def _tr_open(self, token: Token, _: Token) -> None:
        self._cells, self._row = [], token

    def _tr_close(self, token: Token, _: Token) -> None:
        cells, self._cells = self._cells or [], None
        if not self._columns:
            self._columns = [re.sub(r"[*_`]", "", name).strip().lower() for name in cells]
        elif any(cells):
            named = dict(zip(self._columns, cells, strict=False))
            self._add(self._row or token, text=" ".join(cells), cells=named)

    def _list_item_open(self, token: Token, _: Token) -> None:
        self._items.append(token.info)

    def _list_item_close(self, *_: Token) -> None:
        self._items.pop()

    def _fence(self, token: Token, _: Token) -> None:
        self._add(token, text=token.content, language=token.info.partition(" ")[0] or "text")

    def _inline(self, token: Token, _: Token) -> None:
        if self._cells is not None:
            self._cells.append(token.content)
            return
        number = self._items[-1] if self._items else None
        picture = any(child.type == "image" for child in token.children or ())
        depth = 0 if number is None else len(self._items)
        self._add(token, text=token.content, depth=depth, number=number or "", has_picture=picture)
        self._items[-1:] = [None] if self._items else []

    def _add(self, token: Token, **fields: Any) -> None:
        above = tuple(words for _, words in self._above)
        self.blocks.append(Block(line=_line(token), headings=above, **fields))


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1
