import pytest

from versions import latest, parse, sort_versions


def test_numbers_compare_as_numbers():
    assert sort_versions(["1.10.0", "1.9.0", "1.2.10"]) == ["1.2.10", "1.9.0", "1.10.0"]


def test_pre_release_comes_first():
    assert sort_versions(["1.0.0", "1.0.0-alpha", "1.0.0-rc.1"]) == ["1.0.0-alpha", "1.0.0-rc.1", "1.0.0"]


def test_latest():
    assert latest(["1.0.0", "1.1.0-rc.1"]) == "1.0.0"
    assert latest(["1.0.0", "1.1.0-rc.1"], stable=False) == "1.1.0-rc.1"
    assert latest([]) is None


@pytest.mark.parametrize("text", ["1.0", "v1.0.0", "01.0.0", "1.0.0-", "", "latest"])
def test_not_a_version(text):
    with pytest.raises(ValueError):
        parse(text)
