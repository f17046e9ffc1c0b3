import pytest

from urlnorm import normalize


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        ("HTTP://Example.COM:80/", "http://example.com/"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/?b=2&a=1&utm_medium=mail", "https://example.com/?a=1&b=2"),
    ],
)
def test_normalize(url, normalized):
    assert normalize(url) == normalized


def test_other_schemes_are_refused():
    with pytest.raises(ValueError):
        normalize("ftp://example.com/")
