"""What is wrong with a field that a person wrote, in our words instead of pydantic's."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from refute.settings_variables import nearest

_EXPECTED: Final[Mapping[str, str]] = {
    "float_parsing": "a number",
    "float_type": "a number",
    "decimal_parsing": "a number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "finite_number": "a finite number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "enum": "{expected}",
    "literal_error": "{expected}",
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "string_pattern_mismatch": "text like {pattern}",
    "path_type": "a path",
    "dict_type": "a mapping",
    "model_type": "a mapping of fields",
    "string_too_short": "at least {min_length} characters",
}
"""Kinds of pydantic's errors in our words."""


def _expected(error: Mapping[str, Any]) -> str:
    if error["type"] == "value_error":  # a check of our own, in words of its own
        return str(error["ctx"]["error"])
    words = _EXPECTED.get(error["type"])
    return f"expected {words.format(**error.get('ctx', {}))}" if words else str(error["msg"])


def fault(error: Mapping[str, Any], known: Iterable[str], noun: str = "field") -> str:
    """One of pydantic's errors in our words; the value of a name that is not known may be a misspelt secret's.

    Args:
        error: of pydantic.
        known: the names that there are.
        noun: what has such a name.
    """
    entry = [f"entry {one + 1}" for one in error["loc"][:1] if isinstance(one, int)]  # as a reader counts
    field = ".".join(map(str, error["loc"][len(entry) :]))
    name = ", ".join(filter(None, [*entry, field])) or "the file"
    match error["type"]:
        case "extra_forbidden":
            near = nearest(field.rpartition(".")[2], known)
            meant = f", did you mean {' or '.join(near)}?" if near else ""
            return f"{name}: no {noun} has this name{meant}"
        case "missing":
            return f"{name}: missing"
        case _:
            return f"{name}: got {repr(error['input'])[:80]}, {_expected(error)}"
