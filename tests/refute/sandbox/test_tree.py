import tarfile

import pytest

from refute.sandbox.tree import MAX_REPORTED, bounded, pack_files, plain_name, printable, read_originals
from tests.fakes.jobs import tar_of


def test_a_workspace_is_indexed_by_plain_path() -> None:
    originals = read_originals(tar_of({"./src/a.py": b"A = 1", "b.txt": b""}))
    assert {path: bytes(original.content) for path, original in originals.items()} == {
        "src/a.py": b"A = 1",
        "b.txt": b"",
    }
    assert originals["src/a.py"].kind == tarfile.REGTYPE


@pytest.mark.parametrize(("name", "plain"), [(".", ""), ("./", ""), ("./a", "a"), ("a/", "a"), (".git", ".git")])
def test_a_member_s_name_is_made_plain(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", "", "a/.."])
def test_a_path_that_leaves_its_folder_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="relative one"):
        pack_files({path: b""})


def test_files_are_packed_with_their_content() -> None:
    packed = read_originals(pack_files({"plan.json": b"{}", "lib/x.py": b"X = 1"}))
    assert {path: bytes(original.content) for path, original in packed.items()} == {
        "plan.json": b"{}",
        "lib/x.py": b"X = 1",
    }


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ünï.py", "ünï.py"),
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eabc", "\\u202eabc"),
        ("\udcff\udcfe", "\\xff\\xfe"),
    ],
)
def test_a_hostile_name_is_shown_escaped(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_an_endless_name_is_cut() -> None:
    assert len(printable("d/" * 2_000)) < 500


def test_a_long_list_is_cut_and_says_so() -> None:
    shown = bounded((f"f{number}" for number in range(MAX_REPORTED + 5)), unread=False)
    assert len(shown) == MAX_REPORTED + 1
    assert shown[-1] == "… and 5 more"


def test_a_list_that_may_lack_something_says_so() -> None:
    assert "too large" in bounded(["a"], unread=True)[-1]
