"""Freezing a workspace: what is in, what is left out and why, and what is refused (S270, S280)."""

import io
import os
import socket
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from refute.errors import InfrastructureError, SnapshotCorrupted, SnapshotRefused
from refute.ticket import checkout, reading, selection
from refute.ticket.parse import load_ticket
from refute.ticket.record import Snapshot
from refute.ticket.snapshot import take_snapshot
from refute.ticket.store import SANDBOX_UID, Frozen, SnapshotStore, pack
from tests.refute.ticket.conftest import Git, MakeTicket

MEGABYTE = 1_000_000


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "state" / "snapshots")


def frozen(path: Path, store: SnapshotStore, **limits: Any) -> Snapshot:
    return take_snapshot(load_ticket(path), store=store, **{"max_bytes": MEGABYTE, "max_files": 100, **limits})


def paths(snapshot: Snapshot) -> set[str]:
    return {file.path for file in snapshot.files}


def reasons(snapshot: Snapshot) -> dict[str, str]:
    return {left.path: left.reason for left in snapshot.left_out}


def refusal(path: Path, store: SnapshotStore, **limits: Any) -> str:
    with pytest.raises(SnapshotRefused) as caught:
        frozen(path, store, **limits)
    return str(caught.value)


def test_outside_a_checkout_all_files_are_in(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    (workspace / "tests").mkdir()
    (workspace / "tests/conftest.py").write_text("")
    assert paths(frozen(make_ticket(), store)) == {"thing.py", "verify.sh", "ticket.yaml", "tests/conftest.py"}


def test_content_is_kept_byte_for_byte(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    contents = {
        "crlf.txt": b"a\r\nb\r\n",
        "empty.txt": b"",
        "binary.bin": bytes(range(256)),
        "bom.py": b"\xef\xbb\xbfx=1",
    }
    for name, data in contents.items():
        (workspace / name).write_bytes(data)
    snapshot = frozen(make_ticket(), store)
    assert {name: store.contents(snapshot)[name] for name in contents} == contents


def test_odd_names_survive(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    odd = [
        "with space.txt",
        "naïve-日本.txt",
        "new\nline.txt",
        "tab\t'quote\".txt",
        "back\\slash.txt",
        "-rf",
        "l" * 200,
    ]
    for name in odd:
        (workspace / name).write_text(name)
    snapshot = frozen(make_ticket(), store)
    assert {name: store.contents(snapshot)[name].decode() for name in odd} == {name: name for name in odd}


def test_an_odd_name_can_be_the_ticket_s_own(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    (workspace / "vérify it\n.sh").write_text("true\n")
    assert "vérify it\n.sh" in paths(frozen(make_ticket(verification_script="vérify it\n.sh"), store))


def test_a_name_that_is_not_utf8_is_refused(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    Path(os.fsdecode(os.fsencode(workspace) + b"/caf\xe9")).write_text("")
    assert "is not UTF-8" in refusal(make_ticket(), store)


def test_the_executable_bit_is_kept(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    (workspace / "verify.sh").chmod(0o750)
    modes = {file.path: file.executable for file in frozen(make_ticket(), store).files}
    assert (modes["verify.sh"], modes["thing.py"]) == (True, False)


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.production",
        "id_rsa",
        "ID_ED25519",
        "server.pem",
        "tls.key",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        "credentials.json",
        "store.p12",
        ".aws/config",
        ".ssh/known_hosts",
        "home/.docker/config.json",
        "home/.config/gcloud/legacy/x.db",
    ],
)
def test_credentials_are_left_out_with_the_reason(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, name: str
) -> None:
    (workspace / name).parent.mkdir(parents=True, exist_ok=True)
    (workspace / name).write_text("secret")
    snapshot = frozen(make_ticket(), store)
    assert name not in paths(snapshot)
    assert any(name.startswith(path) and "credentials" in reason for path, reason in reasons(snapshot).items())


@pytest.mark.parametrize(
    "name", ["secrets.py", "credentials/__init__.py", ".env.example", "keys.py", ".docker/Dockerfile"]
)
def test_names_that_only_sound_like_credentials_are_in(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, name: str
) -> None:
    (workspace / name).parent.mkdir(exist_ok=True)
    (workspace / name).write_text("x")
    assert name in paths(frozen(make_ticket(), store))


def test_a_private_key_under_any_name_is_left_out(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "deploy").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    assert reasons(frozen(make_ticket(), store)) == {"deploy": "is a private key (by its content)"}


def test_a_ticket_that_names_credentials_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / ".env").write_text("A=1")
    assert "'.env': may hold credentials (by its name), but the ticket names it" in refusal(
        make_ticket(verification_script=".env"), store
    )


def test_version_control_caches_and_environments_are_left_out(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    for name in ("__pycache__/a.pyc", "node_modules/b.js", "env/pyvenv.cfg", "sub/.git/config", ".hg/x"):
        (workspace / name).parent.mkdir(parents=True)
        (workspace / name).write_text("")
    snapshot = frozen(make_ticket(), store)
    assert paths(snapshot) == {"thing.py", "verify.sh", "ticket.yaml"}
    assert set(reasons(snapshot)) == {"__pycache__/", "node_modules/", "env/", "sub/.git/", ".hg/"}


def test_include_brings_back_a_cache_but_never_credentials(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    for name in ("node_modules/b.js", "node_modules/.npmrc"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text("")
    snapshot = frozen(make_ticket(include=["node_modules/**", "*.nothing"]), store)
    assert "node_modules/b.js" in paths(snapshot)
    assert "node_modules/.npmrc" not in paths(snapshot)
    assert reasons(snapshot)["*.nothing"] == "a glob under include that matches no file"


def test_in_a_checkout_only_tracked_files_are_in_and_what_the_ticket_names(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket(include=["data/*.csv"])
    for name in ("tracked.py", "untracked.py", "ignored.log", "data/rows.csv", "data/rows.bin", ".env"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text("x")
    (workspace / ".gitignore").write_text("*.log\ndata/\n.env\n")
    git(workspace, "init", "-q")
    git(workspace, "add", "tracked.py", "verify.sh", ".gitignore")
    snapshot = frozen(path, store)
    assert paths(snapshot) == {"tracked.py", "verify.sh", ".gitignore", "thing.py", "data/rows.csv"}
    said = reasons(snapshot)
    assert said[".git"] == "version control"
    assert said["untracked.py"].startswith("not tracked by git")
    assert said["ignored.log"] == "ignored by git"
    assert "credentials" in said[".env"]
    assert path.name not in said, "no code needs the ticket itself"


def test_what_refute_writes_itself_is_left_out(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    path = make_ticket()
    before = frozen(path, store)
    own = [workspace / "logs/audit.jsonl", workspace / "state", workspace, workspace.parent]
    for name in ("logs/audit.jsonl", "state/ledger.sqlite", "state/runs/r/x.py"):
        (workspace / name).parent.mkdir(exist_ok=True, parents=True)
        (workspace / name).write_text("x")
    (workspace / "link.jsonl").symlink_to("logs/audit.jsonl")
    snapshot = frozen(path, store, own=own)
    assert snapshot.digest == before.digest
    said = reasons(snapshot)
    assert {said["logs/audit.jsonl"], said["state/ledger.sqlite"]} == {"written by refute itself"}
    assert said["link.jsonl"] == "a symlink to 'logs/audit.jsonl': written by refute itself"


def test_a_ticket_that_names_what_refute_writes_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    assert "written by refute itself, but the ticket names it" in refusal(
        make_ticket(), store, own=[workspace / "thing.py"]
    )


def test_new_tests_that_the_script_names_are_in_before_they_are_committed(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    (workspace / "verify.sh").write_text("python -m pytest ./checks test_new.py::test_it .\n")
    for name in ("checks/sub/test_deep.py", "test_new.py", "scratch.py", "checks/ignored.log"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("")
    (workspace / ".gitignore").write_text("*.log\n")
    git(workspace, "init", "-q")
    git(workspace, "add", "thing.py")
    snapshot = frozen(path, store)
    assert paths(snapshot) == {"thing.py", "verify.sh", "checks/sub/test_deep.py", "test_new.py"}
    assert set(reasons(snapshot)) == {".git", ".gitignore", "checks/ignored.log", "scratch.py"}


def test_of_very_many_untracked_files_only_the_directories_are_listed(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "_MAX_LISTED", 2)
    path = make_ticket()
    (workspace / "many").mkdir()
    for number in range(5):
        (workspace / "many" / str(number)).write_text("")
    git(workspace, "init", "-q")
    git(workspace, "add", "thing.py", "verify.sh")
    assert set(reasons(frozen(path, store))) == {".git", "many/"}


def test_a_workspace_below_the_top_of_a_checkout_sees_only_itself(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    (workspace.parent / "beside.py").write_text("")
    git(workspace.parent, "init", "-q")
    git(workspace.parent, "add", ".")
    assert paths(frozen(path, store)) == {"thing.py", "verify.sh", "ticket.yaml"}


def test_where_git_tracks_nothing_all_files_are_in(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    (workspace / "test_thing.py").write_text("")
    git(workspace.parent, "init", "-q")
    assert "test_thing.py" in paths(frozen(path, store))


def test_uncommitted_content_is_what_is_frozen(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    (workspace / "gone.py").write_text("")
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    (workspace / "thing.py").write_text("changed = True\n")
    (workspace / "gone.py").unlink()
    snapshot = frozen(path, store)
    assert store.contents(snapshot)["thing.py"] == b"changed = True\n"
    assert reasons(snapshot)["gone.py"] == "does not exist on disk"


def test_a_submodule_brings_its_files(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git, tmp_path: Path
) -> None:
    path = make_ticket()
    library = tmp_path / "library"
    library.mkdir()
    (library / "lib.py").write_text("")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "lib")
    git(workspace, "init", "-q")
    git(workspace, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor")
    git(workspace, "add", ".")
    assert "vendor/lib.py" in paths(frozen(path, store))
    git(workspace, "submodule", "--quiet", "deinit", "-f", "vendor")
    assert reasons(frozen(path, store))["vendor"] == "a submodule that is not checked out"


def test_a_hostile_checkout_cannot_start_a_program(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git, tmp_path: Path
) -> None:
    path = make_ticket()
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    git(workspace, "config", "core.fsmonitor", f"touch {tmp_path}/pwned; false")
    git(workspace, "config", "core.hooksPath", str(tmp_path))
    assert "thing.py" in paths(frozen(path, store))
    assert not (tmp_path / "pwned").exists()


def test_the_caller_s_git_variables_do_not_count(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_ticket()
    git(workspace, "init", "-q")
    git(workspace, "add", "thing.py")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    assert paths(frozen(path, store)) == {"thing.py", "verify.sh"}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a checkout away")
def test_a_checkout_of_another_user_is_read(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    git(workspace, "init", "-q")
    git(workspace, "add", "thing.py", "verify.sh")
    subprocess.run(["chown", "-R", "1000:1000", str(workspace)], check=True)
    assert paths(frozen(path, store)) == {"thing.py", "verify.sh"}


def test_a_broken_checkout_is_refused_rather_than_guessed(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    path = make_ticket()
    (workspace / ".git").write_text("gitdir: /nonexistent\n")
    assert "`git ls-files` failed" in refusal(path, store)


def test_a_missing_git_is_said(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = make_ticket()
    (workspace / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed" in refusal(path, store)


def test_a_symlink_to_a_file_inside_becomes_its_content(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "alias.py").symlink_to("thing.py")
    (workspace / "absolute.py").symlink_to(workspace / "thing.py")
    snapshot = frozen(make_ticket(), store)
    contents = store.contents(snapshot)
    assert contents["alias.py"] == contents["absolute.py"] == b"def thing():\n    return 1\n"


def test_a_symlink_to_a_directory_inside_shows_its_files_twice(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "v1/deep").mkdir(parents=True)
    (workspace / "v1/deep/data.txt").write_text("d")
    (workspace / "latest").symlink_to("v1")
    assert store.contents(frozen(make_ticket(), store))["latest/deep/data.txt"] == b"d"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.txt", "/nonexistent/x", "/", ".."])
def test_a_symlink_that_leaves_the_workspace_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, target: str
) -> None:
    (workspace / "link").symlink_to(target)
    assert "'link': is a symlink that leaves the workspace" in refusal(make_ticket(), store)


def test_a_named_file_behind_a_directory_link_out_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/thing.py").write_text("")
    (workspace / "linked").symlink_to(tmp_path / "outside")
    assert "leaves the workspace" in refusal(make_ticket(implementation_files=["linked/thing.py"]), store)


def test_links_that_lead_nowhere_are_left_out(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    (workspace / "dangling").symlink_to("absent")
    (workspace / "loop").symlink_to("pool")
    (workspace / "pool").symlink_to("loop")
    (workspace / "self").symlink_to(".")
    (workspace / ".env").write_text("")
    (workspace / "harmless").symlink_to(".env")
    said = reasons(frozen(make_ticket(), store))
    assert said["dangling"] == "a symlink to 'absent', which does not exist"
    assert said["loop"] == said["pool"] == "a symlink that leads to itself"
    assert said["self"] == "a symlink to the directory '.', which holds the link itself"
    assert "credentials" in said["harmless"]


def test_a_named_file_that_is_a_loop_is_refused(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    (workspace / "loop.sh").symlink_to("loop.sh")
    assert "leads to itself, but the ticket names it" in refusal(make_ticket(verification_script="loop.sh"), store)


def test_pipes_and_sockets_are_left_out_without_being_opened(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(workspace / "pipe")
    monkeypatch.chdir(workspace)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        said = reasons(frozen(make_ticket(), store))
    assert said == dict.fromkeys(["pipe", "socket"], "neither a regular file nor a directory")


def test_too_many_bytes_name_the_largest_before_anything_is_read(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    with (workspace / "huge.bin").open("wb") as stream:
        stream.truncate(10**12)
    said = refusal(make_ticket(), store)
    assert "'huge.bin': 1,000,000,000,000 bytes" in said
    assert "expected at most 100 files with 1,000,000 bytes" in said


def test_too_many_files_name_the_fullest_directories(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "many").mkdir()
    for number in range(20):
        (workspace / "many" / str(number)).write_text("")
    assert "'many/': 20 files" in refusal(make_ticket(), store, max_files=10)


def test_the_digest_depends_on_content_mode_path_and_claims_but_not_on_the_place(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, tmp_path: Path
) -> None:
    first = frozen(make_ticket(), store).digest
    os.utime(workspace / "thing.py", (1, 1))
    moved = workspace.rename(tmp_path / "elsewhere")
    assert frozen(moved / "ticket.yaml", store).digest == first
    moved.rename(workspace)
    digests = {first, frozen(make_ticket(claims=["thing() returns 2."]), store).digest}
    make_ticket()
    (workspace / "verify.sh").chmod(0o755)
    digests.add(frozen(workspace, store).digest)
    (workspace / "thing.py").write_text("def thing():\n    return 2\n")
    digests.add(frozen(workspace, store).digest)
    (workspace / "empty.py").write_text("")
    digests.add(frozen(workspace, store).digest)
    assert len(digests) == 5


def test_what_changes_after_the_snapshot_is_not_in_it(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    snapshot = frozen(make_ticket(), store)
    (workspace / "thing.py").write_text("changed\n")
    assert store.contents(snapshot)["thing.py"] == b"def thing():\n    return 1\n"


def test_the_workspace_is_not_written(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git) -> None:
    path = make_ticket()
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    before = {file: file.stat().st_mtime_ns for file in workspace.rglob("*")}
    frozen(path, store)
    assert {file: file.stat().st_mtime_ns for file in workspace.rglob("*")} == before


def test_the_archive_is_deterministic_and_belongs_to_the_sandbox_user(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "a/b").mkdir(parents=True)
    (workspace / "a/b/c.txt").write_text("c")
    snapshot = frozen(make_ticket(), store)
    data = pack(snapshot.files, store.contents(snapshot))
    again = frozen(make_ticket(), store)
    assert data == pack(again.files, store.contents(again)) == snapshot.archive.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        entries = archive.getmembers()
    assert [entry.name for entry in entries if entry.isdir()] == ["a", "a/b"]
    assert {(entry.uid, entry.gid, entry.mtime) for entry in entries} == {(SANDBOX_UID, SANDBOX_UID, 0)}
    assert {entry.mode for entry in entries if entry.isreg()} == {0o644}


def test_a_changed_archive_is_noticed(workspace: Path, make_ticket: MakeTicket, store: SnapshotStore) -> None:
    snapshot = frozen(make_ticket(), store)
    data = snapshot.archive.read_bytes()
    snapshot.archive.write_bytes(data.replace(b"return 1", b"return 2"))
    with pytest.raises(SnapshotCorrupted, match="another content"):
        store.contents(snapshot)
    others = [file for file in snapshot.files if file.path != "thing.py"]
    fewer = Frozen(files=others, contents=dict.fromkeys([file.path for file in others], b""))
    store.add(digest=snapshot.digest, frozen=fewer)
    with pytest.raises(SnapshotCorrupted, match="added or are missing"):
        store.contents(snapshot)
    for damaged in (data[:700], b"", b"no tar"):
        snapshot.archive.write_bytes(damaged)
        with pytest.raises(SnapshotCorrupted):
            store.contents(snapshot)
    snapshot.archive.unlink()
    with pytest.raises(SnapshotCorrupted, match="cannot be read"):
        store.contents(snapshot)


def test_a_store_that_cannot_be_written_says_nothing_about_the_code(
    workspace: Path, make_ticket: MakeTicket, tmp_path: Path
) -> None:
    (tmp_path / "occupied").write_text("")
    with pytest.raises(InfrastructureError, match="cannot be stored"):
        frozen(make_ticket(), SnapshotStore(tmp_path / "occupied"))


def test_a_file_that_becomes_a_symlink_while_it_is_read_is_refused(workspace: Path) -> None:
    (workspace / "thing.py").unlink()
    (workspace / "thing.py").symlink_to("/etc/passwd")
    with pytest.raises(SnapshotRefused, match="cannot be read"):
        reading.read_beneath(workspace, "thing.py", max_bytes=MEGABYTE)


def test_a_directory_that_becomes_a_symlink_while_it_is_read_is_refused(workspace: Path) -> None:
    (workspace / "sub").symlink_to("/etc")
    with pytest.raises(SnapshotRefused, match="cannot be read"):
        reading.read_beneath(workspace, "sub/passwd", max_bytes=MEGABYTE)


def test_a_file_that_becomes_a_pipe_or_grows_is_refused(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(SnapshotRefused, match="no regular file"):
        reading.read_beneath(workspace, "pipe", max_bytes=MEGABYTE)
    with pytest.raises(SnapshotRefused, match="expected at most 3"):
        reading.read_beneath(workspace, "thing.py", max_bytes=3)


def test_a_file_that_never_stops_changing_is_refused(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = iter(range(100))
    real = os.fstat

    def unsteady(descriptor: int) -> os.stat_result:
        fields = real(descriptor)
        return os.stat_result([*fields], {"st_mtime_ns": next(seen), "st_mtime": 0.0})

    monkeypatch.setattr(reading.os, "fstat", unsteady)
    with pytest.raises(SnapshotRefused, match="changed while it was read"):
        reading.read_beneath(workspace, "thing.py", max_bytes=MEGABYTE)


def test_tracked_compiled_code_is_left_out_since_it_would_run_unread_in_the_place_of_its_source(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    (workspace / "__pycache__").mkdir()
    (workspace / "__pycache__" / "thing.cpython-311.pyc").write_bytes(b"compiled")
    git(workspace, "init", "-q")
    git(workspace, "add", "-f", ".")
    snapshot = frozen(path, store)
    assert paths(snapshot) == {"thing.py", "verify.sh", "ticket.yaml"}
    assert reasons(snapshot)["__pycache__/thing.cpython-311.pyc"].startswith("compiled code")


def test_tracked_credentials_are_left_out_all_the_same(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, git: Git
) -> None:
    path = make_ticket()
    for name in (".aws/config", ".env", ".config/gcloud/x"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("secret")
    git(workspace, "init", "-q")
    git(workspace, "add", "-f", ".")
    snapshot = frozen(path, store)
    assert paths(snapshot) == {"thing.py", "verify.sh", "ticket.yaml"}
    assert {".aws/config", ".env", ".config/gcloud/x"} <= set(reasons(snapshot))


def test_a_named_file_that_turns_out_to_be_a_key_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "verify.sh").write_text("-----BEGIN PRIVATE KEY-----\n")
    assert "is a private key (by its content), but the ticket names it" in refusal(make_ticket(), store)


def test_a_symlink_to_an_empty_directory_is_left_out(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    (workspace / "empty").mkdir()
    (workspace / "link").symlink_to("empty")
    assert reasons(frozen(make_ticket(), store))["link"].endswith("which has no file in the snapshot")


def test_a_workspace_without_end_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "_MAX_WALKED", 2)
    assert "more than 2 files and directories" in refusal(make_ticket(), store)


def test_a_workspace_that_vanished_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, tmp_path: Path
) -> None:
    ticket = load_ticket(make_ticket())
    workspace.rename(tmp_path / "gone")
    with pytest.raises(SnapshotRefused, match="cannot read"):
        take_snapshot(ticket, store=store, max_bytes=MEGABYTE, max_files=10)


def test_a_file_that_vanished_between_parsing_and_freezing_is_refused(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore
) -> None:
    ticket = load_ticket(make_ticket())
    (workspace / "thing.py").unlink()
    with pytest.raises(SnapshotRefused, match=r"'thing.py': does not exist on disk, but the ticket names it"):
        take_snapshot(ticket, store=store, max_bytes=MEGABYTE, max_files=10)


def test_a_git_that_does_not_answer_is_given_up(
    workspace: Path, make_ticket: MakeTicket, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = make_ticket()
    (workspace / ".git").mkdir()
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 30\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(checkout, "_TIMEOUT_S", 0.2)
    assert "did not answer" in refusal(path, store)
