import pytest

from appsettings import Settings, load, parse_bool, parse_count


def test_defaults():
    assert load([]) == Settings()


def test_all_settings(tmp_path):
    path = tmp_path / "worker.env"
    path.write_text("WORKERS=8\nDEBUG=on\n# a comment\nQUEUE=mail\n")
    with path.open() as stream:
        assert load(stream) == Settings(workers=8, debug=True, queue="mail")


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("OFF", False), (" 1 ", True)])
def test_truth_values(text, value):
    assert parse_bool(text) is value


@pytest.mark.parametrize("text", ["0", "-1", "many", ""])
def test_wrong_counts(text):
    with pytest.raises(ValueError):
        parse_count(text)
