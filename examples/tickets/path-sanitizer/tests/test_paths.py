import pytest

from uploads.paths import UnsafePath, is_beneath, join_beneath, safe_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("Résumé (final).pdf", "Resume_final_.pdf"),
        ("../../etc/passwd", "etc_passwd"),
        ("a\0b\nc", "a_b_c"),
        ("", "file"),
        ("...", "file"),
        ("CON", "file_CON"),
        ("lpt1.txt", "file_lpt1.txt"),
        ("console", "console"),
    ],
)
def test_names(name, safe):
    assert safe_name(name) == safe


def test_long_names_are_cut():
    assert len(safe_name("x" * 500, max_length=20)) == 20


@pytest.mark.parametrize("path", ["/etc/passwd", "..", "a/../../b", "a\\..\\b", "a\0b"])
def test_paths_that_leave(path):
    with pytest.raises(UnsafePath):
        join_beneath("/srv", path)
    assert not is_beneath("/srv", path)


def test_joined_path_names_a_real_file(tmp_path):
    target = join_beneath(str(tmp_path), "a/./b/../report.txt")
    (tmp_path / "a").mkdir()
    with open(target, "w") as stream:
        stream.write("content")
    assert (tmp_path / "a" / "report.txt").read_text() == "content"
