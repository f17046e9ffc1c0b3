"""Examples in the rows of a table: the call beside its result, or a column for each argument."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.property.expected import Expected, read_abbreviated, read_exception, read_value
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.notation import Inline, calls_known

_ROW: Final = re.compile(r"^[ \t]*\|(?P<cells>.+)\|[ \t]*$", re.MULTILINE)
_RULE: Final = re.compile(r"[\s|:=+-]+")
_CELL: Final = re.compile(r"""(?:`[^`]*`|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\\||[^|])+""")
_RESULT: Final = re.compile(
    r"(?:the |its |expected |return(?:ed)? )?(?:results?|outputs?|returns?|values?|expected|answers?|gives|yields)\b",
    re.IGNORECASE,
)
_CALL: Final = re.compile(r"(?:the )?(?:calls?|expressions?|examples?|inputs?|code|arguments?|usage)\b", re.IGNORECASE)


def read_tables(text: str, known: frozenset[str], function: str, parameters: Sequence[str]) -> list[Inline]:
    """Rows of Markdown's tables that hold an example.

    Args:
        text: prose.
        known: public names of the implementation and its modules.
        function: the only one that the text can speak of; empty where several are possible.
        parameters: of that function, those that it needs.
    """
    found: list[Inline] = []
    header: list[str] = []
    last = -1
    for row in _ROW.finditer(text):
        cells = [cell.strip() for cell in _CELL.findall(row["cells"])]
        if text[last : row.start()].strip() or last < 0:
            header = cells
        elif not _RULE.fullmatch(row["cells"]):
            found += _of_row(header, cells, row, known, function, parameters)
        last = row.end()
    return found


def _of_row(
    header: Sequence[str],
    cells: Sequence[str],
    row: re.Match[str],
    known: frozenset[str],
    function: str,
    parameters: Sequence[str],
) -> Iterator[Inline]:
    titles = [title.strip("`* ") for title in header]
    of_call = f"{function}({', '.join(parameters)})" if function else ""
    places = [place for place, title in enumerate(titles) if _RESULT.match(title) or title == of_call]
    if len(cells) != len(header) or len(places) != 1:
        return
    call = _call(header, cells, known, function, parameters, places[0])
    expected = _expected(cells[places[0]])
    if call is not None and expected is not None:
        yield Inline(
            expression=call, expected=expected, strict=False, weak=False, quote=row[0].strip(), start=row.start()
        )


def _call(  # what a row says, and of whom
    header: Sequence[str],
    cells: Sequence[str],
    known: frozenset[str],
    function: str,
    parameters: Sequence[str],
    result: int,
) -> ast.expr | None:
    titles = [title.strip("`* ") for title in header]
    for place, title in enumerate(titles):
        node = parse_expression(cells[place].strip("`"))
        if place != result and _CALL.match(title) and isinstance(node, ast.Call) and calls_known(node, known):
            return node
    if not function:
        return None
    if list(parameters) == [title for title in titles if title in parameters]:
        given = [f"{title}={cells[place].strip('`')}" for place, title in enumerate(titles) if title in parameters]
    elif len(parameters) == 1 and len(titles) >= 2 and _CALL.match(titles[0]) and result:  # noqa: PLR2004  # in and out
        given = [cells[0].strip("`")]
    else:
        return None
    call = parse_expression(f"{function}({', '.join(given)})")
    values = [*call.args, *(keyword.value for keyword in call.keywords)] if isinstance(call, ast.Call) else []
    plain = all(isinstance(one, ast.Constant) or read_value(ast.unparse(one)) for one in values)
    return call if values and plain and len(values) == len(parameters) else None


def _expected(cell: str) -> Expected | None:
    value = read_value(cell)
    if value is None:
        return read_exception(re.sub(r"^(?:raises?|throws?)\s+", "", cell.strip("`")))
    return read_abbreviated(value) or value
