"""Code without what it does: it imports and looks as before, and whoever calls it gets nothing of use."""

import asyncio
import copy
import subprocess
import sys
from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest

from refute.adversary.attack import Brief
from refute.adversary.strength.hollow import FAILING, OTHERWISE, hollow_variants
from refute.adversary.strength.hollow_runtime import other, spoil
from refute.ticket.record import Kind
from tests.refute.adversary.conftest import make_brief

SOURCE = '''"""Says so."""
from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

LIMIT = 10


def double(x):
    """Twice."""
    return 2 * x


TABLE = [double(n) for n in range(3)]


def count(n):
    yield from range(n)


async def later():
    return 1


def _inner():
    return "inner"


def _other():
    return _inner()


@dataclass(frozen=True)
class Point:
    x: int

    @property
    def twice(self):
        return double(self.x)


class Box:
    def __init__(self, *things):
        self.things = list(things)
        self.opened = 0

    def __enter__(self):
        self.opened = 1
        return self

    def __exit__(self, *_):
        self.opened = 0
        return True

    def __len__(self):
        return len(self.things)

    def add(self, thing):
        self.things.append(thing)

    def same(self):
        return self

    def __iter__(self):
        return iter(self.things)


def divided(a, b):
    return a / b


def words(text):
    return text.split()


def save(path, text):
    print(text)
    with open(path, "w") as file:
        file.write(text)
'''
TOKEN = "_token_"


@pytest.fixture
def brief() -> Brief:
    return make_brief(source=SOURCE)


@pytest.fixture
def load(brief: Brief, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`load(variant)` → the hollow module, imported as any other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(variant: str) -> ModuleType:
        source = hollow_variants(brief, frozenset({"_inner"}), TOKEN)[variant]["impl.py"]
        (tmp_path / "hollow_impl.py").write_text(source)
        monkeypatch.delitem(sys.modules, TOKEN, raising=False)
        monkeypatch.delitem(sys.modules, "hollow_impl", raising=False)
        return __import__("hollow_impl")

    return load


def test_what_the_code_needs_to_be_imported_works_as_ever(load: Any) -> None:
    for variant in (FAILING, OTHERWISE):
        module = load(variant)
        assert (module.TABLE, module.LIMIT, module.__doc__, module.double.__doc__) == (
            [0, 2, 4],
            10,
            "Says so.",
            "Twice.",
        )


def test_every_function_that_tests_may_call_fails(load: Any) -> None:
    impl = load(FAILING)
    calls = [
        lambda: impl.double(1),
        lambda: list(impl.count(3)),
        lambda: asyncio.run(impl.later()),
        lambda: impl.Point(1).twice,
        impl.Box,
        impl._inner,
    ]
    for call in calls:
        with pytest.raises(Exception, match=TOKEN):
            call()


@pytest.mark.parametrize("more", [False, True])
def test_answers_of_the_right_kind_are_wrong(load: Any, more: bool) -> None:
    impl = load(OTHERWISE)
    box = impl.Box(1, 2)
    if not more:
        impl.double(1)
    right = [
        (lambda: impl.double(3), 6),
        (lambda: impl.words("a b"), ["a", "b"]),
        (lambda: list(impl.count(3)), [0, 1, 2]),
        (lambda: asyncio.run(impl.later()), 1),
        (lambda: impl.Point(2).twice, 4),
        (lambda: list(box), [1, 2]),
    ]
    for call, expected in right:
        got = call()
        assert type(got) is type(expected)
        assert got != expected
    assert impl.divided(1, 0) is not None, "what was refused is answered"
    assert isinstance(box.same(), impl.Box)
    assert impl.double(3) != impl.double(3), "by turns more and less"


def test_a_block_is_entered_and_what_it_leaves_behind_is_wrong(load: Any) -> None:
    with pytest.raises(Exception, match=TOKEN):
        load(FAILING).Box()
    with load(OTHERWISE).Box() as box:
        assert box.opened != 1
    assert box.opened != 0


def test_what_else_is_seen_of_a_call_is_wrong_as_well(
    load: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    impl = load(OTHERWISE)
    for _ in range(2):
        impl.save(tmp_path / "out.txt", "text")
        assert "text" not in capsys.readouterr().out
        assert (tmp_path / "out.txt").read_text() != "text"
    things: list[Any] = [1]
    box = impl.Box(things)
    box.things = [1]
    box.add(2)
    assert box.things != [1, 2]
    assert things != [1]


class Colour(Enum):  # noqa: D101
    RED = 1
    BLUE = 2


class Pair(NamedTuple):  # noqa: D101
    one: int
    two: str


VALUES = [
    None, True, 3, 2.5, Decimal(1), "", "ab", b"ab", bytearray(b"ab"), [], [1, 2], (1, 2), {1, 2}, frozenset({1}),
    {"a": 1, "b": 2}, OrderedDict(a=1), Pair(1, "b"), Colour.RED, date(2024, 1, 1),
    datetime(2024, 1, 1, tzinfo=UTC), Path("a/b"), SimpleNamespace(x=1),
]  # fmt: skip


@pytest.mark.parametrize("more", [False, True])
def test_another_value_is_made_of_any_kind(more: bool) -> None:
    for value in VALUES:
        before = repr(value)
        assert other(value, more=more) != value, before
        assert repr(value) == before, "a copy is changed"


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, {1, 2}, bytearray(b"ab"), SimpleNamespace(x=1)], ids=repr)
def test_an_argument_is_spoilt_and_still_whole(value: Any) -> None:
    given = copy.deepcopy(value)
    spoil(given)
    assert given != value
    repr(given)


def test_private_functions_that_no_test_names_stay(brief: Brief) -> None:
    source = hollow_variants(brief, frozenset({"_inner"}), TOKEN)[FAILING]["impl.py"]
    assert "def _other():\n    return _inner()" in source
    assert f"@{TOKEN}.hollowed\ndef _inner()" in source


def test_code_that_cannot_be_parsed_has_no_hollow_variant() -> None:
    assert hollow_variants(make_brief(source="def ("), frozenset(), TOKEN) == {}


def test_a_program_fails_or_makes_noise_succeeds_and_damages_the_files_it_is_given(
    brief: Brief, tmp_path: Path
) -> None:
    program = replace(brief, ticket=replace(brief.ticket, kind=Kind.CLI, implementation_files=("impl.py",)))
    variants = hollow_variants(program, frozenset(), TOKEN)
    given = tmp_path / "in.txt"
    given.write_text("text")
    runs = {}
    for name, files in variants.items():
        (tmp_path / "impl.py").write_text(files["impl.py"])
        command = [sys.executable, "impl.py", "--option", "in.txt"]
        runs[name] = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert runs[FAILING].returncode == 1
    assert "Traceback" in runs[FAILING].stderr
    assert runs[OTHERWISE].returncode == 0
    assert TOKEN in runs[OTHERWISE].stdout
    assert TOKEN in runs[OTHERWISE].stderr
    assert given.read_text() != "text"
