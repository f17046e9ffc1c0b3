"""The contract of an answer: JSON `{summary, key_points[], citations[]}`. Types are normalised, lengths bounded.

Whatever else an answer holds (calls of tools, verdicts, other fields) has no meaning here, and is told as a fault.
"""

from collections.abc import Mapping
from typing import Any, Final

from refute.guardrails.plain_text import printable
from refute.llm.answer_json import read_object
from refute.research.record import Answer, WrittenPoint

MAX_ANSWER_CHARS: Final = 60_000
MAX_SUMMARY_CHARS: Final = 1_500
MAX_POINTS: Final = 12
MAX_POINT_CHARS: Final = 400
MAX_QUOTE_CHARS: Final = 600
MAX_CITATIONS: Final = 20
MAX_URL_CHARS: Final = 2_000
FIELDS: Final = frozenset({"summary", "key_points", "citations"})
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "description": "at most five sentences, in the source's words where possible"},
        "key_points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "one fact that answers the goal"},
                    "quote": {"type": "string", "description": "the passage that says so, copied exactly"},
                },
                "required": ["text", "quote"],
            },
        },
        "citations": {"type": "array", "items": {"type": "string"}, "description": "the source's address"},
    },
    "required": ["summary", "key_points", "citations"],
}


def read_answer(text: str) -> Answer | str:
    """An answer as the contract wants it, or in words why it is none."""
    if len(text) > MAX_ANSWER_CHARS:
        return f"the answer has {len(text):,} characters, expected at most {MAX_ANSWER_CHARS:,}"
    data = read_object(text)
    if data is None:
        return "the answer is not a JSON object"
    if not FIELDS & data.keys():
        return "the answer has none of the fields summary, key_points, citations"
    faults: list[str] = []
    if strange := sorted(printable(str(name), max_chars=40, keep_newlines=False) for name in data.keys() - FIELDS):
        faults.append(f"unknown fields were ignored: {', '.join(strange[:5])}")
    return Answer(
        summary=_text(data.get("summary"), MAX_SUMMARY_CHARS, "summary", faults),
        key_points=_points(data.get("key_points"), faults),
        citations=_citations(data.get("citations"), faults),
        faults=tuple(faults),
    )


def is_usable(text: str) -> bool:
    """Whether `read_answer` can use an answer."""
    return isinstance(read_answer(text), Answer)


def _points(value: Any, faults: list[str]) -> tuple[WrittenPoint, ...]:
    items = _items(value, MAX_POINTS, "key points", faults)
    points = []
    for item in items:
        parts = item if isinstance(item, dict) else {"text": item, "quote": item}
        text = _text(parts.get("text"), MAX_POINT_CHARS, "key point", faults)
        quote = _text(parts.get("quote"), MAX_QUOTE_CHARS, "quote", faults)
        if text:
            points.append(WrittenPoint(text=text, quote=quote))
    return tuple(points)


def _citations(value: Any, faults: list[str]) -> tuple[str, ...]:
    found = (
        _text(item, MAX_URL_CHARS, "citation", faults) for item in _items(value, MAX_CITATIONS, "citations", faults)
    )
    return tuple(dict.fromkeys(filter(None, found)))


def _items(value: Any, most: int, what: str, faults: list[str]) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    if len(items) > most:
        faults.append(f"{len(items)} {what}: the first {most} count")
    return items[:most]


def _text(value: Any, most: int, what: str, faults: list[str]) -> str:
    """Text on one line; numbers as text, lists joined, anything else is nothing."""
    match value:
        case None | bool():
            return ""
        case str():
            told = value
        case int() | float():
            told = str(value)
        case list():
            told = " ".join(one for one in value if isinstance(one, str))
        case _:
            faults.append(f"a {what} that is {type(value).__name__} was ignored")
            return ""
    line = printable(" ".join(told[: 4 * most].split()), keep_newlines=False)
    if len(line) > most:
        faults.append(f"a {what} was cut to {most} characters")
    return line[:most]
