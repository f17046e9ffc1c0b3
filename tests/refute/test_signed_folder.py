"""Signed files: whole or not at all, and nothing but what refute itself wrote is ever handed on."""

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from refute.errors import InfrastructureError, SettingsInvalid
from refute.settings import Settings
from refute.signed_folder import MAX_BYTES, SignedFolder, Unusable, signing_key

KEY = b"k" * 32
CONTENT = b'{"not": "text"}\n\x00\xff'


@pytest.fixture
def folder(tmp_path: Path) -> SignedFolder:
    """A folder with one file, `a`."""
    folder = SignedFolder(tmp_path / "folder", key=KEY)
    folder.write("a", CONTENT)
    return folder


def test_what_was_written_is_read_by_everybody_who_has_the_key(folder: SignedFolder, tmp_path: Path) -> None:
    folder.write("empty", b"")
    other = SignedFolder(tmp_path / "folder", key=KEY)
    assert (other.read("a"), other.read("empty"), other.read("b")) == (CONTENT, b"", None)


def test_files_are_for_this_user_alone(folder: SignedFolder) -> None:
    path = folder.file("a")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content + b" ",
        lambda content: content.replace(b"not", b"yes"),
        lambda content: content.replace(b"refute 1 ", b"refute 2 "),
        lambda content: content.partition(b"\n")[2],
        lambda _: b"",
        lambda _: b"\n" * 100,
    ],
)
def test_an_edited_file_is_not_read(folder: SignedFolder, edit: Callable[[bytes], bytes]) -> None:
    path = folder.file("a")
    path.write_bytes(edit(path.read_bytes()))
    with pytest.raises(Unusable, match=r"not signed|changed"):
        folder.read("a")


def test_a_renamed_file_is_not_read_nor_one_signed_with_another_key(folder: SignedFolder, tmp_path: Path) -> None:
    folder.file("a").rename(folder.file("b"))
    with pytest.raises(Unusable, match="renamed"):
        folder.read("b")
    SignedFolder(tmp_path / "folder", key=b"o" * 32).write("a", CONTENT)
    with pytest.raises(Unusable, match="another key"):
        folder.read("a")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "huge"])
def test_what_is_no_plain_file_is_not_read(folder: SignedFolder, tmp_path: Path, kind: str) -> None:
    path = folder.file("a")
    moved = path.rename(tmp_path / "elsewhere")
    {
        "link": lambda: path.symlink_to(moved),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "huge": lambda: os.truncate(moved.rename(path), 2 * MAX_BYTES),
    }[kind]()
    with pytest.raises(Unusable):
        folder.read("a")


def test_what_is_too_large_is_not_kept_and_takes_what_was_there_with_it(folder: SignedFolder) -> None:
    folder.write("a", b"x" * MAX_BYTES)
    assert len(folder.read("a") or b"") == MAX_BYTES
    folder.write("a", b"x" * (MAX_BYTES + 1))
    assert folder.read("a") is None


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "../a", "/a", "a/b", "a\0"])
def test_names_lead_nowhere_else(folder: SignedFolder, name: str) -> None:
    for use in (folder.read, folder.remove, folder.touch, lambda name: folder.write(name, b"")):
        with pytest.raises(ValueError, match="plain file name"):
            use(name)


def test_many_may_write_and_read_the_same_file_at_once(folder: SignedFolder) -> None:
    seen: list[bytes | None] = []

    def work() -> None:
        for _ in range(30):
            folder.write("a", b"x" * 50_000)
            seen.append(folder.read("a"))

    crew = [threading.Thread(target=work) for _ in range(4)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert seen == [b"x" * 50_000] * 120


def test_the_key_is_the_setting_s_or_made_once_for_the_state_directory(tmp_path: Path) -> None:
    given = "0123456789abcdef" * 2
    assert signing_key(Settings.load(state_dir=tmp_path / "s", signing_key=given)) == given.encode()
    assert not (tmp_path / "s").exists()
    key = signing_key(Settings.load(state_dir=tmp_path / "s", signing_key=""))
    assert (
        signing_key(Settings.load(state_dir=tmp_path / "s")) == key != signing_key(Settings(state_dir=tmp_path / "t"))
    )
    assert (tmp_path / "s" / "signing.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["signing.key"]


@pytest.mark.slow
def test_processes_that_make_the_key_at_once_get_the_same(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state")
    # Not `Pool`, which ends its processes by a signal: one that held a lock then keeps the others for ever.
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert len(set(pool.map(signing_key, [settings] * 6))) == 1


def _let_others_read(path: Path) -> None:
    path.chmod(0o640)


def _link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere")))


@pytest.mark.parametrize(
    ("harm", "error", "told"),
    [
        (_let_others_read, SettingsInvalid, "others may know this key .* mode 640"),
        (lambda path: os.truncate(path, 0), SettingsInvalid, "got 0 characters, expected 64"),
        (lambda path: os.truncate(path, 65), SettingsInvalid, "at most 64 bytes"),
        (_link, InfrastructureError, "signing.key: .*symbolic links"),
    ],
)
def test_a_key_that_others_may_know_is_refused(
    tmp_path: Path, harm: Callable[[Path], object], error: type[Exception], told: str
) -> None:
    settings = Settings(state_dir=tmp_path / "state")
    signing_key(settings)
    harm(settings.state_dir / "signing.key")
    with pytest.raises(error, match=told):
        signing_key(settings)
