import os
import shutil
from pathlib import Path

import pytest

from refute.driver.pristine import PristineFolder, empty_folder


def content(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_whatever_was_changed_is_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "deep.txt").write_text("deep")
    (folder / "script.sh").write_text("run")
    (folder / "script.sh").chmod(0o755)
    (folder / "kept").write_text("kept")
    pristine = PristineFolder(folder)
    before = content(folder)

    shutil.rmtree(folder / "a")
    (folder / "a").symlink_to(tmp_path)
    (folder / "script.sh").unlink()
    (folder / "kept").write_text("changed")
    (folder / "new").mkdir()
    (folder / "new" / "file").write_text("new")
    pristine.restore()

    assert content(folder) == before
    assert (folder / "script.sh").stat().st_mode & 0o777 == 0o755
    assert not (folder / "new").exists()


def test_an_untouched_file_is_not_written_again(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    pristine = PristineFolder(tmp_path)
    inode = (tmp_path / "x").stat().st_ctime_ns
    pristine.restore()
    assert (tmp_path / "x").stat().st_ctime_ns == inode


def deepen(folder: Path, depth: int) -> None:
    """Nest folders too deep for a path's name, and for recursion."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize("depth", [1, 1_500])
def test_a_folder_is_emptied_however_it_was_closed_nested_or_linked(tmp_path: Path, depth: int) -> None:
    folder, outside = tmp_path / "s", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "inner" / "file").write_text("x")
    (folder / ".refute-0").write_text("a name of ours")
    (folder / "link").symlink_to(outside)
    (folder / "bytes\udcff\n").write_text("x")
    os.mkfifo(folder / "fifo")
    deepen(folder / "closed", depth)
    (folder / "closed" / "inner").chmod(0)
    (folder / "closed").chmod(0)
    folder.chmod(0)
    empty_folder(folder)
    assert list(folder.iterdir()) == []
    assert (outside / "kept").read_text() == "kept"


@pytest.mark.parametrize("kind", ["file", "link", "none"])
def test_what_is_no_folder_becomes_an_empty_one(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "s"
    if kind == "file":
        target.write_text("x")
    elif kind == "link":
        target.symlink_to(tmp_path)
    empty_folder(target)
    assert (target.is_symlink(), target.is_dir(), list(target.iterdir())) == (False, True, [])


def test_a_workspace_that_was_closed_and_nested_too_deep_is_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "x").write_text("x")
    pristine = PristineFolder(folder)
    before = content(folder)
    deepen(folder, 1_500)
    (folder / "a").chmod(0)
    folder.chmod(0)
    pristine.restore()
    assert content(folder) == before
    assert sorted(folder.iterdir()) == [folder / "a"]
