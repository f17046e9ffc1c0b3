"""A design document as its rules see it: rows, list items, paragraphs and code, each with section and line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

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


@dataclass(frozen=True, slots=True)
class Design:
    """A document that was read."""

    blocks: tuple[Block, ...]

    def of(self, part: str) -> list[Block]:
        """What stands under the headings of a part, a key of `SECTIONS`."""
        words = re.compile(SECTIONS[part], re.IGNORECASE)
        return [one for one in self.blocks if any(map(words.search, one.headings))]

    def rows(self, part: str) -> list[Block]:
        """The rows of a part's tables."""
        return [one for one in self.of(part) if one.cells]


def read_design(text: str) -> Design:
    """Read a document; any text is one. A single first-level heading is its title, and no section."""
    nodes = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text)).children
    tops = [node for node in nodes if node.tag == "h1"]
    found: list[Block] = []
    above: list[tuple[int, str]] = []
    for node in nodes:
        if node.type == "heading":
            level = int(node.tag[1:])
            above = [one for one in above if one[0] < level]
            above += [] if tops == [node] else [(level, node.children[0].content)]
        else:
            found += _blocks(node, tuple(words for _, words in above))
    return Design(tuple(found))


def _blocks(node: SyntaxTreeNode, headings: tuple[str, ...], level: int = 0, **begun: Any) -> Iterator[Block]:
    """What a node holds, `level` lists deep; the first text of an item has what the item `begun`: depth and number."""
    line = _line(node)
    match node.type:
        case "table":
            yield from _rows(node, headings)
        case "fence":
            language = node.info.partition(" ")[0] or "text"
            yield Block(line=line, headings=headings, text=node.content, language=language)
        case "inline":
            picture = any(child.type == "image" for child in node.walk())
            yield Block(line=line, headings=headings, text=node.content, has_picture=picture, **begun)
        case "list_item":
            for child in node.children:
                first = child is node.children[0]
                yield from _blocks(child, headings, level, **({"depth": level, "number": node.info} if first else {}))
        case _:
            inner = level + node.type.endswith("_list")
            for child in node.children:
                yield from _blocks(child, headings, inner, **begun)


def _rows(table: SyntaxTreeNode, headings: tuple[str, ...]) -> Iterator[Block]:
    rows = [row for part in table.children for row in part.children]
    head, *body = ([cell.children[0].content for cell in row.children] for row in rows)
    columns = [re.sub(r"[*_`]", "", name).strip().lower() for name in head]
    for row, cells in zip(rows[1:], body, strict=True):
        if any(cells):
            named = dict(zip(columns, cells, strict=False))
            yield Block(line=_line(row), headings=headings, text=" ".join(cells), cells=named)


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 1
