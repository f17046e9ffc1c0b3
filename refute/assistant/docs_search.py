"""Full-text search over Markdown files: sections ranked by BM25 (SQLite FTS5), each cited by file and heading."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import refute
from refute.errors import InfrastructureError

OWN_DOCS: Final = Path(refute.__file__).parents[1] / "docs"
FOUND: Final = 3
MAX_FILE_BYTES: Final = 1_000_000
MAX_FILES: Final = 2_000
HEADING_WEIGHT: Final = 4.0
_HEADING: Final = re.compile(r"^#{1,4}\s+(.+?)\s*#*$", re.MULTILINE)
_WORD: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A section of a document."""

    citation: str
    """`docs/confirmation.md#in-the-prefect-ui`."""
    heading: str
    text: str


def search_docs(query: str, folder: Path | None = None) -> tuple[Passage, ...]:
    """The sections of a folder's Markdown files that fit best, the best first; None: of refute's own documents.

    Raises:
        InfrastructureError: there is no such folder, or this Python's SQLite has no FTS5.
    """
    root = folder or OWN_DOCS
    if not root.is_dir():
        raise InfrastructureError(f"documents: {root} is not a directory", hint="Set assistant.docs to one.")
    words = [word for word in dict.fromkeys(_WORD.findall(query.lower())) if word not in _stop_words()]
    if not words:
        return ()
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            return tuple(_found(database, root, words))
    except sqlite3.Error as error:
        raise InfrastructureError(f"documents: cannot be searched: {error}") from error


@cache
def _stop_words() -> frozenset[str]:
    """Words that a question is made of, whatever it asks."""
    text = resources.files("refute.assistant").joinpath("stop_words.txt").read_text("utf-8")
    return frozenset(text.split())


def _found(database: sqlite3.Connection, root: Path, words: list[str]) -> Iterator[Passage]:
    database.execute(
        "CREATE VIRTUAL TABLE s USING fts5(citation UNINDEXED, heading, body, tokenize='porter unicode61')"
    )
    for path in sorted(root.rglob("*.md"))[:MAX_FILES]:
        if path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
            database.executemany("INSERT INTO s VALUES (?, ?, ?)", _sections(path, root))
    query = " OR ".join(f'"{word}"' for word in words)
    order = f"bm25(s, 0.0, {HEADING_WEIGHT}, 1.0)"
    rows = database.execute(f"SELECT * FROM s WHERE s MATCH ? ORDER BY {order} LIMIT ?", (query, FOUND))  # noqa: S608  # no text of others
    for citation, heading, body in rows:
        yield Passage(citation=citation, heading=heading, text=body)


def _sections(path: Path, root: Path) -> Iterator[tuple[str, str, str]]:
    """Citation, heading and body of each section; what stands before the first heading belongs to the file."""
    name = f"{root.name}/{path.relative_to(root).as_posix()}"
    text = path.read_text(encoding="utf-8", errors="replace")
    heads = [(found.start(), found.end(), found[1]) for found in _HEADING.finditer(text)]
    title = heads[0][2] if heads else path.stem
    if not heads or heads[0][0]:
        heads.insert(0, (0, 0, path.stem))
    for number, (_, end, heading) in enumerate(heads):
        stop = heads[number + 1][0] if number + 1 < len(heads) else len(text)
        if body := text[end:stop].strip():
            anchor = re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
            yield f"{name}#{anchor}", heading if heading == title else f"{title}: {heading}", body
