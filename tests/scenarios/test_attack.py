"""S055, S090, S100, S140, S170, S190: the attack and what its results mean."""

import json
import subprocess
import sys

import pytest

from refute.outcome import ClaimVerdict, Status
from refute.recording import reproducer_paths
from refute.settings import Settings
from tests.scenarios.conftest import SLUG

pytestmark = pytest.mark.engine

WRONG = {"slug.py": 'def slugify(text: str) -> str:\n    return "_".join(text.lower().split())\n'}


def test_s090_a_refutation_names_claim_test_error_input_and_comes_with_a_reproducer(ticket, verify, settings):
    directory = ticket(files=WRONG)
    outcome = verify(directory)
    assert outcome.status is Status.FAILED_ADVERSARIAL
    (failure,) = outcome.failures
    assert failure.claim_violated == "C1"
    assert failure.test_name.startswith("test_")
    assert failure.error_type == "AssertionError"
    assert "hello_world" in failure.error_message
    assert "Traceback" in failure.traceback or "assert" in failure.traceback
    path = reproducer_paths(settings, outcome)[failure.test_name]
    done = subprocess.run([sys.executable, "-I", path], cwd=directory, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "hello_world" in done.stdout + done.stderr


@pytest.mark.prefect
def test_s100_a_pass_on_the_author_s_own_examples_alone_is_weak_and_says_why(ticket, cli, settings, tmp_path):
    done = cli("verify", ticket(), "--yes", "--format", "json")
    assert done.returncode == 11, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "PASS_WEAK"
    assert "attacked only by their author's own tests: C1" in outcome["reason"]
    assert outcome["strength"] is None, "it could not have changed the verdict"
    (line,) = (tmp_path / "cwd/docs/reports/adversarial-costs.csv").read_text().splitlines()[1:]
    assert "PASS_WEAK" in line
    assert cli("verify", ticket(), "--yes", "--accept-weak").returncode == 0


UNCLEAR = """import pathlib
import time

def wait(n: int) -> int:
    if n > 2:
        time.sleep(60)
    return n

def grow(n: int) -> int:
    return len(bytearray(n * 1024**3))

def flip() -> int:
    marker = pathlib.Path("/tmp/marker")
    if marker.exists():
        return 1
    marker.touch()
    return 0
"""
SAID = {
    "wait(1) == 1": ClaimVerdict.SURVIVED,
    "wait(3) == 3": ClaimVerdict.INCONCLUSIVE,
    "grow(0) == 0": ClaimVerdict.SURVIVED,
    "grow(64) == 68719476736": ClaimVerdict.INCONCLUSIVE,
    "flip() == 1": ClaimVerdict.INCONCLUSIVE,
}


def test_s055_s140_s190_what_hangs_grows_or_flips_is_triaged_and_not_failed(ticket, verify):
    assert Settings.load().attack_timeout_s == 600
    claims = [{"id": f"C{number}", "text": text} for number, text in enumerate(SAID)]
    outcome = verify(ticket(files={"slug.py": UNCLEAR}, claims=claims), test_timeout_s=1, repetitions=3)
    assert [one.verdict for one in outcome.claims] == [*SAID.values()]
    assert outcome.status is Status.INCONCLUSIVE


def test_s055_an_endless_suite_is_failed_timeout_naming_the_stage(ticket, verify):
    code = "import time\n\ndef wait(n: int) -> int:\n    time.sleep(2)\n    return n\n"
    claims = [{"id": f"C{n}", "text": f"wait({n}) == {n}"} for n in range(1, 9)]
    outcome = verify(ticket(files={"slug.py": code}, claims=claims), attack_timeout_s=5)
    assert outcome.status is Status.FAILED_TIMEOUT
    assert "attack" in outcome.reason


MOCKED = """from unittest.mock import patch

import slug


def test_fetch():
    with patch("slug.subprocess.run") as run:
        run.return_value.stdout = "v1"
        assert slug.version() == "v1"
"""


def test_s170_a_false_claim_of_integration_tests_is_exposed_with_file_and_line(ticket, verify, settings):
    files = {
        "slug.py": "import subprocess\n\ndef version() -> str:\n"
        "    return subprocess.run(['git', '--version'], capture_output=True, text=True).stdout\n",
        "test_slug.py": MOCKED,
    }
    claims = [{"id": "C1", "text": "version() is integration tested against the real git command."}]
    script = "python -m pytest -q -p no:cacheprovider test_slug.py\n"
    directory = ticket(files=files, claims=claims, script=script)
    outcome = verify(directory)
    assert outcome.status is Status.FAILED_ADVERSARIAL
    (failure,) = outcome.failures
    assert failure.claim_violated == "C1"
    assert "test_slug.py:7" in failure.error_message
    path = reproducer_paths(settings, outcome)[failure.test_name]
    done = subprocess.run([sys.executable, path], cwd=directory, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert 'patch("slug.subprocess.run")' in done.stdout


def test_what_fails_only_where_tests_and_code_are_in_two_processes_is_for_a_person(ticket, verify):
    code = "class Box:\n    def address(self):\n        return id(self)\n"
    claims = [
        {"id": "C1", "text": "address() is the box's id.", "examples": ["(lambda b: b.address() == id(b))(Box())"]}
    ]
    outcome = verify(ticket(files={"slug.py": code}, claims=claims))
    assert outcome.status is Status.INCONCLUSIVE, outcome.reason
    assert "it passes where the test runs in the code's own process" in outcome.claims[0].reason


COUNT = """
def count(words: list[str]) -> int:
    return len(words)
"""
CLAIMS = [
    {"id": "C1", "text": "slugify() is unchanged.", "unchanged": ["slugify"]},
    {"id": "C2", "text": "count() gives the same as `len`.", "same_as": {"count": "len"}},
]
BASE = {"base": "old"}


def test_what_answers_as_before_and_as_the_library_does_passes_without_a_model(ticket, attack):
    outcome = attack(
        ticket(files={"slug.py": SLUG + COUNT, "old/slug.py": SLUG}, claims=CLAIMS, more=BASE),
        tester="property",
        mutants=4,
    )
    assert [claim.verdict for claim in outcome.claims] == [ClaimVerdict.SURVIVED] * 2
    assert all(claim.independent_tests and claim.attested_tests for claim in outcome.claims)
    assert outcome.status in {Status.PASS, Status.PASS_WEAK}


def test_what_a_change_breaks_is_refuted_with_its_smallest_input_and_what_else_changed_is_shown(ticket, attack):
    now = SLUG.replace("[a-z0-9]+", "[a-z]+") + COUNT.replace("len(words)", "len(set(words))")
    outcome = attack(
        ticket(files={"slug.py": now, "old/slug.py": SLUG + COUNT}, claims=CLAIMS[:1], more=BASE), tester="property"
    )
    assert outcome.status is Status.FAILED_ADVERSARIAL
    assert outcome.failures[0].claim_violated == "C1"
    assert any("behaviour changed: count(" in caveat for caveat in outcome.caveats)


def test_code_that_knows_where_it_runs_cannot_change_what_the_version_before_answers(ticket, attack):
    forging = SLUG.replace('"-".join', '"_".join') + (
        "\nimport sys\nfor _module in list(sys.modules.values()):\n"
        "    if hasattr(_module, 'slugify'):\n        _module.slugify = slugify\n"
    )
    outcome = attack(
        ticket(files={"slug.py": forging, "old/slug.py": SLUG}, claims=CLAIMS[:1], more=BASE), tester="property"
    )
    assert outcome.status is Status.FAILED_ADVERSARIAL
