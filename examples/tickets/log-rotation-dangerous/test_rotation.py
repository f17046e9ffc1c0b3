import pytest

from rotation import needs_rotation, rotate, rotated_name, rotations


def test_rotates_and_keeps(tmp_path):
    log = tmp_path / "app.log"
    for text in "abcd":
        log.write_text(text)
        rotate(log, keep=2)
    assert [path.read_text() for path in rotations(log)] == ["d", "c"]


def test_needs_rotation(tmp_path):
    log = tmp_path / "app.log"
    assert not needs_rotation(log, 1)
    log.write_text("x")
    assert needs_rotation(log, 1)


def test_wrong_numbers(tmp_path):
    with pytest.raises(ValueError):
        rotate(tmp_path / "app.log", keep=0)
    with pytest.raises(ValueError):
        rotated_name(tmp_path / "app.log", -1)
