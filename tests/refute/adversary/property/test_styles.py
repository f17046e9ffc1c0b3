"""Claims and docstrings as people write them: wrong code must fail a test, right code none."""

from typing import Final, NamedTuple

import pytest
from tests.refute.adversary.property.workbench import attack_on, failures


class Style(NamedTuple):
    """One way to say something, with code that keeps it and code that does not."""

    name: str
    claim: str
    right: str
    wrong: str


def _f(body: str, signature: str = "f(x)") -> str:
    return f"def {signature}:\n    {body}\n"


STYLES: Final = (
    Style("equality in prose", "For instance triple(4) == 12.", _f("return 3 * n", "triple(n)"), _f("return n ** 3", "triple(n)")),
    Style("thin arrow", "shout('ab') -> 'AB!'", _f("return s.upper() + '!'", "shout(s)"), _f("return s.upper()", "shout(s)")),
    Style("fat arrow", "* evens([1, 2, 4]) => [2, 4]\n* evens([]) => []", _f("return [x for x in xs if x % 2 == 0]", "evens(xs)"), _f("return [x for x in xs if x % 2]", "evens(xs)")),
    Style("double arrow", "is_leap(2000) ==> True\nis_leap(1900) ==> False", _f("return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)", "is_leap(y)"), _f("return y % 4 == 0", "is_leap(y)")),
    Style("unicode arrow", "last_word('a b c') ➞ 'c'", _f("return s.split()[-1]", "last_word(s)"), _f("return s.split()[0]", "last_word(s)")),
    Style("returns comment", "hex_of(255)  # returns 'ff'", _f("return format(n, 'x')", "hex_of(n)"), _f("return format(n, 'X')", "hex_of(n)")),
    Style("arrow comment", "hex_of(255) # => 'ff'", _f("return format(n, 'x')", "hex_of(n)"), _f("return hex(n)", "hex_of(n)")),
    Style("bare comment", "    area(2, 3)  # 6", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("returns in words", "area(2, 3) returns 6 and area(1, 1) returns 1.", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("should return", "area(2, 3) should return 6.", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("is", "E.g. `area(2, 3)` is 6.", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("lone equals among examples", "Examples:\n    area(2, 3) = 6", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("worked out", "left(19, 5) ==> 19 - 5 = 14", _f("return a - b", "left(a, b)"), _f("return a", "left(a, b)")),
    Style("lower-case constants", "same(1, 1) => true\nsame(1, 2) => false\n", _f("return a == b", "same(a, b)"), _f("return a != b", "same(a, b)")),
    Style("assert", "assert area(2, 3) == 6", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("raises in words", "div(1, 0) raises ZeroDivisionError", _f("return a / b", "div(a, b)"), _f("return a / b if b else 0", "div(a, b)")),
    Style("arrow to an exception", "parse('') -> ValueError", _f("return int(s)", "parse(s)"), _f("return int(s or 0)", "parse(s)")),
    Style("input and output", "Example 1:\n    Input: xs = [3, 1], k = 1\n    Output: [1]", _f("return sorted(xs)[:k]", "least(xs, k)"), _f("return xs[:k]", "least(xs, k)")),
    Style("positional input and output", "Input: [4, 2, 3]\nOutput: 9\n", _f("return sum(xs)", "total(xs)"), _f("return max(xs)", "total(xs)")),
    Style("for … the output should be", 'For text = "abca" the output should be 2', _f("return text.count('a')", "count_a(text)"), _f("return text.count('b')", "count_a(text)")),
    Style("doctest", ">>> area(2, 3)\n6\n", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("doctest comparison without output", ">>> area(2, 3) == 6\n", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("doctest with prose right after", ">>> area(2, 3)\n6\nThe function multiplies its two sides.", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("doctest traceback", ">>> div(1, 0)\nTraceback (most recent call last):\n    ...\nZeroDivisionError: division by zero\n", _f("return a / b", "div(a, b)"), _f("return 0", "div(a, b)")),
    Style("doctest of what is printed", ">>> greet('Al')\nHello, Al!\n", _f("print(f'Hello, {name}!')", "greet(name)"), _f("print('Hello!')", "greet(name)")),
    Style("doctest over several lines without dots", ">>> total({\n    'a': 1,\n    'b': 2\n})\n3\n", _f("return sum(d.values())", "total(d)"), _f("return len(d)", "total(d)")),
    Style("doctest of a generator", ">>> list(count_to(3))\n[1, 2, 3]\n", _f("yield from range(1, n + 1)", "count_to(n)"), _f("yield from range(n)", "count_to(n)")),
    Style("sphinx and doctest", ":param w: width\n:returns: the area\n\n>>> area(2, 3)\n6", _f("return w * h", "area(w, h)"), _f("return w + h", "area(w, h)")),
    Style("rounded float", "half_turn() -> 3.14", "import math\ndef half_turn():\n    return math.pi\n", "def half_turn():\n    return 3.2\n"),
    Style("set in any order", "letters('aba') -> {'b', 'a'}", _f("return set(s)", "letters(s)"), _f("return {s[0]}", "letters(s)")),
    Style("sorted order", "Input:\n    arr: A list of ints\nOutput:\n    The elements of arr in sorted order", _f("return sorted(arr)", "f(arr)"), _f("return sorted(set(arr))", "f(arr)")),
    Style("sorted order, google", "`order()` returns the elements of `xs` in ascending order.", _f("return sorted(xs)", "order(xs: list[int])"), _f("return xs", "order(xs: list[int])")),
    Style("equivalent expression", "pick(xs, k) is equivalent to `sorted(xs)[k]`.\n\nArgs:\n    xs (list[int]): numbers\n    k (int): index\n\nRequires:\n    0 <= k < len(xs)", _f("return sorted(xs)[k]", "pick(xs, k)"), _f("return xs[k]", "pick(xs, k)")),
    Style("between parameters", "`clamp` always returns a value between `low` and `high`.", _f("return max(low, min(x, high))", "clamp(x: int, low: int, high: int)"), _f("return max(low, x)", "clamp(x: int, low: int, high: int)")),
    Style("idempotent", "`squeeze()` is idempotent.", _f("return ' '.join(s.split())", "squeeze(s: str) -> str"), _f("return s[1:]", "squeeze(s: str) -> str")),
    Style("does not modify", "dedupe() does not modify its argument.", _f("return list(dict.fromkeys(xs))", "dedupe(xs: list[int])"), _f("xs.sort(); return xs", "dedupe(xs: list[int])")),
    Style("never raises", "initials() never raises, whatever the input.", _f("return ''.join(w[0] for w in s.split())", "initials(s: str)"), _f("return s[0]", "initials(s: str)")),
    Style("raises when", "root(n) raises ValueError if n is negative.", _f("import math; return math.isqrt(n)", "root(n: int)"), _f("return int(abs(n) ** 0.5)", "root(n: int)")),
    Style("raises when, as code", "Raises ValueError when `n < 0`.", _f("import math; return math.isqrt(n)", "root(n: int)"), _f("return int(abs(n) ** 0.5)", "root(n: int)")),
    Style("round trip as a law", "For any string s, `unpack(pack(s)) == s`.", "def pack(s: str):\n    return s.encode()\ndef unpack(b):\n    return b.decode()\n", "def pack(s: str):\n    return s.strip().encode()\ndef unpack(b):\n    return b.decode()\n"),
    Style("inverse", "`unpack` is the inverse of `pack`.", "def pack(s: str):\n    return s.encode()\ndef unpack(b: bytes):\n    return b.decode()\n", "def pack(s: str):\n    return s.lower().encode()\ndef unpack(b: bytes):\n    return b.decode()\n"),
    Style("symmetric", "gap(a, b) is symmetric.", _f("return abs(a - b)", "gap(a: int, b: int)"), _f("return a - b", "gap(a: int, b: int)")),
    Style("whether", "Returns whether n is even.", _f("return n % 2 == 0", "f(n: int)"), _f("return n % 2 == 1", "f(n: int)")),
    Style("value for empty", "`top` returns None for an empty list.", _f("return max(xs) if xs else None", "top(xs: list[int])"), _f("return max(xs) if xs else 0", "top(xs: list[int])")),
    Style("value when", "Returns 0 if the list is empty.", _f("return sum(xs)", "f(xs: list[int])"), _f("return sum(xs) if xs else -1", "f(xs: list[int])")),
    Style("no duplicates, in order", "uniq() returns a list without duplicates, preserving order.", _f("return list(dict.fromkeys(xs))", "uniq(xs: list[int])"), _f("return sorted(set(xs), reverse=True)", "uniq(xs: list[int])")),
    Style("handles empty", "mean() handles empty lists.", _f("return sum(xs) / len(xs) if xs else 0.0", "mean(xs: list[float])"), _f("return sum(xs) / len(xs)", "mean(xs: list[float])")),
    Style("at most", "Returns at most `n` items.", "def f(xs: list[int], n: int):\n    return xs[:n] if n > 0 else []\n", "def f(xs: list[int], n: int):\n    return xs\n"),
    Style("raises a class of its own", "take(0) raises Empty, and so does take(-1).", "class Empty(Exception): pass\ndef take(n):\n    if n < 1:\n        raise Empty(n)\n", "class Empty(Exception): pass\ndef take(n):\n    if n == 0:\n        raise Empty(n)\n"),
)  # fmt: skip


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_right_code_fails_no_test(style: Style) -> None:
    attack = attack_on(style.right, style.claim)
    assert attack.tests, attack.untestable
    assert failures(attack, style.right) == {}


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_wrong_code_fails_a_test(style: Style) -> None:
    attack = attack_on(style.wrong, style.claim)
    assert failures(attack, style.wrong), attack.source
