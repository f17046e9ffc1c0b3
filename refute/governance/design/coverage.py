"""Rules about tests: each requirement has a scenario, each scenario one test, each test is red before its code."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

from refute.governance.design.reading import Design, Found, Row, Table, Text

ID: Final = re.compile(r"[A-Za-z]{0,8}(?:[-_][A-Za-z]{1,8})?[-_ ]?0*(?P<number>\d+(?:\.\d+)*\w*)")
NAMED: Final = re.compile(r"\bR(?:EQ(?:UIREMENT)?)?[-_ ]?0*(?P<number>\d+(?:\.\d+)*\w*)", re.IGNORECASE)
"""A requirement in running text."""
RED: Final = re.compile(r"\bred\b|🔴|^(?:yes|x|✓|✔)$", re.IGNORECASE)


def requirements(design: Design) -> list[tuple[int, str]]:
    """Line and id of each requirement: the first cell of a row, or an item's number or first id."""
    rows = [(row.line, next(iter(row.cells.values()))) for row in design.rows_of("requirements")]
    items = [(one.line, _item_id(one)) for one in design.texts_of("requirements") if one.depth == 1]
    return [(line, key_of(text) or text) for line, text in rows + items]


def _item_id(item: Text) -> str:
    leading = re.match(r"[\W_]*([A-Za-z]+[-_]?\d+\w*)", item.text)
    return leading[1] if leading else item.number or item.text


def key_of(text: str) -> str:
    """An id without its letters and leading zeros: `T010`, `S-10` and `10` are one; empty where there is none."""
    found = ID.fullmatch(re.sub(r"[*_`]", "", text).strip())
    return found["number"].lower() if found else ""


def requirements_are_tested(design: Design, _: Path) -> Found:
    """Every requirement is named in a row of scenarios or tests."""
    rows = [row for table in (*scenario_tables(design), *test_tables(design)) for row in table.rows]
    named = {found["number"].lower() for row in rows for found in NAMED.finditer(" ".join(row.cells.values()))}
    named |= {
        key_of(part) for row in rows for part in re.split(r"[\s,;/]+", row.cell(r"requirement|\breqs?\b") or "") if part
    }
    for line, key in requirements(design):
        if key not in named:
            yield line, f"requirement {key[:100]} has no test scenario"


def test_tables(design: Design) -> list[Table]:
    """Tables of tests, by their column of test ids."""
    return [one for one in design.tables_of("tests") if _has(one, r"^test( id)?s?$|^test[ _]?id")]


def scenario_tables(design: Design) -> list[Table]:
    """Tables of scenarios; where there are none, those of tests stand for them."""
    tests = test_tables(design)
    others = [one for one in design.tables_of("tests") if one not in tests and _has(one, r"scenario|^id$")]
    return others or tests


def _has(table: Table, words: str) -> bool:
    return any(re.search(words, column) for column in table.columns)


def one_to_one(design: Design, _: Path) -> Found:
    """Each test is of one scenario, each scenario has one test."""
    scenarios = [(row.line, key_of(_first(row))) for table in scenario_tables(design) for row in table.rows]
    tests = [(row, *_meant(row)) for table in test_tables(design) for row in table.rows]
    counts = Counter(key for _, _, key in tests)
    for row, name, key in tests:
        if key not in {known for _, known in scenarios} or not key:
            yield row.line, f"test {name} matches no scenario"
        elif counts[key] > 1:
            yield row.line, f"test {name}: scenario {key} has {counts[key]} tests, expected one"
    for line, key in scenarios if tests else ():
        if not counts[key]:
            yield line, f"scenario {key} has no test"


def _first(row: Row) -> str:
    return row.cell(r"^(?:scenario |test )?ids?$|^#$") or next(iter(row.cells.values()))


def _meant(row: Row) -> tuple[str, str]:
    """A test's id, and the scenario that it is of: by its column where that holds an id, else by its own."""
    own = row.cell(r"^test[ _]?ids?$|^tests?$") or _first(row)
    named = key_of(row.cell(r"scenario") or "")
    return re.sub(r"[*_`]", "", own).strip(), named or key_of(own)


def tests_are_red(design: Design, _: Path) -> Found:
    """Tests that are marked are marked red."""
    for table in test_tables(design):
        for row in table.rows:
            cell = row.cell(r"^red\b|status|state")
            if cell is not None and not RED.search(cell.strip()):
                yield (
                    row.line,
                    f"a test is marked {cell.strip() or 'nothing'!r}, expected red before its code is written",
                )


def red_column(design: Design, _: Path) -> Found:
    """The table of tests says whether they are red."""
    tables = test_tables(design)
    if not tables and design.tables_of("tests"):
        yield design.line_of("tests"), "no table of tests with a column of test ids"
    for table in tables:
        if not _has(table, r"^red\b|status|state"):
            yield table.line, "the table of tests does not say whether they are red"
