"""Values near another one: what separates right from wrong lies beside what examples show."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

_CHARACTERS: Final = " -_.,:/'\"0Zé"
_PLACES: Final = 6
"""Of a text or list in which one thing is changed."""
_HINTS: Final = 30
"""In one list."""


def near(value: Any, hints: Sequence[Any] = ()) -> list[Any]:
    """Values of the same kind that differ a little.

    Args:
        value: plain data.
        hints: values that may matter; those of its kind are taken, and texts are put into texts.
    """
    found = {repr(value): value}
    alike = (hint for hint in hints if type(hint) is type(value))
    for other in (*alike, *_changed(value, hints)):
        found.setdefault(repr(other), other)
    return list(found.values())[1:]


def _changed(value: Any, hints: Sequence[Any]) -> Iterable[Any]:  # noqa: PLR0911  # one per kind
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1, 0, -value, 2 * value, value * 10, value // 2]
        case float():
            return [value + 0.5, value - 1, 0.0, -value, value * 10, float(round(value))]
        case str():
            return _texts(value, [hint for hint in hints if isinstance(hint, str)])
        case bytes():
            inverted = (value[:at] + bytes([255 - value[at]]) + value[at + 1 :] for at in range(len(value))[:_PLACES])
            return [b"", value[:-1], value + value[:1], value[::-1], value[1:], *inverted]
        case list() | tuple():
            return (type(value)(one) for one in _lists(list(value), hints))
        case set() | frozenset():
            return (type(value)(one) for one in _lists(sorted(value, key=repr), hints))
        case dict():
            return _dicts(value, hints)
        case _:
            return []


def _texts(text: str, hints: Sequence[str]) -> Iterator[str]:
    yield from ("", text[:1], text[: len(text) // 2], text[1:], text[:-1], f" {text}", f"{text} ")
    yield from (text.upper(), text.lower(), text.swapcase(), text + text, text[::-1])
    step = max(1, len(text) // _PLACES)
    for at in range(0, len(text), step):
        before, char, after = text[:at], text[at], text[at + 1 :]
        yield before + after
        yield before + char + char + after
        yield before + after[:1] + char + after[1:]
        if char.isdigit():
            yield f"{before}{(int(char) + 1) % 10 if char.isascii() else 0}{after}"
            yield f"{before}0{char}{after}"
        put = _CHARACTERS[at % len(_CHARACTERS)]
        yield before + put + after
        yield before + put + char + after
    for hint in hints:
        yield from (text + hint, hint + text, text[: len(text) // 2] + hint + text[len(text) // 2 :])


def _lists(items: list[Any], hints: Sequence[Any]) -> Iterator[list[Any]]:
    yield from ([], items[:1], items[::-1], items + items[:1], items[:1] * 2, items[1:], items[:-1])
    yield sorted(items, key=repr)[-1:] * len(items)  # all alike: what carries over, and ties
    yield [hint for hint in hints if type(hint) in set(map(type, items))][:_HINTS]  # every threshold at once
    for at in range(0, len(items), max(1, len(items) // _PLACES)):
        for other in near(items[at], hints)[:8]:
            yield [*items[:at], other, *items[at + 1 :]]


def _dicts(value: dict[Any, Any], hints: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    yield {}
    for key, item in list(value.items())[:_PLACES]:
        yield {other: kept for other, kept in value.items() if other != key}
        yield {**value, key: None}
        yield from ({**value, key: other} for other in near(item, hints)[:8])
        yield from ({**value, other: item} for other in near(key, ())[:3])
