"""Right code whose claims only look as if they said something else: no test may fail."""

from typing import Final, NamedTuple

import pytest

from tests.refute.adversary.property.workbench import attack_on, failures


class Trap(NamedTuple):
    """A claim that is easily misread, and code that keeps it."""

    name: str
    claim: str
    code: str


TRAPS: Final = (
    Trap("an amount between two things", "Returns the number of steps between a and b.", "def f(a: int, b: int):\n    return abs(a - b)\n"),
    Trap("sorted order is only a part", "Returns a tuple of the elements of xs in sorted order and their count.", "def f(xs: list[int]):\n    return sorted(xs), len(xs)\n"),
    Trap("sorted by something else", "Returns the elements of xs in sorted order of their absolute values.", "def f(xs: list[int]):\n    return sorted(xs, key=abs)\n"),
    Trap("denied", "`step` is not idempotent.", "def step(n: int) -> int:\n    return n + 1\n"),
    Trap("an example of how it was", "Unlike before, area(2, 3) == 5 is gone.", "def area(w, h):\n    return w * h\n"),
    Trap("an example under a condition", "If STRICT is set, area(2, 3) == 5.", "def area(w, h):\n    return w * h\n"),
    Trap("a condition behind", "area(2, 3) == 5 if STRICT is set.", "def area(w, h):\n    return w * h\n"),
    Trap("a number of things", "spread(9) returns 9 items.", "def spread(n):\n    return [0] * n\n"),
    Trap("a span", "roll(1) -> 1-6", "def roll(n):\n    return 4\n"),
    Trap("alternatives", "roll(1) returns 3 or 4", "def roll(n):\n    return 4\n"),
    Trap("two thoughts or a pair", "split(1) -> 1, 2", "def split(n):\n    return (1, 2)\n"),
    Trap("a type", "count([1]) -> int; count([1]) is an int.", "def count(xs):\n    return len(xs)\n"),
    Trap("a signature", "def connect(retries=3) -> None", "def connect(retries=3):\n    return object()\n"),
    Trap("mathematics of a sequence", "tri(1) = 3\ntri(n) = 1 + n / 2, if n is even.\nFor example:\ntri(3) = [1, 3, 2, 8]", "def tri(n):\n    return [1, 3, 2, 8][: n + 1]\n"),
    Trap("a tuple for a list in prose", "pair(1) -> [1, 1]", "def pair(n):\n    return (n, n)\n"),
    Trap("an iterator for a list", ">>> count_to(2)\n[1, 2]\n", "def count_to(n):\n    return iter(range(1, n + 1))\n"),
    Trap("rounded values inside", "stats([1, 2]) -> {'mean': 1.5, 'sd': 0.71}", "def stats(xs):\n    return {'mean': 1.5, 'sd': 0.7071067811865476}\n"),
    Trap("other quotes and blanks", '>>> names( )\n{"b": 1,"a":2}\n', "def names():\n    return {'a': 2, 'b': 1}\n"),
    Trap("printed, not returned", ">>> show(3)\n3\n", "def show(n):\n    print(n)\n"),
    Trap("undefined names", ">>> area(width, height)\n6\n", "def area(w, h):\n    return w * h\n"),
    Trap("prose instead of a value", ">>> area(2, 3)\nreturns the area of the rectangle\n", "def area(w, h):\n    return w * h\n"),
    Trap("an address", ">>> make()\n<object object at 0x7f00>\n", "def make():\n    return object()\n"),
    Trap("an unreadable precondition", "Returns the elements of xs in sorted order.\n\nRequires:\n    xs is a heap", "def f(xs: list[int]):\n    assert not xs or xs[0] == min(xs)\n    return sorted(xs)\n"),
    Trap("a precondition in prose", "`f` returns the elements of xs in sorted order. The caller must pass a heap.", "def f(xs: list[int]):\n    assert not xs or xs[0] == min(xs)\n    return sorted(xs)\n"),
    Trap("a restricted parameter", "Returns a non-negative int.\n\nArgs:\n    day (str): a valid ISO date", "def f(day):\n    return int(day[:4])\n"),
    Trap("valid input only", "parse() never raises for valid input.", "def parse(s: str):\n    return int(s)\n"),
    Trap("something else is unmodified", "save() does not modify the database.", "def save(xs: list[int]):\n    xs.append(1)\n"),
    Trap("a symmetric argument", "Returns whether the matrix is symmetric.", "def f(a: int, b: int):\n    return a < b\n"),
    Trap("malformed input", "count() raises ValueError for malformed input.", "def count(s: str):\n    return len(s)\n"),
    Trap("an undocumented refusal", "`clamp` always returns a value between 0 and 9.", "def clamp(n: int):\n    if n < 0:\n        raise ValueError(n)\n    return min(n, 9)\n"),
    Trap("two conditions at once", "Returns -1 if n is negative. Returns 0 if the list is empty.", "def f(n: int, xs: list[int]):\n    return -1 if n < 0 else 0 if not xs else 1\n"),
    Trap("a method of a type", "merge(x) is the same as `dict.update(x)`.", "def merge(x: dict[str, int]):\n    return x\n"),
    Trap("sorts in place", "order() does not return anything; it puts the elements of xs in sorted order.", "def order(xs: list[int]):\n    xs.sort()\n"),
    Trap("an exception to the rule", "Returns a value between 0 and 1, except for empty lists.", "def f(xs: list[int]):\n    return 0.5 if xs else -1\n"),
    Trap("an idempotent effect", "`register` is idempotent.", "seen = set()\ndef register(name: str):\n    seen.add(name)\n    return len(seen)\n"),
    Trap("a positive argument", "`f` takes a positive int and returns its negative.", "def f(n: int):\n    return -n\n"),
    Trap("floats that add up", "total() is symmetric.", "def total(a: float, b: float):\n    return (a + 0.1) + (b + 0.1) - 0.2\n"),
    Trap("deep recursion", "`fib(n)` is never negative.", "def fib(n: int):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"[:0] + "def fib(n: int):\n    return max(n, 0) if n < 2 else fib(n - 1) + fib(n - 2)\n"),
    Trap("a date", "day('x') -> 2020-10-12", "def day(s):\n    return '2020-10-12'\n"),
    Trap("thousands", "big(1) -> 1,000", "def big(n):\n    return '1,000'\n"),
    Trap("percent", "share(1, 2) is 50% of the whole", "def share(a, b):\n    return '50%'\n"),
    Trap("an ellipsis", "count_to(9) -> [1, 2, ...]", "def count_to(n):\n    return list(range(1, n + 1))\n"),
    Trap("an instance is needed", "Cache.get() never raises.", "class Cache:\n    def get(self, key: str):\n        raise KeyError(key)\n"),
    Trap("a law for some", "`half(double(n)) == n` unless n overflows.", "def double(n: int):\n    return 0\ndef half(n: int):\n    return n // 2\n"),
    Trap("a law under an unreadable condition", "`half(n) * 2 == n` when n fits the grid.", "def half(n: int):\n    return n // 2\n"),
    Trap("a law under a readable condition", "`half(n) * 2 == n` when n is even.", "def half(n: int):\n    return n // 2\n"),
    Trap("words after a result", "Returns the same as `sorted(xs)` but without duplicates.", "def f(xs: list[int]):\n    return sorted(set(xs))\n"),
    Trap("any non-empty list", "For any non-empty list, `top(xs)` is equivalent to `max(xs)`.", "def top(xs: list[int]):\n    return max(xs)\n"),
    Trap("undefined reference", "`top(xs)` is equivalent to `max(xs)`.", "def top(xs: list[int]):\n    return max(xs, default=None)\n"),
    Trap("where lists meet sets", "common([1, 2], [2]) -> {2}", "def common(a, b):\n    return set(a) & set(b)\n"),
    Trap("optional arguments keep their defaults", "Returns the elements of xs in sorted order.", "def f(xs: list[int], key=None, reverse=False):\n    return sorted(xs, key=key, reverse=reverse)\n"),
    Trap("a definition in the same breath", "Note that scale(2) = 4 in the old units.", "def scale(n):\n    return n\n"),
    Trap("times", "The function is called at most 3 times.", "def f(n: int):\n    return n + 5\n"),
    Trap("two functions", "encode and decode are symmetric.", "def encode(a: int, b: int):\n    return a - b\ndef decode(a: int, b: int):\n    return b - 2 * a\n"),
)  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_right_code_is_not_refuted(trap: Trap) -> None:
    attack = attack_on(trap.code, trap.claim)
    failed = failures(attack, trap.code)
    assert failed == {}, attack.source
