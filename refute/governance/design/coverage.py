"""Rules about tests: each requirement has a scenario, each scenario one test, each test is red before its code."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

from refute.governance.design.reading import Block, Design, Found

ID: Final = re.compile(r"[A-Za-z]{0,8}(?:[-_][A-Za-z]{1,8})?[-_ ]?0*(?P<number>\d+(?:\.\d+)*\w*)")
NAMED: Final = re.compile(r"\bR(?:EQ(?:UIREMENT)?)?[-_ ]?0*(?P<number>\d+(?:\.\d+)*\w*)", re.IGNORECASE)
"""A requirement in running text."""
MARK: Final = r"^red\b|status|state"
"""Columns that say whether a test is red."""
RED: Final = re.compile(r"\bred\b|🔴|^(?:yes|x|✓|✔)$", re.IGNORECASE)


def requirements(design: Design) -> list[tuple[int, str]]:
    """Line and id of each requirement: the first cell of a row, or an item's first id or number."""
    found = [(one.line, one.first or _item_id(one)) for one in design.of("requirements") if one.cells or one.depth == 1]
    return [(line, key_of(text) or text) for line, text in found]


def _item_id(item: Block) -> str:
    leading = re.match(r"[\W_]*([A-Za-z]+[-_]?\d+\w*)", item.text)
    return leading[1] if leading else item.number or item.text


def key_of(text: str) -> str:
    """An id without its letters and leading zeros: `T010`, `S-10` and `10` are one; empty where there is none."""
    found = ID.fullmatch(re.sub(r"[*_`]", "", text).strip())
    return found["number"].lower() if found else ""


def requirements_are_tested(design: Design, _: Path) -> Found:
    """Every requirement is named in a row of scenarios or tests."""
    rows = [*scenarios(design), *tests(design)]
    named = {found["number"].lower() for row in rows for found in NAMED.finditer(row.text)}
    column = [row.cell(r"requirement|\breqs?\b") or "" for row in rows]
    named |= {key_of(part) for text in column for part in re.split(r"[\s,;/]+", text) if part}
    for line, key in requirements(design):
        if key not in named:
            yield line, f"requirement {key[:100]} has no test scenario"


def tests(design: Design) -> list[Block]:
    """Rows of tests: their table has a column of test ids."""
    return [one for one in design.rows("tests") if one.cell(r"^tests?$|^test[ _]?ids?$") is not None]


def scenarios(design: Design) -> list[Block]:
    """Rows of scenarios; where there are none, those of tests stand for them."""
    rows, tested = design.rows("tests"), tests(design)
    return [one for one in rows if one not in tested and one.cell(r"scenario|^id$") is not None] or tested


def one_to_one(design: Design, _: Path) -> Found:
    """Each test is of one scenario, each scenario has one test."""
    wanted = [(row.line, key_of(row.cell(r"^(?:scenario |test )?ids?$|^#$") or row.first)) for row in scenarios(design)]
    found = [(row, *_meant(row)) for row in tests(design)]
    counts = Counter(key for _, _, key in found)
    for row, name, key in found:
        if not key or key not in {known for _, known in wanted}:
            yield row.line, f"test {name} matches no scenario"
        elif counts[key] > 1:
            yield row.line, f"test {name}: scenario {key} has {counts[key]} tests, expected one"
    for line, key in wanted if found else ():
        if not counts[key]:
            yield line, f"scenario {key} has no test"


def _meant(row: Block) -> tuple[str, str]:
    """A test's id, and the scenario that it is of: by its column where that holds an id, else by its own."""
    own = row.cell(r"^test[ _]?ids?$|^tests?$") or row.first
    named = key_of(row.cell(r"scenario") or "")
    return re.sub(r"[*_`]", "", own).strip(), named or key_of(own)


def tests_are_red(design: Design, _: Path) -> Found:
    """Tests that are marked are marked red."""
    for row in tests(design):
        mark = row.cell(MARK)
        if mark is not None and not RED.search(mark.strip()):
            yield row.line, f"a test is marked {mark.strip() or 'nothing'!r}, expected red before its code is written"


def red_column(design: Design, _: Path) -> Found:
    """The table of tests says whether they are red."""
    rows = tests(design)
    if not rows and design.rows("tests"):
        yield design.rows("tests")[0].line, "no table of tests with a column of test ids"
    elif rows and all(row.cell(MARK) is None for row in rows):
        yield rows[0].line, "the table of tests does not say whether they are red"
