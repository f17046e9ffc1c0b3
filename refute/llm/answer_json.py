"""The JSON object that a model's answer is, whatever stands around it; no part of it is guessed."""

import json
import re
from typing import Any, Final

FENCED: Final = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
"""A line cannot begin with a fence inside of JSON, whose texts hold no line ends."""


def read_object(text: str) -> dict[str, Any] | None:
    """An answer's object; None where it is none.

    Args:
        text: as it came; one fence around the JSON is tolerated, with prose around it, nothing else is.
    """
    fenced = FENCED.findall(text)
    alone = len(fenced) == 1 and not text.lstrip().startswith(("{", "["))
    try:
        data = json.loads(fenced[0] if alone else text.strip())
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def is_object(text: str) -> bool:
    """Whether an answer is an object, which is the least that any reader needs."""
    return read_object(text) is not None
