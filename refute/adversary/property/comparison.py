"""Functions that the generated file carries along: written here once, type-checked and tested, copied verbatim.

They compare by value: floats to the precision that an example writes, sets and dictionaries in any order, generators
by what they yield. A person who reads the generated file finds them at its top.
"""

import collections.abc
import itertools
import math
import numbers
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import reject


def _equals(expected: Callable[[], Any], got: Any) -> bool:
    """Whether `got` is what an expression builds; one that builds nothing is only text."""
    try:
        built = expected()
    except Exception:  # noqa: BLE001  # whatever the text means, it is no value
        return False
    return _same(built, got)


def _items(got: Any) -> list[Any] | None:
    """What a list, tuple, generator or other ordered iterable holds; None for texts, dictionaries, sets."""
    if isinstance(got, str | bytes | bytearray | collections.abc.Mapping | collections.abc.Set):
        return None
    if isinstance(got, collections.abc.Iterable):
        return list(itertools.islice(got, 100_000))
    return None


def _same(expected: Any, got: Any, *, exact: bool = True) -> bool:
    """Whether `got` is the value that was written down; with `exact=False` a list may be a tuple or a set."""
    if hasattr(got, "tolist"):
        got = got.tolist()
    if isinstance(expected, list | tuple):
        return _same_sequence(expected, got, exact=exact)
    if isinstance(expected, set | frozenset):
        items = list(got) if isinstance(got, collections.abc.Set) else (None if exact else _items(got))
        return items is not None and _same_set(expected, items)
    if isinstance(expected, dict):
        if not isinstance(got, collections.abc.Mapping) or len(expected) != len(got):
            return False
        return all(key in got and _same(value, got[key], exact=exact) for key, value in expected.items())
    return _same_leaf(expected, got)


def _same_leaf(expected: Any, got: Any) -> bool:
    """Whether two values without parts are the same; floats up to rounding errors, nan is nan."""
    if isinstance(expected, numbers.Number) and expected != expected:  # noqa: PLR0124  # only nan differs from itself
        return bool(got != got)  # noqa: PLR0124
    if isinstance(expected, float) and math.isinf(expected):  # every number lies within an endless distance of it
        return bool(expected == got)
    if isinstance(expected, float) or (isinstance(expected, int) and isinstance(got, float)):
        return bool(expected == got) or bool(pytest.approx(expected, rel=1e-9, abs=0) == got)
    return bool(expected == got)


def _same_sequence(expected: Any, got: Any, *, exact: bool) -> bool:
    """Whether `got` holds the same items in the same order; a set has none."""
    if exact and isinstance(got, list | tuple) and isinstance(expected, list) != isinstance(got, list):
        return False
    if not exact and isinstance(got, collections.abc.Set):
        return _same_set(expected, list(got))
    items = _items(got)
    if items is None or len(items) != len(expected):
        return False
    return all(_same(e, g, exact=exact) for e, g in zip(expected, items, strict=True))


def _same_set(expected: Any, items: list[Any]) -> bool:
    """Whether both hold the same values, in whatever order."""
    return len(expected) == len(items) and all(any(_same(one, item) for item in items) for one in expected)


def _shown(value: Any) -> str:
    """A value for a failure message, cut to 500 characters."""
    text = repr(value)
    limit = 500
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _finished(got: Any) -> Any:
    """A generator runs only when it is read: read all of it."""
    return _items(got) if isinstance(got, collections.abc.Iterator) else got


def _completes(call: Callable[[], Any]) -> bool:
    """Whether a call comes to its end; what it raises instead passes through."""
    _finished(call())
    return True


def _answer(call: Callable[[], Any], *refusals: type[BaseException]) -> Any:
    """What a call gives; an input that the function refuses on purpose says nothing about the claim."""
    try:
        return _finished(call())
    except refusals:
        reject()


def _defined(reference: Callable[[], Any]) -> Any:
    """What a reference expression gives; inputs for which it is undefined are not tried."""
    try:
        return reference()
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        reject()


def _message(error: BaseException) -> str:
    """What a traceback shows behind the error's name."""
    return str(error.msg if isinstance(error, SyntaxError) else error)


def _transcript(printed: str, got: Any) -> str:
    """What an interactive session shows for a statement."""
    return printed if got is None else f"{printed}{got!r}"


def _words(text: str) -> str:
    """As doctest compares, a character beyond ASCII is the same as its escape; blanks are aside, as for `pprint`."""
    text = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    return re.sub(r"(?<=[\[({]) | (?=[\])},])", "", text)


def _without_noise(text: str) -> str:
    """An array as text, without what hangs on its printing and on the machine: zeros' signs and dust beside numbers."""
    number = r"[+-]?(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?"
    dust = 1e-12 * max((abs(float(one)) for one in re.findall(number, text)), default=0.0)
    plain = re.sub(number, lambda hit: f"{float(hit[0]):.8g}" if abs(float(hit[0])) > dust else "0", text)
    return re.sub(r"\s", "", plain)


def _reads_like(expected: str, got: str) -> bool:
    """Whether both texts hold the same words, blanks and quotes aside; `...` stands for anything."""
    expected, got = _words(expected.replace("<BLANKLINE>", "")), _words(got)
    if "array(" in expected:
        expected, got = _without_noise(expected), _without_noise(got)
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    bare = ".*".join(re.escape(part) for part in expected.strip("'\"").split("..."))
    return bool(re.fullmatch(pattern, got, re.DOTALL) or re.fullmatch(bare, got.strip("'\""), re.DOTALL))


def _outcome(call: Callable[[], Any], how: str) -> Any:
    """What a call gives, as the answer of the version before is written down.

    A `value` as it is, of an object (`text`) its class and text, of an exception its name.
    """
    try:
        value = _finished(call())
    except Exception as error:  # noqa: BLE001  # whatever it is: it is compared
        return f"{'' if how == 'raises' else 'raises '}{type(error).__name__}"
    return f"{type(value).__name__}: {value}" if how == "text" else value


def _differs(call: str, values: Sequence[Any], before: Any, now: Any) -> str:
    """A call over `a0`, `a1`, … with its values, what it gave in the version before, and what it gives now."""
    written = re.sub(r"\ba(\d+)\b", lambda hit: repr(values[int(hit[1])]), call)
    return f"{written} gave {_shown(before)} before, {_shown(now)} now"


# Textbook definitions, written for obviousness and not for speed


def _primes_below(end: int) -> list[int]:
    return [n for n in range(2, end) if all(n % d for d in range(2, n))]


def _edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Levenshtein: fewest insertions, deletions and substitutions, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[j - 1] + 1, above[j] + 1, above[j - 1] + (x != y)))
    return row[-1]


def _is_balanced(text: str) -> bool:
    """Whether removing matched pairs leaves nothing."""
    while any(pair in text for pair in ("()", "[]", "{}")):
        for pair in ("()", "[]", "{}"):
            text = text.replace(pair, "")
    return not text
