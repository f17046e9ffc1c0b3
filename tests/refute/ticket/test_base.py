"""The tree before the change: what `base` names, what of it is frozen, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from refute.errors import SnapshotRefused, TicketInvalid
from refute.ticket.parse import load_ticket
from refute.ticket.record import Snapshot
from refute.ticket.snapshot import reopen_snapshot, take_snapshot
from refute.ticket.store import BEFORE, SnapshotStore
from tests.refute.ticket.conftest import Git, MakeTicket

OLD = "def thing():\n    return 0\n"
Freeze = Callable[..., Snapshot]


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "store")


@pytest.fixture
def freeze(make_ticket: MakeTicket, store: SnapshotStore) -> Freeze:
    def run(**fields: object) -> Snapshot:
        return take_snapshot(load_ticket(make_ticket(**fields)), store=store, max_bytes=10**6, max_files=100)

    return run


def earlier(store: SnapshotStore, snapshot: Snapshot) -> dict[str, bytes]:
    contents = store.contents(snapshot)
    return {path.removeprefix(BEFORE): data for path, data in contents.items() if path.startswith(BEFORE)}


@pytest.fixture
def checkout(workspace: Path, git: Git) -> Path:
    """A change: `thing.py` edited, `new.py` added, `gone.py` removed, `same.py` as it was."""
    now = (workspace / "thing.py").read_text()
    git(workspace, "init", "-q")
    for name, text in {"thing.py": OLD, "gone.py": "A = 1\n", "same.py": "B = 1\n", ".env": "X=1\n"}.items():
        (workspace / name).write_text(text)
    git(workspace, "add", "-f", ".")
    git(workspace, "commit", "-qm", "before")
    (workspace / "thing.py").write_text(now)
    (workspace / "gone.py").unlink()
    (workspace / ".env").write_text("X=2\n")
    (workspace / "new.py").write_text("C = 1\n")
    git(workspace, "add", "-A")
    return workspace


def test_of_a_revision_what_differs_is_frozen(checkout, freeze, store):
    snapshot = freeze(base="HEAD")
    assert earlier(store, snapshot) == {"gone.py": b"A = 1\n", "new.py": b"", "thing.py": OLD.encode()}
    assert {file.path for file in snapshot.files} >= {"thing.py", "new.py", "same.py"}
    assert "gone.py" not in {file.path for file in snapshot.files}


def test_what_git_ignores_is_generated_and_was_the_same_before(checkout, freeze, store):
    (checkout / ".gitignore").write_text("_version.py\n")
    (checkout / "_version.py").write_text("V = 1\n")
    assert "_version.py" not in earlier(store, freeze(base="HEAD", include=["_version.py"]))
    changed = freeze(base="HEAD", include=["_version.py"], implementation_files=["thing.py", "_version.py"])
    assert earlier(store, changed)["_version.py"] == b""


def test_a_directory_of_the_workspace_is_a_base_too(workspace, freeze, store):
    (workspace / "before").mkdir()
    (workspace / "before" / "thing.py").write_text(OLD)
    (workspace / "before" / "only_there.py").write_text("A = 1\n")
    assert earlier(store, freeze(base="before")) == {"thing.py": OLD.encode(), "ticket.yaml": b"", "verify.sh": b""}


def test_another_base_is_another_approval(checkout, freeze, git):
    git(checkout, "commit", "-qm", "after")
    digests = [freeze(base=base).digest for base in ("HEAD", "HEAD~1")] + [freeze().digest]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("base", ["no-such-branch", "HEAD:thing.py", "0" * 40])
def test_a_revision_that_does_not_exist_is_refused(checkout, freeze, base):
    with pytest.raises(
        SnapshotRefused, match=f"base: got '{base}', expected a directory of the workspace, or a commit"
    ):
        freeze(base=base)


def test_outside_of_a_checkout_there_are_no_revisions(freeze):
    with pytest.raises(SnapshotRefused, match="base: got 'main'"):
        freeze(base="main")


@pytest.mark.parametrize("base", ["../elsewhere", "/etc", "--output=x", "", "a\0b"])
def test_a_base_stays_inside_the_workspace(make_ticket, base):
    with pytest.raises(TicketInvalid, match="base"):
        load_ticket(make_ticket(base=base))


@pytest.mark.slow
def test_a_base_that_is_another_project_is_refused(checkout, freeze, git):
    for number in range(501):
        (checkout / f"f{number}.py").write_text("x = 1\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-qm", "many")
    git(checkout, "rm", "-q", *(f"f{number}.py" for number in range(501)))
    with pytest.raises(SnapshotRefused, match=r"from which 50\d files differ, expected at most 500"):
        freeze(base="HEAD")


def test_a_link_below_a_base_directory_is_not_followed(workspace, freeze):
    (workspace / "before").mkdir()
    (workspace / "before" / "thing.py").symlink_to("/etc/hostname")
    with pytest.raises(SnapshotRefused):
        freeze(base="before")


def test_a_snapshot_with_a_base_is_found_again_by_its_digest(checkout, freeze, store, make_ticket):
    snapshot = freeze(base="HEAD")
    again = reopen_snapshot(load_ticket(make_ticket(base="HEAD")), snapshot.digest, store=store)
    assert (set(again.files), set(again.before)) == (set(snapshot.files), set(snapshot.before))
