import pytest

from refute.sandbox.output import STDERR, STDOUT, CappedOutput


def test_the_streams_are_kept_apart() -> None:
    output = CappedOutput(limit_bytes=100)
    assert output.feed(STDOUT, b"out")
    assert output.feed(STDERR, b"err")
    assert (output.text(STDOUT), output.text(STDERR)) == ("out", "err")


def test_a_stream_that_just_fits_is_not_cut() -> None:
    output = CappedOutput(limit_bytes=4)
    assert output.feed(STDOUT, b"1234")
    assert output.text(STDOUT) == "1234"
    assert not output.was_cut


def test_a_stream_over_the_limit_is_cut_with_a_marker() -> None:
    output = CappedOutput(limit_bytes=4)
    assert not output.feed(STDOUT, b"123456")
    assert output.text(STDOUT) == "1234\n[refute: output cut at 4 bytes]\n"
    assert output.was_cut


def test_a_flood_does_not_grow_memory() -> None:
    output = CappedOutput(limit_bytes=10)
    for _ in range(100):
        output.feed(STDERR, b"x" * 1_000)
    assert output.text(STDERR).startswith("x" * 10 + "\n[refute")


def test_one_stream_s_flood_leaves_the_other_s_room() -> None:
    output = CappedOutput(limit_bytes=4)
    output.feed(STDOUT, b"xxxxxx")
    assert output.feed(STDERR, b"err")
    assert output.text(STDERR) == "err"


@pytest.mark.parametrize(("data", "text"), [(b"\xff\xfe", "\ufffd\ufffd"), ("ünï".encode(), "ünï")])
def test_bytes_that_are_no_text_are_replaced(data: bytes, text: str) -> None:
    output = CappedOutput(limit_bytes=100)
    output.feed(STDOUT, data)
    assert output.text(STDOUT) == text


def test_a_stream_that_the_protocol_does_not_know_counts_as_stderr() -> None:
    output = CappedOutput(limit_bytes=100)
    output.feed(7, b"engine says")
    assert output.text(STDERR) == "engine says"
