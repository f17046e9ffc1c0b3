"""Mutants: real faults, each once, the same for the same seed, none in what only tells."""

import ast

import pytest

from refute.adversary.attack import SourceModule
from refute.adversary.strength.mutants import candidates, sample_mutants
from refute.ticket.record import Module

SOURCE = '''"""Says 1 < 2."""

import logging

__version__ = "1.0"


def clamp(x: int, low: int = 0, high: int = 10) -> int:
    """Between 0 and 10."""
    logging.info("clamping %s", x)
    if low > high:
        raise ValueError(f"{low} > {high}" + "!")
    total = 0
    for n in range(3):
        if not n:
            continue
        total += n
    return max(low, min(x, high)) + total * 0


if __name__ == "__main__":
    print(clamp(11))
'''


def module(source: str = SOURCE, path: str = "clamp.py") -> SourceModule:
    return SourceModule(module=Module(path=path, name=path[:-3]), source=source)


def all_of(source: str = SOURCE) -> list[str]:
    return [mutant.change for mutant in sample_mutants(candidates([module(source)]), count=1000, seed="s")]


def test_every_mutant_is_python_and_differs_from_the_code() -> None:
    mutants = sample_mutants(candidates([module()]), count=1000, seed="s")
    plain = compile(ast.unparse(ast.parse(SOURCE)), "m", "exec")
    assert len(mutants) > 12
    assert len({mutant.source for mutant in mutants}) == len(mutants)
    for mutant in mutants:
        assert compile(mutant.source, "m", "exec") != plain
        assert mutant.diff


def test_the_sample_is_that_of_the_seed() -> None:
    one, same, other = (sample_mutants(candidates([module()]), count=5, seed=seed) for seed in ("a", "a", "b"))
    assert one == same
    assert one != other
    assert [mutant.number for mutant in one] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("def f(a, b):\n    return a < b\n", "< → <="),
        ("def f(a, b):\n    return a in b\n", "in → not in"),
        ("def f(a, b):\n    return a + b\n", "+ → -"),
        ("def f(a, b):\n    return a // b\n", "// → *"),
        ("def f(a, b):\n    return a and b\n", "and → or"),
        ("def f(a):\n    return not a\n", "not removed"),
        ("def f(a):\n    return -a\n", "- removed"),
        ("def f(a):\n    if a:\n        return 1\n    return 2\n", "condition negated"),
        ("def f():\n    return True\n", "True → False"),
        ("def f():\n    return 41\n", "41 → 42"),
        ("def f():\n    return 'x'\n", "'x' changed"),
        ("def f(a):\n    return a\n", "returns None"),
        ("def f(a):\n    b = a\n    return b\n", "None assigned"),
        ("def f(a):\n    for b in a:\n        break\n", "break → continue"),
        ("def f(a):\n    a.append(1)\n", "call removed"),
        ("def f(a):\n    a += 1\n    return a\n", "+ → -"),
        ("def f(a):\n    a += 1\n    return a\n", "assigned alone"),
    ],
)
def test_what_the_operators_change(code: str, change: str) -> None:
    assert change in all_of(code)


@pytest.mark.parametrize("told", ["clamping", "Says", "Between", "__version__", "> {high}", "__main__", "int = 0 ->"])
def test_what_only_tells_is_left_alone(told: str) -> None:
    changed = [m for m in sample_mutants(candidates([module()]), count=1000, seed="s") if "XX" in m.source]
    for mutant in changed:
        line = next(line for line in mutant.source.splitlines() if "XX" in line)
        assert told not in line


@pytest.mark.parametrize("source", ["def f(:\n", "\0", "(" * 500, "X = " + "+".join("1" * 3000)])
def test_a_module_that_does_not_parse_has_none(source: str) -> None:
    assert sample_mutants(candidates([module(source)]), count=5, seed="s") == ()


def test_mutants_come_from_every_module() -> None:
    two = [module(path="a.py"), module(path="b.py")]
    assert {mutant.path for mutant in sample_mutants(candidates(two), count=30, seed="s")} == {"a.py", "b.py"}
