"""Bodies as they come: encodings, wrong declarations, no HTML, nothing at all."""

import pytest

from refute.research.page import Unreadable, decode, read_page

TEXT = "Die Birnen kosten 3 € — süß!"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode(), None),
        (TEXT.encode(), "ascii-of-mars"),
        (TEXT.encode("cp1252"), "iso-8859-1"),
        (TEXT.encode("cp1252"), None),
        (TEXT.encode("cp1252"), "utf-8"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "iso-8859-1"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), None),
        (TEXT.encode("utf-16-le"), "utf-16le"),
        (b'<meta charset="windows-1252">' + TEXT.encode("cp1252"), None),
    ],
)
def test_a_body_is_decoded_whatever_it_declares(body, charset):
    assert decode(body, charset).endswith(TEXT)


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7\n\0\xff", b"PK\x03\x04\0\0"])
def test_what_is_no_text_is_refused_whatever_it_declares(body):
    with pytest.raises(Unreadable, match="binary"):
        read_page(body, "text/html", "utf-8")


@pytest.mark.parametrize(
    "body", [b"", b"   ", b"<", b"<!-- -->", b"<html></html>", b"\xff" * 50, b"&#0;", b"<p>\xed\xa0\x80"]
)
def test_nothing_is_nothing(body):
    assert len(read_page(body, "text/html", "utf-8").text) <= 50


def test_markup_of_plain_text_is_text():
    assert read_page(b"<p hidden>x</p>", "text/plain", None).text == "<p hidden>x</p>"


def test_deep_nesting_ends_nothing():
    read = read_page(b"<div>" * 5_000 + b"pears" + b"</div>" * 5_000, "text/html", "utf-8")
    assert len(read.text) < 100
