"""What a format shows, told once: parts under headings, drawn for a terminal or as Markdown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from refute.guardrails.plain_text import markdown_block, markdown_text, printable
from reports.rendering import GAP

MAX_LINE_CHARS: Final = 400
"""Of a line on a terminal."""
MAX_TEXT_CHARS: Final = 600
"""Of a line or a cell in Markdown."""
MAX_BLOCK_CHARS: Final = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A cell that leads to a page, where its format can."""

    text: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Rows of cells under headings."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str | Link]]
    styles: Sequence[str] = ()
    """Of each row's word that matters, on a terminal."""
    styled: int = 0
    """The column of that word."""
    wide: Mapping[int, int] = field(default_factory=dict)
    """Columns of prose → their share of a terminal's width, which has no headings then."""
    numbers: bool = False
    """Whether all columns but the first are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A label, with lines or with a text that keeps its own."""

    label: str
    lines: Sequence[str] = ()
    text: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """An output, a diff, a program: as it is."""

    text: str
    info: str = "text"
    """Its language; of code a terminal numbers the lines."""
    whole: bool = False
    """Never cut, as somebody decides by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Lines that somebody decides by: wrapped, and never cut."""

    lines: Sequence[str]

    @property
    def text(self) -> str:
        """All of them."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproducer:
    """How a person sees a refutation without refute."""

    source: str
    path: str | None
    """Where it was written to disk."""


Part = Grid | Field | Block | Prose | Reproducer | list[str] | str
"""A list is shown with bullets, a text as a remark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Some parts under a heading."""

    title: str
    parts: Sequence[Part]


def cut(items: Sequence[str], shown: int) -> list[str]:
    """The first of them, and how many more there are."""
    return [*items[:shown], *([f"and {len(items) - shown} more"] if len(items) > shown else [])]


def line(text: str, *, style: str = "", max_chars: int = MAX_LINE_CHARS) -> Text:
    """Untrusted text on one line of a terminal, never read as markup."""
    return Text(printable(text, max_chars=max_chars, keep_newlines=False), style=style)


def copied(before: str, text: str, *, styles: tuple[str, str]) -> Group:
    """What a person copies or clicks; never wrapped (rich forgets that of a text which is in no group)."""
    shown = Text(before, style=styles[0], no_wrap=True, overflow="ignore")
    return Group(shown.append(printable(text, keep_newlines=False), style=styles[1]))


def on_terminal(sections: Iterable[Section]) -> Iterator[RenderableType]:
    """The sections for rich; fields that follow each other share their columns."""
    for section in sections:
        yield Text()
        yield line(section.title, style="bold")
        fields = None
        for part in section.parts:
            if not isinstance(part, Field):
                fields = None
                yield _drawn(part)
                continue
            if fields is None:
                fields = _prose(styles=("dim", ""), wide={1: 1})
                yield fields
            text = Text("\n").join(map(line, part.lines)) if part.lines else Text(part.text)
            text.stylize(part.style)
            fields.add_row("", part.label, text)


def _drawn(part: Grid | Block | Prose | Reproducer | list[str] | str) -> RenderableType:
    match part:
        case Grid():
            return _grid(part)
        case Block(info="text") | Prose():
            return Padding(Text(part.text), (0, 0, 0, 2))
        case Block():
            code, of_terminal = part.text.rstrip("\n"), "ansi_dark"
            return Syntax(
                code, part.info, line_numbers=True, word_wrap=True, background_color="default", theme=of_terminal
            )
        case Reproducer():
            command = "`reproducer` in the outcome's JSON" if part.path is None else f"python {part.path}"
            return copied("  See it yourself, in the ticket's workspace:\n    ", command, styles=("", "bold"))
        case list():
            bullets = _prose(styles=("", ""), wide={1: 1})
            for one in part:
                bullets.add_row("", "•", line(one))
            return bullets
        case str():
            return Text(f"  {part}", style="dim")
        case _:
            assert_never(part)


def _grid(grid: Grid) -> Table:
    if grid.wide:
        table = _prose(styles=[""] * len(grid.headings), wide=grid.wide)
    else:
        headed = any(grid.headings[1:])
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold", show_header=headed)
        for place, heading in enumerate(grid.headings):
            right = grid.numbers and place > 0
            longest = max((len(str(row[place])) for row in (grid.headings, *grid.rows)), default=0) if right else None
            table.add_column(
                heading, overflow="fold", no_wrap=right, min_width=longest, justify="right" if right else "left"
            )
    for number, row in enumerate(grid.rows):
        style = grid.styles[number] if grid.styles else ""
        texts = [cell.text if isinstance(cell, Link) else cell for cell in row]
        cells = [line(text, style=style if place == grid.styled else "") for place, text in enumerate(texts)]
        table.add_row(*([""] if grid.wide else []), *cells)
    return table


def _prose(*, styles: Sequence[str], wide: Mapping[int, int]) -> Table:
    """A borderless table: a margin, then columns that are never wrapped but for the wide ones."""
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(width=0)
    for place, style in enumerate(styles):
        table.add_column(style=style, no_wrap=place not in wide, ratio=wide.get(place), overflow="fold")
    return table


def in_markdown(sections: Iterable[Section]) -> Iterator[str]:
    """The sections' paragraphs, which no text in them can break out of."""
    for section in sections:
        yield f"## {_plain(section.title)}"
        for part in section.parts:
            yield from _written(part)


def _written(part: Part) -> Iterator[str]:
    match part:
        case Grid():
            yield markdown_table(part.headings, part.rows)
        case Field():
            yield from _labelled(part)
        case Block():
            yield markdown_block(part.text, info=part.info, max_chars=None if part.whole else MAX_BLOCK_CHARS)
        case Prose():
            yield "\n".join(f"- {markdown_text(one)}" for one in part.lines)
        case Reproducer():
            where = f" (also in {markdown_text(part.path)})" if part.path else ""
            yield f"Reproducer, run with python in the ticket's workspace{where}:"
            yield markdown_block(part.source, info="python", max_chars=MAX_BLOCK_CHARS)
        case list():
            yield _bullets(part)
        case str():
            yield _plain(part)
        case _:
            assert_never(part)


def _labelled(part: Field) -> Iterator[str]:
    match part:
        case Field(text="", lines=[one]):
            yield f"**{part.label}** {_plain(one)}"
        case Field(text=""):
            yield f"**{part.label}**"
            yield _bullets(part.lines)
        case Field(style="") if "\n" not in part.text:
            yield f"**{part.label}** {_plain(part.text)}"
        case Field():
            yield f"**{part.label}**"
            yield markdown_block(part.text)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str | Link]]) -> str:
    """A table in Markdown that no cell can break out of."""
    lines = ([_linked(cell) if isinstance(cell, Link) else _plain(cell) for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(one)} |" for one in ([*map(_plain, headings)], ["---"] * len(headings), *lines))


def _linked(cell: Link) -> str:
    return f"[{_plain(cell.text)}]({cell.path})" if cell.path else _plain(cell.text)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_plain(one)}" for one in lines)


def _plain(text: str) -> str:
    return markdown_text(text, max_chars=MAX_TEXT_CHARS)
