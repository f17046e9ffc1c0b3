"""The page about the driver names every operation of the protocol."""

import re
from pathlib import Path

from refute.driver.awaiting import Awaiting
from refute.driver.object_table import ObjectTable
from refute.driver.operations import subject_operations

PAGE = Path(__file__).parents[3] / "docs" / "driver.md"


def test_the_page_lists_the_operations_of_the_subject() -> None:
    objects = ObjectTable(1, lambda _: None)
    operations = subject_operations(objects)
    Awaiting(lambda *_: None, operations, None)  # type: ignore[arg-type]  # no coroutine is run
    rows = re.findall(r"^\| [a-z ]+ \| (`.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted({*operations, "in_loop"})
