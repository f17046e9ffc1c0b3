"""Kept tests: plain pytest files that run without refute, and only those that say something."""

import subprocess
import sys
from dataclasses import replace

import pytest

from refute.adversary.attack import TriageVerdict
from refute.errors import UsageError
from refute.governance.kept_tests import keep_tests
from refute.outcome import Status
from tests.fakes.outcomes import CLAIM, fake_outcome, fake_test

SOURCE = '''"""An attack."""

from __future__ import annotations

from answer import VALUE


def test_holds():
    assert VALUE == 42


def test_refutes():
    assert open("data.txt").read() == "other"


def test_wrong():
    assert VALUE == 0
'''
VERDICTS = {
    "test_holds": TriageVerdict.SURVIVED,
    "test_refutes": TriageVerdict.REFUTED,
    "test_wrong": TriageVerdict.INVALID,
}


@pytest.fixture
def outcome():
    tests = tuple(fake_test(name, verdict) for name, verdict in VERDICTS.items())
    return fake_outcome(status=Status.FAILED_ADVERSARIAL, adversarial_tests=SOURCE, tests=tests, claims=(CLAIM,))


@pytest.fixture
def built(ticket):
    """The ticket with its code in a source folder."""
    (ticket.workspace / "src").mkdir()
    (ticket.workspace / "src" / "answer.py").write_text("VALUE = 42\n")
    (ticket.workspace / "data.txt").write_text("some")
    return replace(ticket, import_roots=("src",))


@pytest.mark.slow
def test_kept_tests_run_from_anywhere_with_plain_pytest(outcome, built, tmp_path):
    file = keep_tests(outcome, built, built.workspace / "tests" / "kept")
    text = file.read_text()
    assert "T-1, FAILED_ADVERSARIAL" in text
    assert "test_wrong" not in text
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout


def test_a_second_run_writes_them_anew_and_no_other_file_is_overwritten(outcome, built, tmp_path):
    file = keep_tests(outcome, built, tmp_path / "kept")
    assert keep_tests(outcome, built, tmp_path / "kept") == file
    file.write_text("# mine\n")
    with pytest.raises(UsageError, match="was not written by refute"):
        keep_tests(outcome, built, tmp_path / "kept")


def test_where_no_test_ran_nothing_is_written(built, tmp_path):
    assert keep_tests(fake_outcome(), built, tmp_path / "kept") is None
    assert not (tmp_path / "kept").exists()
