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
from refute.ticket.store import SANDBOX_UID, SnapshotStore, pack
from refute.ticket.withheld import table, withheld_reason
from tests.refute.ticket.conftest import Git, MakeTicket

OWN = {"thing.py", "verify.sh"}
ALL = OWN | {"ticket.yaml"}
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n"


class Tree:
    """A workspace with a ticket, to be frozen."""

    def __init__(self, top: Path, make_ticket: MakeTicket, git: Git) -> None:
        self.top, self.store = top, SnapshotStore(top.parent / "state" / "snapshots")
        self._make_ticket, self._git = make_ticket, git

    def write(self, *empty: str, **texts: str) -> None:
        """Files by name, in folders made for them."""
        for name, text in (dict.fromkeys(empty, "") | texts).items():
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            (self.top / name).write_text(text)

    def checkout(self, *added: str) -> None:
        """Make it a checkout that tracks some files."""
        self._make_ticket()
        self._git(self.top, "init", "-q")
        self._git(self.top, "add", "-f", *added)

    def frozen(self, *, limits: dict[str, Any] | None = None, **fields: Any) -> Snapshot:
        """The snapshot of a ticket with some fields replaced."""
        ticket = load_ticket(self._make_ticket(**fields))
        return take_snapshot(ticket, store=self.store, **{"max_bytes": 10**6, "max_files": 100, **(limits or {})})

    def paths(self, **fields: Any) -> set[str]:
        return {file.path for file in self.frozen(**fields).files}

    def reasons(self, **fields: Any) -> dict[str, str]:
        return {left.path: left.reason for left in self.frozen(**fields).left_out}

    def contents(self, **fields: Any) -> dict[str, bytes]:
        return dict(self.store.contents(self.frozen(**fields)))

    def refusal(self, **fields: Any) -> str:
        with pytest.raises(SnapshotRefused) as caught:
            self.frozen(**fields)
        return str(caught.value)


@pytest.fixture
def tree(workspace: Path, make_ticket: MakeTicket, git: Git) -> Tree:
    return Tree(workspace, make_ticket, git)


def test_content_odd_names_and_the_executable_bit_are_kept_byte_for_byte(tree):
    odd = ("with space", "naïve-日本", "new\nline", "tab\t'quote\"", "back\\slash", "-rf", "l" * 200)
    contents = {
        "crlf.txt": b"a\r\nb\r\n",
        "empty.txt": b"",
        "binary.bin": bytes(range(256)),
        "vérify it\n.sh": b"true\n",
    }
    contents |= {name: name.encode() for name in odd}
    for name, data in contents.items():
        (tree.top / name).write_bytes(data)
    (tree.top / "vérify it\n.sh").chmod(0o750)
    snapshot = tree.frozen(verification_script="vérify it\n.sh")
    assert {name: tree.store.contents(snapshot)[name] for name in contents} == contents
    assert {file.path for file in snapshot.files if file.executable} == {"vérify it\n.sh"}


def test_a_name_that_is_not_utf8_is_refused(tree):
    tree.write(os.fsdecode(b"caf\xe9"))
    assert "is not UTF-8" in tree.refusal()


SECRETS = """\
.env .env.production id_rsa ID_ED25519 server.pem tls.key .netrc .npmrc .pypirc .git-credentials credentials.json
store.p12 .aws/config .ssh/known_hosts home/.docker/config.json home/.config/gcloud/legacy/x.db
"""


@pytest.mark.parametrize("tracked", [False, True])
def test_credentials_are_left_out_with_the_reason_even_if_they_are_tracked(tree, tracked):
    near = {"secrets.py", "credentials/__init__.py", ".env.example", "keys.py", ".docker/Dockerfile"}
    tree.write(*SECRETS.split(), *near, deploy=KEY)
    if tracked:
        tree.checkout(".")
    said = tree.reasons()
    assert tree.paths() == ALL | near
    assert said["deploy"] == "is a private key (by its content)"
    for name in SECRETS.split():
        assert any(name.startswith(path) and "credentials" in reason for path, reason in said.items()), name


def test_version_control_caches_and_environments_are_left_out(tree):
    tree.write("__pycache__/a.pyc", "node_modules/b.js", "env/pyvenv.cfg", "sub/.git/config", ".hg/x")
    assert tree.paths() == ALL
    assert set(tree.reasons()) == {"__pycache__/", "node_modules/", "env/", "sub/.git/", ".hg/"}


def test_include_brings_back_a_cache_but_never_credentials(tree):
    tree.write("node_modules/b.js", "node_modules/.npmrc")
    include = ["node_modules/**", "*.nothing"]
    assert tree.paths(include=include) == {*ALL, "node_modules/b.js"}
    assert tree.reasons(include=include)["*.nothing"] == "a glob under include that matches no file"


def test_in_a_checkout_only_tracked_files_are_in_and_what_the_ticket_names(tree):
    tree.write("tracked.py", "untracked.py", "ignored.log", "data/rows.csv", "data/rows.bin", ".env")
    tree.write(**{".gitignore": "*.log\ndata/\n.env\n"})
    tree.checkout("tracked.py", "verify.sh", ".gitignore")
    assert tree.paths(include=["data/*.csv"]) == OWN | {"tracked.py", ".gitignore", "data/rows.csv"}
    said = tree.reasons()
    assert said[".git"] == "version control"
    assert said["untracked.py"].startswith("not tracked by git")
    assert said["ignored.log"] == "ignored by git"
    assert "credentials" in said[".env"]
    assert "ticket.yaml" not in said, "no code needs the ticket itself"


def test_what_refute_writes_itself_is_left_out(tree):
    before = tree.frozen()
    own = [tree.top / "logs/audit.jsonl", tree.top / "state", tree.top, tree.top.parent]
    tree.write("logs/audit.jsonl", "state/ledger.sqlite", "state/runs/r/x.py")
    (tree.top / "link.jsonl").symlink_to("logs/audit.jsonl")
    assert tree.frozen(limits={"own": own}).digest == before.digest
    said = tree.reasons(limits={"own": own})
    assert {said["logs/audit.jsonl"], said["state/ledger.sqlite"]} == {"written by refute itself"}
    assert said["link.jsonl"] == "a symlink to 'logs/audit.jsonl': written by refute itself"


def test_new_tests_that_the_script_names_are_in_before_they_are_committed(tree):
    tree.write("checks/sub/test_deep.py", "test_new.py", "scratch.py", "checks/ignored.log")
    tree.write(**{".gitignore": "*.log\n", "verify.sh": "python -m pytest ./checks test_new.py::test_it .\n"})
    tree.checkout("thing.py")
    assert tree.paths() == OWN | {"checks/sub/test_deep.py", "test_new.py"}
    assert set(tree.reasons()) == {".git", ".gitignore", "checks/ignored.log", "scratch.py"}


def test_of_very_many_untracked_files_only_the_directories_are_listed(tree, monkeypatch):
    monkeypatch.setattr(selection, "_MAX_LISTED", 2)
    tree.write(*(f"many/{number}" for number in range(5)))
    tree.checkout("thing.py", "verify.sh")
    assert set(tree.reasons()) == {".git", "many/"}


def test_a_workspace_below_the_top_of_a_checkout_sees_only_itself(tree, git):
    tree.write("../beside.py")
    git(tree.top.parent, "init", "-q")
    assert tree.paths() == ALL, "git tracks nothing of it: all is in"
    git(tree.top.parent, "add", ".")
    assert tree.paths() == ALL


def test_uncommitted_content_is_what_is_frozen(tree):
    tree.write("gone.py")
    tree.checkout(".")
    tree.write(**{"thing.py": "changed = True\n"})
    (tree.top / "gone.py").unlink()
    assert tree.contents()["thing.py"] == b"changed = True\n"
    assert tree.reasons()["gone.py"] == "does not exist on disk"


def test_a_submodule_brings_its_files(tree, git, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "lib.py").write_text("")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "lib")
    tree.checkout(".")
    git(tree.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor")
    git(tree.top, "add", ".")
    assert "vendor/lib.py" in tree.paths()
    git(tree.top, "submodule", "--quiet", "deinit", "-f", "vendor")
    assert tree.reasons()["vendor"] == "a submodule that is not checked out"


def test_a_hostile_checkout_cannot_start_a_program(tree, git, tmp_path):
    tree.checkout(".")
    git(tree.top, "config", "core.fsmonitor", f"touch {tmp_path}/pwned; false")
    git(tree.top, "config", "core.hooksPath", str(tmp_path))
    assert "thing.py" in tree.paths()
    assert not (tmp_path / "pwned").exists()


def test_the_caller_s_git_variables_do_not_count(tree, monkeypatch):
    tree.checkout("thing.py")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    assert tree.paths() == OWN


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a checkout away")
def test_a_checkout_of_another_user_is_read(tree):
    tree.checkout("thing.py", "verify.sh")
    subprocess.run(["chown", "-R", "1000:1000", str(tree.top)], check=True)
    assert tree.paths() == OWN


def test_a_broken_checkout_is_refused_rather_than_guessed(tree):
    tree.write(**{".git": "gitdir: /nonexistent\n"})
    assert "`git ls-files` failed" in tree.refusal()


@pytest.mark.parametrize(("program", "said"), [("", "git is not installed"), ("sleep 30", "did not answer")])
def test_a_git_that_is_missing_or_hangs_is_said(tree, monkeypatch, tmp_path, program, said):
    (tree.top / ".git").mkdir()
    if program:
        (tmp_path / "git").write_text(f"#!/bin/sh\nexec /usr/bin/{program}\n")
        (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(checkout, "_TIMEOUT_S", 0.2)
    assert said in tree.refusal()


def test_symlinks_inside_become_what_they_lead_to(tree):
    tree.write(**{"v1/deep/data.txt": "d"})
    for name, target in (("alias.py", "thing.py"), ("absolute.py", tree.top / "thing.py"), ("latest", "v1")):
        (tree.top / name).symlink_to(target)
    contents = tree.contents()
    assert contents["alias.py"] == contents["absolute.py"] == b"def thing():\n    return 1\n"
    assert contents["latest/deep/data.txt"] == b"d"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.txt", "/nonexistent/x", "/", ".."])
def test_a_symlink_that_leaves_the_workspace_is_refused(tree, target):
    (tree.top / "link").symlink_to(target)
    assert "'link': is a symlink that leaves the workspace" in tree.refusal()


def test_a_named_file_behind_a_directory_link_out_is_refused(tree):
    tree.write("../outside/thing.py")
    (tree.top / "linked").symlink_to(tree.top.parent / "outside")
    assert "leaves the workspace" in tree.refusal(implementation_files=["linked/thing.py"])


def test_what_leads_nowhere_or_is_no_file_is_left_out(tree, monkeypatch):
    tree.write(".env")
    (tree.top / "empty").mkdir()
    links = {"dangling": "absent", "loop": "pool", "pool": "loop", "self": ".", "harmless": ".env", "to": "empty"}
    for name, target in links.items():
        (tree.top / name).symlink_to(target)
    os.mkfifo(tree.top / "pipe")
    monkeypatch.chdir(tree.top)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        said = tree.reasons()
    assert said["dangling"] == "a symlink to 'absent', which does not exist"
    assert said["loop"] == said["pool"] == "a symlink that leads to itself"
    assert said["self"] == "a symlink to the directory '.', which holds the link itself"
    assert said["to"].endswith("which has no file in the snapshot")
    assert said["pipe"] == said["socket"] == "neither a regular file nor a directory"
    assert "credentials" in said["harmless"]


def test_what_the_ticket_names_is_not_left_out_but_refused(tree):
    tree.write(".env", **{"key.sh": KEY})
    (tree.top / "loop.sh").symlink_to("loop.sh")
    for name, said in ((".env", "may hold credentials (by its name)"), ("loop.sh", "leads to itself")):
        assert f"{said}, but the ticket names it" in tree.refusal(verification_script=name)
    said = "is a private key (by its content), but the ticket names it"
    assert said in tree.refusal(verification_script="key.sh")
    said = "written by refute itself, but the ticket names it"
    assert said in tree.refusal(limits={"own": [tree.top / "thing.py"]})


def test_too_many_bytes_or_files_name_the_largest_before_anything_is_read(tree):
    tree.write(*(f"many/{number}" for number in range(20)))
    assert "'many/': 20 files" in tree.refusal(limits={"max_files": 10})
    with (tree.top / "huge.bin").open("wb") as stream:
        stream.truncate(10**12)
    assert "'huge.bin': 1,000,000,000,000 bytes" in tree.refusal()
    assert "expected at most 100 files with 1,000,000 bytes" in tree.refusal()


def test_the_digest_depends_on_content_mode_path_and_claims_but_not_on_the_place(tree, tmp_path):
    first = tree.frozen().digest
    os.utime(tree.top / "thing.py", (1, 1))
    moved = tree.top.rename(tmp_path / "elsewhere")
    ticket = load_ticket(moved / "ticket.yaml")
    assert take_snapshot(ticket, store=tree.store, max_bytes=10**6, max_files=9).digest == first
    moved.rename(tree.top)
    digests = {first, tree.frozen(claims=["thing() returns 2."]).digest}
    (tree.top / "verify.sh").chmod(0o755)
    digests.add(tree.frozen().digest)
    tree.write(**{"thing.py": "def thing():\n    return 2\n"})
    digests.add(tree.frozen().digest)
    tree.write("empty.py")
    digests.add(tree.frozen().digest)
    assert len(digests) == 5


def test_neither_writes_to_the_other_afterwards(tree):
    tree.checkout(".")
    tree.frozen()
    before = {file: file.stat().st_mtime_ns for file in tree.top.rglob("*") if file.name != "ticket.yaml"}
    snapshot = tree.frozen()
    assert {file: file.stat().st_mtime_ns for file in tree.top.rglob("*") if file.name != "ticket.yaml"} == before
    tree.write(**{"thing.py": "changed\n"})
    assert tree.store.contents(snapshot)["thing.py"] == b"def thing():\n    return 1\n"


def test_the_archive_is_deterministic_and_belongs_to_the_sandbox_user(tree):
    tree.write(**{"a/b/c.txt": "c"})
    snapshot, again = tree.frozen(), tree.frozen()
    data = pack(snapshot.files, tree.store.contents(snapshot))
    assert data == pack(again.files, tree.store.contents(again)) == snapshot.archive.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        entries = archive.getmembers()
    assert [entry.name for entry in entries if entry.isdir()] == ["a", "a/b"]
    assert {(entry.uid, entry.gid, entry.mtime) for entry in entries} == {(SANDBOX_UID, SANDBOX_UID, 0)}
    assert {entry.mode for entry in entries if entry.isreg()} == {0o644}


def test_a_changed_archive_is_noticed(tree):
    snapshot = tree.frozen()
    data = snapshot.archive.read_bytes()
    snapshot.archive.write_bytes(data.replace(b"return 1", b"return 2"))
    with pytest.raises(SnapshotCorrupted, match="another content"):
        tree.store.contents(snapshot)
    others = [file for file in snapshot.files if file.path != "thing.py"]
    tree.store.add(snapshot.digest, others, dict.fromkeys([file.path for file in others], b""))
    with pytest.raises(SnapshotCorrupted, match="added or are missing"):
        tree.store.contents(snapshot)
    for damaged in (data[:700], b"", b"no tar"):
        snapshot.archive.write_bytes(damaged)
        with pytest.raises(SnapshotCorrupted):
            tree.store.contents(snapshot)
    snapshot.archive.unlink()
    with pytest.raises(SnapshotCorrupted, match="cannot be read"):
        tree.store.contents(snapshot)


def test_a_store_that_cannot_be_written_says_nothing_about_the_code(tree, tmp_path):
    (tmp_path / "occupied").write_text("")
    tree.store = SnapshotStore(tmp_path / "occupied")
    with pytest.raises(InfrastructureError, match="cannot be stored"):
        tree.frozen()


def become_link(top: Path) -> None:
    (top / "thing.py").unlink()
    (top / "thing.py").symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    ("change", "name", "size", "said"),
    [
        (become_link, "thing.py", 999, "cannot be read"),
        (lambda top: (top / "sub").symlink_to("/etc"), "sub/passwd", 9999, "cannot be read"),
        (lambda top: os.mkfifo(top / "pipe"), "pipe", 999, "no regular file"),
        (lambda _: None, "thing.py", 3, "expected at most 3"),
    ],
    ids=["file becomes link", "directory becomes link", "becomes pipe", "grows"],
)
def test_what_becomes_another_thing_while_it_is_read_is_refused(workspace, change, name, size, said):
    change(workspace)
    with pytest.raises(SnapshotRefused, match=said):
        reading.read_beneath(workspace, name, max_bytes=size)


def test_a_file_that_never_stops_changing_is_refused(tree, monkeypatch):
    seen = iter(range(100))
    real = os.fstat

    def unsteady(descriptor: int) -> os.stat_result:
        return os.stat_result([*real(descriptor)], {"st_mtime_ns": next(seen), "st_mtime": 0.0})

    monkeypatch.setattr(reading.os, "fstat", unsteady)
    with pytest.raises(SnapshotRefused, match="changed while it was read"):
        reading.read_beneath(tree.top, "thing.py", max_bytes=999)


def test_tracked_compiled_code_is_left_out_since_it_would_run_unread_in_the_place_of_its_source(tree):
    tree.write("__pycache__/thing.cpython-311.pyc")
    tree.checkout(".")
    assert tree.paths() == ALL
    assert tree.reasons()["__pycache__/thing.cpython-311.pyc"].startswith("compiled code")


def test_a_workspace_without_end_is_refused(tree, monkeypatch):
    monkeypatch.setattr(selection, "_MAX_WALKED", 2)
    assert "more than 2 files and directories" in tree.refusal()


def test_what_vanished_between_parsing_and_freezing_is_refused(tree, make_ticket, tmp_path):
    ticket = load_ticket(make_ticket())
    (tree.top / "thing.py").unlink()
    for said in ("'thing.py': does not exist on disk, but the ticket names it", "cannot read"):
        with pytest.raises(SnapshotRefused, match=said):
            take_snapshot(ticket, store=tree.store, max_bytes=999, max_files=10)
        if tree.top.exists():
            tree.top.rename(tmp_path / "gone")


ROWS = table()["rule"]


@pytest.mark.parametrize(("path", "reason"), [(path, row["reason"]) for row in ROWS for path in row["matches"]])
def test_a_row_withholds_its_examples(path, reason):
    assert withheld_reason(path) == reason


@pytest.mark.parametrize("path", [path for row in ROWS for path in row["spares"]])
def test_no_row_withholds_what_is_harmless(path):
    assert withheld_reason(path) is None
