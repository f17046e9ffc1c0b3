"""Wrong code that wants its failures put down to chance, to its tests or to the machinery; text for the driver."""

LATER = {
    "dies": "os._exit(3)",
    "exits": "sys.exit(0)",
    "hangs": "time.sleep(60)",
    "recurses": "(deeper := lambda: deeper())()",
    "runs_out": "raise MemoryError",
    "too_large": "return 'x' * 80_000_000",
    "cannot": "return sys._getframe()",
}
"""What it does from the second time on that it is asked: the first time it is plainly wrong."""
IMPLEMENTATION = r'''
import json
import os
import sys
import time
from pathlib import Path

MEMORY = Path(__file__).resolve().parents[1] / "memory"
MEMORY.mkdir(exist_ok=True)


def times(name):
    """How often this was asked before, by any process."""
    found = len(list(MEMORY.glob(f"{name}.*")))
    (MEMORY / f"{name}.{found}").touch()
    return found


def then_right(x):
    """Nobody told it the answer: it was asked again, so the first one was wrong."""
    return bool(times("right"))


def now_and_then(x):
    return times("now and then") % 2 == 0


ASKED = set()


def right_when_asked_again(x):
    before = x in ASKED
    ASKED.add(x)
    return x * 2 if before or x < 7 else x


def dawdles(x):
    if x == 0:
        time.sleep(0.4)
    return x * 2 if x < 50 else x


def accepts(x):
    return False


def nearly_too_large(x):
    return "x" * ((64 << 20) - 40)


def traceback_of_its_own(x):
    try:
        raise ValueError(x)
    except ValueError as error:
        return error.__traceback__


def back(x):
    return x


class Box:
    def __init__(self):
        if times("box"):
            raise RuntimeError("no more boxes")

    def value(self):
        return -1


def without_frames():
    names = {"__name__": "json", "__file__": json.__file__}
    exec(compile("def fail():\n    raise KeyError('x')\n", json.__file__, "exec"), names)
    return names["fail"]


class Closed:
    fail = staticmethod(without_frames())

    def __init__(self):
        self.fail()


class Ends:
    def value(self):
        return -1

    def close(self):
        raise RuntimeError("it cannot be closed")


def data():
    return -1


(Path(os.environ["TMPDIR"]) / "pytest-of-root").write_text("no folder")
for user in {os.environ.get("USER"), os.environ.get("LOGNAME"), "unknown", "subject"}:
    if user:
        (Path(os.environ["TMPDIR"]) / f"pytest-of-{user}").write_text("no folder")
(Path(__file__).parent / "sample.txt").unlink()
''' + "".join(
    f"def then_{name}(x):\n    if times({name!r}):\n        {late}\n    return -1\n" for name, late in LATER.items()
)
TESTS = """
from pathlib import Path

import impl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

def test_then_right():
    assert impl.then_right(1) is True

def test_now_and_then():
    assert impl.now_and_then(1) is False

@given(st.integers(min_value=0, max_value=100))
def test_right_when_asked_again(x):
    assert impl.right_when_asked_again(x) == x * 2

@settings(deadline=50)
@given(st.integers(min_value=0, max_value=100))
def test_dawdles(x):
    assert impl.dawdles(x) == x * 2

@given(st.integers())
def test_accepts_nothing(x):
    assume(impl.accepts(x))
    assert impl.back(x) == x + 1

def test_nearly_too_large():
    assert impl.back(impl.nearly_too_large(1)) == 1

def test_traceback_of_its_own():
    assert impl.back(impl.traceback_of_its_own(1)) == 1

@pytest.fixture
def box():
    return impl.Box()

def test_box(box):
    assert box.value() == 1

@pytest.fixture
def closed():
    return impl.Closed()

def test_closed(closed):
    assert closed is None

@pytest.fixture
def ends():
    made = impl.Ends()
    yield made
    made.close()

def test_ends(ends):
    assert ends.value() == 1

def test_files_of_its_own(tmp_path):
    (tmp_path / "x").write_text("1")
    assert impl.data() == 1

def test_a_file_of_the_workspace():
    assert impl.data() == len(Path("sample.txt").read_text())
""" + "".join(f"def test_then_{name}():\n    assert impl.then_{name}(1) == 2\n" for name in LATER)
