"""Parsing in several threads at once, texts that cannot be parsed, and lines as Python counts them."""

import ast
import gc
import sys
import threading
import time

import pytest

from refute.python_syntax import expression_or_none, parse_python, parsed_or_none, python_lines

SOURCE = "\n".join(
    f"def f{n}(a):\n    return [a + {n} for a in range(a) if (a, {{a: [1, (2, 3)]}})]" for n in range(200)
)


def test_threads_that_parse_at_once_do_not_break_each_other() -> None:
    errors: list[BaseException] = []

    def work() -> None:
        deadline = time.monotonic() + 0.4
        try:
            while time.monotonic() < deadline:
                parse_python(SOURCE)
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is what this test looks for
            errors.append(error)

    def let_others_run(_phase: str, _info: dict[str, int]) -> None:
        sum(range(50))

    before, crew = sys.getswitchinterval(), [threading.Thread(target=work) for _ in range(4)]
    sys.setswitchinterval(1e-5)
    gc.callbacks.append(let_others_run)
    try:
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
    finally:
        gc.callbacks.remove(let_others_run)
        sys.setswitchinterval(before)
    assert errors == []


@pytest.mark.parametrize("text", ["def", "a\0b", "\ud800", "(" * 5_000, "-" * 100_000 + "1"])
def test_a_text_that_cannot_be_parsed_is_none(text: str) -> None:
    assert parsed_or_none(text) is None
    assert expression_or_none(text) is None


def test_an_expression_may_have_white_space_around_it() -> None:
    node = expression_or_none("  f(1)\n")
    assert node is not None
    assert ast.unparse(node) == "f(1)"
    assert expression_or_none("a = 1") is None


BROKEN = "a = 1\rb = 2\r\nc = '\x0b\x0c\x1c\x85\u2028'\n\nd = 4"


@pytest.mark.parametrize("source", [BROKEN, BROKEN + "\r", BROKEN + "\r\n\n", "", "\r"])
def test_lines_with_their_ends_are_the_source_and_the_same_lines(source: str) -> None:
    lines = python_lines(source, keep_ends=True)
    assert "".join(lines) == source
    assert [line.rstrip("\r\n") for line in lines] == python_lines(source)[: len(lines)]
