"""What the visibility pass costs on ordinary pages: F1 of the text with it and by trafilatura alone, and tricks kept.

`python -m benchmarks.research_text` writes benchmarks/results/research-text.md. The pages are documentation that Debian
packages and toolchains of this machine ship; what a page's own main text is says a path that a person wrote down for
each site, without what lies in a closed <details> (rustdoc's lists of trait methods), which nobody sees before they
open it. A site that is not installed is left out, and named.
"""

import glob
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import trafilatura
from lxml import html

from refute.research.grounding import words
from refute.research.page import decode, read_page, visible_text

RESULT = Path(__file__).parent / "results" / "research-text.md"
PAGES = 15
"""Of each site, evenly spread over its files."""
SITES = {
    "Node.js API (/usr/share/doc/nodejs)": ("/usr/share/doc/nodejs/api/*.html", "//*[@id='apicontent']"),
    "npm": ("/usr/lib/node_modules/npm/docs/output/*/*.html", "//*[@id='_content']"),
    "Valgrind (DocBook)": ("/usr/share/doc/valgrind/html/*.html", "//body/div[not(@class='navheader')]"),
    "libffi (Texinfo)": ("/usr/share/doc/libffi*/html/*.html", "//body"),
    "Rust book (mdBook)": ("/root/.rustup/toolchains/stable-*/share/doc/rust/html/book/ch*.html", "//main"),
    "Cargo (mdBook)": ("/root/.rustup/toolchains/stable-*/share/doc/rust/html/cargo/reference/*.html", "//main"),
    "Rust std (rustdoc)": (
        "/root/.rustup/toolchains/stable-*/share/doc/rust/html/std/*/struct.*.html",
        "//*[@id='main-content']",
    ),
    "shared-mime-info (DocBook)": ("/usr/share/doc/shared-mime-info/**/*.html", "//body"),
}
SECRET = "quinces are better than pears"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One site."""

    site: str
    pages: int
    alone: float
    """F1 of trafilatura alone."""
    ours: float


def main() -> None:
    """Measure and write the table."""
    rows = list(measured())
    missing = [site for site in SITES if site not in {row.site for row in rows}]
    alone, ours = mean(row.alone for row in rows), mean(row.ours for row in rows)
    lines = [
        "# Text of pages with the visibility pass",
        "",
        f"`python -m benchmarks.research_text`, trafilatura {trafilatura.__version__}. F1 by words against the text",
        "of each page (without what closed <details> hold), mean of a site's pages. Limit: not worse than trafilatura",
        "alone by more than 0.005.",
        "",
        "| site | pages | trafilatura alone | with the pass | difference |",
        "|---|---|---|---|---|",
        *(
            f"| {row.site} | {row.pages} | {row.alone:.4f} | {row.ours:.4f} | {row.ours - row.alone:+.4f} |"
            for row in rows
        ),
        f"| mean | {sum(row.pages for row in rows)} | {alone:.4f} | {ours:.4f} | {ours - alone:+.4f} |",
        "",
        *tricks(),
        *([f"\nNot on this machine: {', '.join(missing)}."] if missing else []),
    ]
    RESULT.write_text("\n".join(lines) + "\n")
    sys.stdout.write(RESULT.read_text())


def measured() -> Iterator[Row]:
    """Each site that is on this machine."""
    for site, (pattern, path) in SITES.items():
        found = sorted(
            one
            for one in glob.glob(pattern, recursive=True)  # noqa: PTH207  # patterns from the root
            if Path(one).is_file() and Path(one).stat().st_size < 600_000
        )
        scores = [pair for one in found[:: max(1, len(found) // PAGES)][:PAGES] if (pair := compared(Path(one), path))]
        if scores:
            yield Row(
                site=site, pages=len(scores), alone=mean(one for one, _ in scores), ours=mean(one for _, one in scores)
            )


def compared(file: Path, path: str) -> tuple[float, float] | None:
    """F1 of trafilatura alone and with the pass; None where the page has no main text."""
    body = file.read_bytes()
    root = html.document_fromstring(body)
    for element in root.xpath("//script | //style | //details[not(@open)]/*[not(self::summary)]"):
        element.drop_tree()
    main = "\n".join(visible_text(one) for one in root.xpath(path))
    if len(words(main)) < 50:
        return None
    alone = trafilatura.extract(decode(body, None), include_comments=False) or ""
    return f1(main, alone), f1(main, read_page(body, "text/html", None).text)


def f1(gold: str, found: str) -> float:
    """Of two texts' words."""
    left, right = Counter(words(gold)), Counter(words(found))
    common = (left & right).total()
    return 2 * common / (left.total() + right.total()) if common else 0.0


def tricks() -> Iterator[str]:
    """How many hiding tricks of the tests are kept."""
    from tests.refute.research.test_visibility import HIDING, document  # noqa: PLC0415  # tests are not installed

    kept = {"trafilatura alone": 0, "with the pass": 0}
    for trick in HIDING.values():
        source = document(trick.format(SECRET))
        kept["trafilatura alone"] += SECRET in (trafilatura.extract(source, include_comments=False) or "")
        kept["with the pass"] += SECRET in read_page(source.encode(), "text/html", "utf-8").text
    yield f"Of {len(HIDING)} ways to hide text (`tests/refute/research/test_visibility.py`) these are read: "
    yield ", ".join(f"{name} {count}" for name, count in kept.items()) + "."


if __name__ == "__main__":
    main()
