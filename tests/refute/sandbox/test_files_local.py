import os
import socket
import tarfile
from pathlib import Path

import pytest

from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.files import TooLargeError
from refute.sandbox.files_local import MAX_DEPTH, LocalFiles
from refute.sandbox.job import Limits
from refute.sandbox.readback import MAX_COLLECTED_BYTES, read_collected, read_touched_canary_files, read_workspace
from refute.sandbox.tree import read_originals
from tests.fakes.jobs import tar_of

BEFORE = {"a.py": b"A = 1\n", "data/b.csv": b"1,2\n"}
LIMITS = Limits(timeout_s=1)
ENDLESS = 10**9


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A container's root, as the kernel would show that of process 7; its workspace is as it was."""
    made = tmp_path / "7/root"
    for mount in ("workspace", "home", "attack"):
        (made / mount).mkdir(parents=True)
    for name, content in BEFORE.items():
        path = made / "workspace" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o644)
    for place, (content, mode) in CANARY_FILES.items():
        canary = made / place.lstrip("/")
        canary.parent.mkdir(parents=True, exist_ok=True)
        canary.write_bytes(content)
        canary.chmod(mode)
    return made


@pytest.fixture
def files(root: Path) -> LocalFiles:
    return LocalFiles(7, proc=root.parents[1])


def changed(files: LocalFiles) -> tuple[str, ...]:
    return read_workspace(files, read_originals(tar_of(BEFORE)), LIMITS).changed


def test_files_of_every_kind_are_seen_and_none_is_opened_but_regular_ones(root: Path, files: LocalFiles) -> None:
    place = root / "workspace"
    (place / "a.py").unlink()
    (place / "a.py").symlink_to("/etc/passwd")
    os.mkfifo(place / "fifo")
    (place / "out").symlink_to("/")
    (place / "new").mkdir()
    (place / "data/b.csv").write_bytes(b"1,3\n")
    os.close(os.open(os.fsencode(place) + b"/\xff\n\x1b", os.O_CREAT))
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place / "socket"))
    assert set(changed(files)) == {"a.py", "fifo", "out", "new/", "data/b.csv", "\\xff\\n\\x1b"}


def test_a_second_name_of_a_file_is_no_change_of_it(root: Path, files: LocalFiles) -> None:
    (root / "workspace/.a").hardlink_to(root / "workspace/a.py")
    (root / "home/subject/.a").hardlink_to(root / "home/subject/.bashrc")
    assert changed(files) == (".a",)
    assert read_touched_canary_files(files) == ()


def test_a_home_that_became_a_link_to_its_copy_is_not_followed(root: Path, files: LocalFiles) -> None:
    (root / "home/subject").rename(root / "home/elsewhere")
    (root / "home/subject").symlink_to("/home/elsewhere")
    assert set(read_touched_canary_files(files)) == {path for path in CANARY_FILES if path.startswith("/home/subject/")}
    assert list(files.members("/home/subject/.bashrc", ENDLESS)) == []


def test_holes_cost_nothing_and_the_rest_is_still_seen(root: Path, files: LocalFiles) -> None:
    for number in range(20):
        (root / f"workspace/sparse{number}").touch()
        os.truncate(root / f"workspace/sparse{number}", 100 << 30)
    state = read_workspace(files, read_originals(tar_of(BEFORE)), LIMITS)
    assert state.complete
    assert len(state.changed) == 20


def test_more_files_than_the_budget_are_a_flood(root: Path, files: LocalFiles) -> None:
    for number in range(30):
        (root / f"workspace/{number}").touch()
    with pytest.raises(TooLargeError):
        list(files.members("/workspace", 20 * tarfile.BLOCKSIZE))


def test_folders_that_are_too_deep_are_left_to_the_engine(root: Path, files: LocalFiles) -> None:
    (root / "workspace" / "/".join("d" * (MAX_DEPTH + 2))).mkdir(parents=True)
    with pytest.raises(OSError, match="too deep"):
        changed(files)


def test_only_regular_files_of_a_bounded_size_are_collected(root: Path, files: LocalFiles) -> None:
    place = root / "attack"
    (place / "good").write_bytes(b"x")
    (place / "link").symlink_to("good")
    (place / "folder").mkdir()
    (place / "folder/folder").write_bytes(b"x")
    os.mkfifo(place / "fifo")
    (place / "big").touch()
    os.truncate(place / "big", MAX_COLLECTED_BYTES + 1)
    assert read_collected(files, ["good", "link", "folder", "fifo", "big", "missing"]) == {"good": b"x"}


def test_a_file_that_became_something_else_while_it_was_read_is_an_error(root: Path, files: LocalFiles) -> None:
    for name, _, content in files.members("/workspace", ENDLESS):
        if name == "a.py":
            (root / "workspace/a.py").unlink()
            os.mkfifo(root / "workspace/a.py")
            with pytest.raises(OSError, match="no regular file"):
                content.read()


def test_a_container_of_another_machine_cannot_be_read(tmp_path: Path, files: LocalFiles) -> None:
    assert files.can_be_read()
    assert not LocalFiles(8, proc=tmp_path).can_be_read()


def test_a_container_that_ended_is_an_error_and_no_loss_of_canary_files(root: Path, files: LocalFiles) -> None:
    root.rename(root.with_name("gone"))
    with pytest.raises(FileNotFoundError):
        read_touched_canary_files(files)
    with pytest.raises(FileNotFoundError):
        read_collected(files, ["results"])
