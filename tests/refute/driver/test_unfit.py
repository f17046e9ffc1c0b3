"""Errors that come of proxies are told from those of the code."""

import pytest

from refute.driver.exceptions import comes_of_proxy
from refute.driver.known import is_of_failing


@pytest.mark.parametrize(
    "text",
    [
        "a bytes-like object is required, not 'mmap'",
        "argument 1 must be mmap.mmap, not mmap",
        "cannot convert 'mmap' object to bytes",
        "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass",
    ],
)
def test_a_type_error_about_a_stand_in_is_no_failure_of_the_code(text: str) -> None:
    assert comes_of_proxy(TypeError(text), {"mmap"}) is not None


@pytest.mark.parametrize(
    "error",
    [
        TypeError("unsupported operand type(s) for +: 'mmap' and 'int'"),
        TypeError("'mmap' object is not callable"),
        TypeError("a bytes-like object is required, not 'int'"),
        TypeError("mmap.read() takes at most 1 argument (2 given)"),
        TypeError("mmapped"),
        ValueError("mmap length is greater than file size"),
    ],
    ids=str,
)
def test_other_errors_are_the_code_s_own(error: Exception) -> None:
    assert comes_of_proxy(error, {"mmap"}) is None


def test_nothing_is_asked_of_what_may_be_handed_over() -> None:
    class Array:
        def __eq__(self, other: object) -> bool:
            raise ValueError("the truth value of an array is ambiguous")

        __hash__ = None  # type: ignore[assignment]

    assert not is_of_failing(Array())
