"""What `--diff` reports: all that a change brings, however the repository, its settings or its names are made."""

import subprocess
from pathlib import Path

import pytest

from refute.errors import UsageError
from refute.scan.changes import only_changed, read_change, read_changes
from refute.scan.scanner import collect, scan_targets, scan_text

IDENTITY = ("-c", "user.name=x", "-c", "user.email=x@example.org")


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one script that deletes /etc in its first line and names a directory in its third."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a.sh").write_text('rm -rf /etc\necho\nd=build\necho\nrm -rf "$d"\n')
    git(tmp_path, "add", "a.sh")
    git(tmp_path, "commit", "-qm", "first")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reported(*paths: str | Path, base: str = "HEAD", stdin: bytes | None = None) -> list[tuple[str, int]]:
    """Rule and line of what is left of a scan."""
    targets = collect([Path(path) for path in paths], stdin, None)
    changes = read_changes(base, {target.path: target.home for target in targets})
    left = only_changed(scan_targets(targets), changes, scan_text)
    return [(finding.rule_id, finding.line) for finding in left.findings]


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_what_was_there_before_is_left_out(checkout):
    append(checkout / "a.sh", "cat /etc/shadow\n")
    assert reported("a.sh") == [("read-credentials", 6)]


def test_a_file_is_the_same_by_any_of_its_names(checkout, monkeypatch):
    append(checkout / "a.sh", "cat /etc/shadow\n")
    (checkout / "below").mkdir()
    (checkout / "link.sh").symlink_to(checkout / "a.sh")
    monkeypatch.chdir(checkout / "below")
    for name in (checkout / "a.sh", "../a.sh", "../link.sh", ".."):
        assert reported(name) == [("read-credentials", 6)], name


def test_all_of_a_new_file_is_new_whether_git_knows_it_or_not(checkout):
    for name in ("tracked.sh", "untracked.sh"):
        (checkout / name).write_text("reboot\n")
    git(checkout, "add", "tracked.sh")
    assert reported("tracked.sh", "untracked.sh", "-", stdin=b"reboot\n") == [("system-control", 1)] * 3


def test_a_copied_or_renamed_file_is_new(checkout):
    git(checkout, "config", "diff.renames", "copies")
    git(checkout, "mv", "a.sh", "b.sh")
    assert ("delete-outside", 1) in reported("b.sh")


def test_a_finding_that_a_changed_line_causes_further_down_is_reported(checkout):
    text = (checkout / "a.sh").read_text()
    (checkout / "a.sh").write_text(text.replace("d=build", "d=/usr"))
    assert reported("a.sh") == [("delete-outside", 5)]


@pytest.mark.parametrize("name", ["a b.sh", 'q"uote.sh', "tab\t.sh", "ümlaut.sh", "new\nline.sh", ":(exclude)x.sh"])
def test_odd_names_hide_nothing(checkout, name):
    (checkout / name).write_text("echo\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "second")
    (checkout / name).write_text("echo\nreboot\n")
    assert reported(name) == [("system-control", 2)]


def test_a_repository_cannot_call_a_script_binary(checkout):
    (checkout / ".gitattributes").write_text("*.sh binary -diff\n")
    append(checkout / "a.sh", "cat /etc/shadow\n")
    assert reported("a.sh") == [("read-credentials", 6)]


def test_what_cannot_be_analysed_stays_where_its_file_was_changed(checkout):
    append(checkout / "a.sh", "if true; then\n")
    assert "unanalysable" in {rule for rule, _ in reported("a.sh")}


def test_of_a_range_its_beginning_counts(checkout):
    git(checkout, "checkout", "-qb", "topic")
    append(checkout / "a.sh", "reboot\n")
    git(checkout, "commit", "-qam", "second")
    for base in ("HEAD~1", "HEAD~1..HEAD", "HEAD~1...topic"):
        assert reported("a.sh", base=base) == [("system-control", 6)], base


@pytest.mark.parametrize("base", ["--output=x", "no-such-revision", "no...such"])
def test_a_base_that_is_no_revision_is_refused(checkout, base):
    with pytest.raises(UsageError, match="--diff"):
        read_change(base, checkout)
    assert not (checkout / "x").exists()


def test_outside_a_checkout_it_is_refused(tmp_path):
    with pytest.raises(UsageError, match="is not in a git repository"):
        read_change("HEAD", tmp_path)


@pytest.fixture
def other(checkout: Path) -> Path:
    """A second repository inside the first one, as a submodule lies there, with two scripts of its own."""
    inner = checkout / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "b.sh").write_text("reboot\n")
    git(inner, "add", "b.sh")
    git(inner, "commit", "-qm", "first")
    return inner


def test_a_file_is_compared_in_its_own_repository(other, monkeypatch):
    append(other / "b.sh", "cat /etc/shadow\n")
    assert reported("inner/b.sh") == reported("inner") == [("read-credentials", 2)]
    monkeypatch.chdir("/")
    assert reported(other / "b.sh", other.parent / "a.sh") == [("read-credentials", 2)]


@pytest.mark.usefixtures("other")
def test_what_a_named_directory_has_from_elsewhere_is_new_to_it():
    assert ("system-control", 1) in reported(".")


def test_a_hook_s_variables_do_not_stand_for_another_repository(other, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(other.parent / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.parent / ".git" / "index"))
    append(other / "b.sh", "cat /etc/shadow\n")
    assert reported("inner/b.sh") == [("read-credentials", 2)]


def test_a_file_in_no_repository_is_an_error_also_beside_others(checkout, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "c.sh"
    outside.write_text("reboot\n")
    with pytest.raises(UsageError, match="is not in a git repository"):
        reported(checkout / "a.sh", outside)
