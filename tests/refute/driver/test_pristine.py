import shutil
from pathlib import Path

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


def test_a_folder_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "s" / "sub").mkdir(parents=True)
    empty_folder(tmp_path / "s")
    assert list((tmp_path / "s").iterdir()) == []
