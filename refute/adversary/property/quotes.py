"""Quotation marks of typesetting: what a text processor makes of the quotes of code."""

import re
from typing import Final

_SPAN: Final = re.compile(r"(?<![\w\"'])(?:“(?P<double>[^“”\"\n]*)”|‘(?P<single>[^‘’'\n]*)’)(?![\w\"'])")
_OPENED: Final = re.compile(r"(?<!\w)'|'(?!\w)")
"""A quote that is no apostrophe."""


def plain_quotes(text: str) -> str:
    """The text with `f(“a”)` as `f("a")`, character for character; inside a quoted text they stay as they are."""
    return _SPAN.sub(lambda hit: hit[0] if _is_quoted(text, hit.start()) else _plain(hit), text)


def _plain(hit: re.Match[str]) -> str:
    double = hit["double"]
    return f'"{double}"' if double is not None else f"'{hit['single']}'"


def _is_quoted(text: str, position: int) -> bool:
    line = text[:position].rpartition("\n")[2]
    return line.count('"') % 2 == 1 or len(_OPENED.findall(line)) % 2 == 1
