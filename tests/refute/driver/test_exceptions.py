"""Errors that come of proxies are told from those of the code, and where a process stood by its stacks."""

import pytest

from refute.driver.exceptions import comes_of_proxy, stood_in_code


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


DUMP = """Thread 0x01 (most recent call first):
  File "/workspace/other.py", line 1 in thread

Current thread 0x02 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "{inner}", line 7 in inner
  File "{outer}", line 9 in outer
"""
TEST, CODE = "/attack/test_x.py", "/workspace/impl.py"
WAITS, OURS = "/opt/refute/driver/wire.py", "/opt/refute/driver/peer.py"


def stood(driver: tuple[str, str], inner: str = CODE) -> bool:
    dumps = DUMP.format(inner=driver[0], outer=driver[1]), DUMP.format(inner=inner, outer=OURS)
    return stood_in_code(*dumps, workspace="/workspace", test_path=TEST)


def test_the_subject_is_asked_while_the_driver_waits_for_it() -> None:
    assert stood((WAITS, TEST))
    assert not stood((TEST, WAITS))
    assert not stood((TEST, TEST))


def test_installed_packages_are_not_the_implementation() -> None:
    assert not stood((WAITS, TEST), "/workspace/.venv/lib/site-packages/x.py")


def test_without_a_dump_nothing_is_claimed() -> None:
    assert not stood_in_code("", "", workspace="/workspace", test_path=TEST)
