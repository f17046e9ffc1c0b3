"""A design document as its rules see it: tables, list items, code and pictures, each with section and line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

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
class Row:
    """A row of a table: column name in lower case → text."""

    line: int
    cells: Mapping[str, str]

    def cell(self, words: str) -> str | None:
        """The first cell whose column's name matches; None where there is no such column."""
        return next((text for name, text in self.cells.items() if re.search(words, name)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table and the headings above it, the nearest last."""

    line: int
    headings: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A paragraph, a list item or a block of code."""

    line: int
    headings: tuple[str, ...]
    text: str
    depth: int = 0
    """Of the list whose item this begins; 0: it begins none."""
    number: str = ""
    """Of an item of a numbered list."""
    language: str = ""
    """Of a block of code; `text` is its content then."""
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A document that was read."""

    tables: tuple[Table, ...]
    texts: tuple[Text, ...]
    headings: tuple[tuple[int, str], ...]

    def tables_of(self, part: str) -> tuple[Table, ...]:
        """Tables of a part of a design, a key of `SECTIONS`."""
        return tuple(one for one in self.tables if _is_under(one.headings, part))

    def texts_of(self, part: str) -> tuple[Text, ...]:
        """Paragraphs, items and code of a part."""
        return tuple(one for one in self.texts if _is_under(one.headings, part))

    def rows_of(self, part: str) -> tuple[Row, ...]:
        """All rows of a part's tables."""
        return tuple(row for table in self.tables_of(part) for row in table.rows)

    def line_of(self, part: str) -> int:
        """Where a part begins; 1 where the document has none."""
        return next((line for line, text in self.headings if re.search(SECTIONS[part], text, re.IGNORECASE)), 1)


def _is_under(headings: Sequence[str], part: str) -> bool:
    return any(re.search(SECTIONS[part], one, re.IGNORECASE) for one in headings)


@dataclass(slots=True)
class _Reader:
    tables: list[Table] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    above: list[tuple[int, str]] = field(default_factory=list)
    """Level and text of the headings that hold here."""

    def read(self, tokens: Sequence[Token]) -> None:
        stream = iter(enumerate(tokens))
        sections = [token for token in tokens if token.type == "heading_open"]
        title = sections[0] if [token.tag for token in sections].count("h1") == 1 else None
        items: list[str | None] = []
        for index, token in stream:
            match token.type:
                case "heading_open":
                    self._heading(token, tokens[index + 1], is_title=token is title)
                case "table_open":
                    self._table(token, list(_until(stream, "table_close")))
                case "fence" | "code_block":
                    self._text(token, language=token.info.partition(" ")[0] or "text")
                case "list_item_open":
                    items.append(token.info)
                case "list_item_close":
                    items.pop()
                case "inline" if tokens[index - 1].type != "heading_open":
                    number = items[-1] if items else None
                    self._text(token, depth=0 if number is None else len(items), number=number or "")
                    items[-1:] = [None] if items else []

    def _heading(self, token: Token, inline: Token, *, is_title: bool) -> None:
        level = int(token.tag[1:])
        here = [] if is_title else [(level, inline.content)]
        self.above = [*((above, text) for above, text in self.above if above < level), *here]
        self.headings.append((_line(token), inline.content))

    def _table(self, opened: Token, tokens: Sequence[Token]) -> None:
        rows: list[tuple[int, list[str]]] = []
        above = tuple(text for _, text in self.above)
        for token in tokens:
            if token.type == "tr_open":
                rows.append((_line(token), []))
            elif token.type == "inline":
                rows[-1][1].append(token.content)
        columns = [re.sub(r"[*_`]", "", name).strip().lower() for name in rows[0][1]]
        filled = (
            Row(line=line, cells=dict(zip(columns, cells, strict=False))) for line, cells in rows[1:] if any(cells)
        )
        self.tables.append(Table(line=_line(opened), headings=above, columns=tuple(columns), rows=tuple(filled)))

    def _text(self, token: Token, *, depth: int = 0, number: str = "", language: str = "") -> None:
        pictures = tuple(str(one.attrs["src"]) for one in token.children or () if one.type == "image")
        above = tuple(heading for _, heading in self.above)
        self.texts.append(
            Text(
                line=_line(token),
                headings=above,
                text=token.content,
                depth=depth,
                number=number,
                language=language,
                pictures=pictures,
            )
        )


def _until(stream: Iterator[tuple[int, Token]], kind: str) -> Iterator[Token]:
    for _, token in stream:
        if token.type == kind:
            return
        yield token


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def read_design(text: str) -> Design:
    """Read a document; any text is one."""
    reader = _Reader()
    reader.read(MarkdownIt("commonmark").enable("table").parse(text))
    return Design(tables=tuple(reader.tables), texts=tuple(reader.texts), headings=tuple(reader.headings))
