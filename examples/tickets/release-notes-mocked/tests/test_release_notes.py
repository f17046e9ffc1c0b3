from pathlib import Path
from unittest import mock

import pytest

import release_notes
from release_notes import GitError, group, render


def finished(stdout="", returncode=0, stderr=""):
    return mock.Mock(stdout=stdout, returncode=returncode, stderr=stderr)


def test_group():
    assert group(["feat: a", "feat(ui): b", "chore: c"]) == {"Features": ["a", "ui: b"]}


def test_render():
    assert render("1.0", {"Fixes": ["x"]}) == "# 1.0\n\n## Fixes\n- x\n"


class TestIntegration:
    """End-to-end tests against git."""

    @mock.patch("release_notes.subprocess.run")
    def test_last_tag(self, run):
        run.return_value = finished("v1.2.0\n")
        assert release_notes.last_tag(Path("repository")) == "v1.2.0"

    @mock.patch("release_notes.subprocess.run")
    def test_no_tag(self, run):
        run.return_value = finished(returncode=128, stderr="fatal: No names found")
        assert release_notes.last_tag(Path("repository")) is None

    @mock.patch("release_notes.subprocess.run")
    def test_git_fails(self, run):
        run.return_value = finished(returncode=128, stderr="fatal: not a git repository")
        with pytest.raises(GitError, match="not a git repository"):
            release_notes.subjects_since(Path("repository"), None)

    def test_release_notes(self, monkeypatch):
        outputs = iter([finished("v1.0\n"), finished("feat: add x\nfix: mend y")])
        monkeypatch.setattr(release_notes.subprocess, "run", lambda *args, **kwargs: next(outputs))
        assert release_notes.release_notes(Path("repository"), "1.1") == (
            "# 1.1\n\n## Features\n- add x\n\n## Fixes\n- mend y\n"
        )
