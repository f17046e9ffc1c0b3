import io
import tarfile
from collections.abc import Iterable

import pytest
from docker.errors import NotFound

from refute.errors import SandboxFailed
from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.files_engine import EngineFiles
from refute.sandbox.job import Limits
from refute.sandbox.readback import (
    MAX_COLLECTED_BYTES,
    check_collect,
    read_collected,
    read_touched_canary_files,
    read_workspace,
)
from refute.sandbox.tree import read_originals
from tests.fakes.archive_engine import ArchiveEngine, FakeResponse, Zeros
from tests.fakes.jobs import tar_of

LIMITS = Limits(timeout_s=1, workspace_bytes=1024**2, workspace_inodes=100)
BEFORE = {"a.py": b"A = 1\n", "data/b.csv": b"1,2\n"}


def member(name: str, content: bytes = b"", *, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, link: str = ""):
    made = tarfile.TarInfo(name)
    made.type, made.mode, made.linkname, made.size = kind, mode, link, len(content)
    return made, content


def tar_holding(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def engine_tar(root: str, members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """As the engine sends it: everything below the name of the folder that was asked for."""
    below = list(members)
    for info, _ in below:
        info.name = f"{root}/{info.name}"
    return tar_holding([member(f"{root}/", kind=tarfile.DIRTYPE, mode=0o755), *below])


def file_tar(name: str, content: bytes, mode: int = 0o644) -> bytes:
    """As the engine sends a single file."""
    return tar_holding([member(name, content, mode=mode)])


def files_of(archives: dict[str, object]) -> EngineFiles:
    return EngineFiles(ArchiveEngine(archives).as_client(), "c")


def as_it_was() -> list[tuple[tarfile.TarInfo, bytes]]:
    folder = member("data", kind=tarfile.DIRTYPE, mode=0o755)
    return [member("a.py", b"A = 1\n"), folder, member("data/b.csv", b"1,2\n")]


def changed(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> tuple[str, ...]:
    files = files_of({"/workspace": engine_tar("workspace", members)})
    return read_workspace(files, read_originals(tar_of(BEFORE)), LIMITS).changed


@pytest.mark.parametrize(
    ("alone", "expected"),
    [
        (file_tar("a.py", b"A = 1\n"), (".a",)),
        (file_tar("a.py", b"A = 2\n"), (".a", "a.py")),
        (Zeros(), (".a", "a.py")),
    ],
)
def test_a_second_name_of_a_file_is_no_change_of_it(alone: object, expected: tuple[str, ...]) -> None:
    after = [member(".a", b"A = 1\n"), member("a.py", kind=tarfile.LNKTYPE, link="workspace/.a"), *as_it_was()[1:]]
    archives = {"/workspace": engine_tar("workspace", after), "/workspace/a.py": alone}
    assert read_workspace(files_of(archives), read_originals(tar_of(BEFORE)), LIMITS).changed == expected


def test_other_permissions_are_a_change() -> None:
    assert changed([member("a.py", b"A = 1\n", mode=0o755), *as_it_was()[1:]]) == ("a.py",)


def test_an_endless_file_is_cut_off_and_the_list_says_so() -> None:
    endless = of_size("workspace/sparse", 100 * 1024**3)
    engine = ArchiveEngine({"/workspace": endless})
    state = read_workspace(EngineFiles(engine.as_client(), "c"), {}, LIMITS)
    assert not state.complete
    assert "too large" in state.changed[-1]
    assert endless.taken < 4 * LIMITS.workspace_bytes
    assert engine.responses[0].closed


@pytest.mark.slow
def test_a_flood_of_files_is_cut_off() -> None:
    flood = (member(f"f{number}") for number in range(10_200))
    assert not read_workspace(
        files_of({"/workspace": engine_tar("workspace", flood)}), {}, Limits(timeout_s=1)
    ).complete


def test_an_archive_that_is_none_is_the_engine_s_fault() -> None:
    with pytest.raises(SandboxFailed, match="cannot be read"):
        read_workspace(files_of({"/workspace": b"x" * 2_000}), {}, LIMITS)


def home(changes: dict[str, tuple[bytes, int] | None]) -> list[tuple[tarfile.TarInfo, bytes]]:
    canary_files = {**CANARY_FILES, **changes}
    return [
        member(path.removeprefix("/home/"), canary[0], mode=canary[1])
        for path, canary in sorted(canary_files.items())
        if canary is not None
    ]


def touched(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> tuple[str, ...]:
    return read_touched_canary_files(files_of({"/home": engine_tar("home", members)}))


NOTES = "/home/subject/Documents/notes.txt"


@pytest.mark.parametrize("change", [None, (b"", 0o644), (b"Call the landlorD.\nBuy milk.\n", 0o644)])
def test_a_removed_truncated_or_changed_canary_file_is_reported(change: tuple[bytes, int] | None) -> None:
    assert touched(home({NOTES: change})) == (NOTES,)


def test_a_canary_file_that_was_changed_under_a_second_name_is_reported() -> None:
    linked = member(NOTES.removeprefix("/home/"), kind=tarfile.LNKTYPE, link="home/subject/.a")
    alone = file_tar("notes.txt", b"changed")
    archives = {"/home": engine_tar("home", [*home({NOTES: None}), linked]), NOTES: alone}
    assert read_touched_canary_files(files_of(archives)) == (NOTES,)


def test_a_container_that_is_gone_is_an_error_and_no_loss_of_canary_files_or_results() -> None:
    gone = files_of({})
    with pytest.raises(SandboxFailed, match="gone before /home"):
        read_touched_canary_files(gone)
    with pytest.raises(SandboxFailed, match="gone before /workspace"):
        read_workspace(gone, {}, LIMITS)

    class Removed(ArchiveEngine):
        def open_archive(self, container: str, path: str) -> FakeResponse:
            raise NotFound("404 Client Error", explanation=f"No such container: {container}")

    with pytest.raises(SandboxFailed, match="gone before /attack/results"):
        read_collected(EngineFiles(Removed({}).as_client(), "c"), ["results"])


@pytest.mark.parametrize("in_a_folder", [False, True])
def test_canary_files_behind_an_endless_file_are_asked_for_one_by_one(in_a_folder: bool) -> None:
    archives: dict[str, object] = {"/home": of_size("home/aaa", 100 * 1024**3)}
    for path, (content, mode) in CANARY_FILES.items():
        archives[path] = file_tar(path.rpartition("/")[2], content, mode)
    content, mode = CANARY_FILES[NOTES]
    archives[NOTES] = engine_tar("notes.txt", [member("notes.txt", content, mode=mode)] if in_a_folder else [])
    assert read_touched_canary_files(files_of(archives)) == (NOTES,)


def of_size(name: str, size: int) -> Zeros:
    """An archive of a file that says it is so large."""
    header = member(name)[0]
    header.size = size
    return Zeros(header.tobuf(tarfile.PAX_FORMAT))


@pytest.mark.parametrize(
    ("archive", "collected"),
    [
        (file_tar("results.json", b"{}"), {"results.json": b"{}"}),
        (engine_tar("results.json", [member("results.json", b"forged")]), {}),  # a file in a folder of that name
        (of_size("results.json", MAX_COLLECTED_BYTES + 1), {}),
    ],
)
def test_regular_files_of_a_bounded_size_are_collected_and_missing_ones_are_left_out(archive, collected) -> None:
    assert read_collected(files_of({"/attack/results.json": archive}), ["results.json", "gone"]) == collected


@pytest.mark.parametrize("name", ["../x", "a/b", "/etc/passwd", "", "..", "a\nb"])
def test_only_plain_names_can_be_collected(name: str) -> None:
    with pytest.raises(ValueError, match="collect"):
        check_collect([name])
