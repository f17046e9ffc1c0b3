"""S170 and the rules of the verification script: what is exposed, what is noted, and above all what is not."""

import time
from pathlib import Path

import pytest

from refute.ticket.integration import MockEvidence, claims_tested_integration, find_mocked_integration
from refute.ticket.parse import load_ticket
from refute.ticket.record import Ticket
from refute.ticket.rules import check_verification_script
from tests.fakes.tickets import write_ticket

IMPLEMENTATION = """\
import subprocess
import time
from urllib.request import urlopen

def _run(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True)

def branch():
    time.sleep(0)
    return _run("branch", "--show-current").stdout.strip()

def parse(text):
    return text.split()

class Client:
    def fetch(self, url):
        return urlopen(url).read()
"""
CLAIM = "Reading the branch is integration tested against a real git repository."
MOCKED = """\
from unittest.mock import patch
import vcs

@patch("vcs.subprocess.run")
def test_branch(run):
    run.return_value.stdout = "main\\n"
    assert vcs.branch() == "main"
"""
REAL = """\
import subprocess
import vcs

def test_branch_of_a_repository(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-b", "main", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    assert vcs.branch() == "main"
"""


class Case:
    """A ticket whose tests and script are given as text."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def ticket(
        self, tests: dict[str, str], *, script: str = "python -m pytest -q", claim: str = CLAIM
    ) -> tuple[Ticket, dict[str, bytes]]:
        texts = {"vcs.py": IMPLEMENTATION, **tests}
        for name in tests:
            (self._directory / name).parent.mkdir(parents=True, exist_ok=True)
        home = write_ticket(self._directory, texts, script, claims=["parse() splits.", claim])
        return load_ticket(home), {name: text.encode() for name, text in {**texts, "verify.sh": script}.items()}

    def evidence(
        self, *tests: str, script: str = "python -m pytest -q", claim: str = CLAIM
    ) -> tuple[MockEvidence, ...]:
        files = {f"test_vcs{number or ''}.py": text for number, text in enumerate(tests)}
        return find_mocked_integration(*self.ticket(files, script=script, claim=claim))

    def notes(self, script: str, **tests: str) -> str:
        files = {f"{name}.py": text for name, text in tests.items()}
        return "\n".join(check_verification_script(*self.ticket(files, script=script)))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_a_claim_of_tested_integration_with_only_mocks_is_exposed_with_file_and_line(case: Case) -> None:
    assert case.evidence(MOCKED) == (
        MockEvidence(path="test_vcs.py", line=4, what="patch('vcs.subprocess.run')", claim_id="C2"),
    )


def test_fixtures_of_a_conftest_count(case: Case) -> None:
    conftest = (
        "import pytest, vcs\n@pytest.fixture\ndef git(monkeypatch):\n    monkeypatch.setattr(vcs, '_run', None)\n"
    )
    test = "import vcs\ndef test_a(git):\n    vcs.branch()\n"
    (evidence,) = find_mocked_integration(*case.ticket({"tests/conftest.py": conftest, "tests/test_a.py": test}))
    assert (evidence.path, evidence.line) == ("tests/conftest.py", 4)


@pytest.mark.parametrize("mark", ["@pytest.mark.skip(reason='no git in CI')", "@pytest.mark.integration"])
def test_a_real_test_that_never_runs_saves_nothing(case: Case, mark: str) -> None:
    real = REAL.replace("def test_", f"{mark}\ndef test_").replace("import vcs", "import pytest\nimport vcs")
    assert case.evidence(MOCKED, real, script="python -m pytest -m 'not integration'")


def test_a_real_test_that_the_script_does_not_run_saves_nothing(case: Case) -> None:
    assert case.evidence(MOCKED, REAL, script="pytest -q ./test_vcs.py")
    assert case.evidence(MOCKED, REAL, script="python -m unittest test_vcs")


@pytest.mark.parametrize(
    "script",
    [
        "pytest",
        "pytest test_*.py",
        "timeout 60 pytest",
        "python -m unittest discover",
        "make test",
        "pytest test_vcs.py\npython - <<'EOF'\nimport vcs\nassert vcs.branch()\nEOF",
        "pytest test_vcs.py; python vcs.py main",
        "pytest test_vcs.py; python -m vcs",
        "pytest test_vcs.py; bash run_all.sh",
        "coverage run --branch -m pytest",
        "python -W error -X dev -m pytest",
        "python <<< 'import vcs; vcs.branch()'; pytest test_vcs.py",
        "pytest test_vcs.py; ./vcs.py main",
    ],
)
def test_a_script_that_may_reach_the_integration_for_real_saves_the_claim(case: Case, script: str) -> None:
    ticket, files = case.ticket(
        {"test_vcs.py": MOCKED, "test_real.py": REAL, "run_all.sh": "pytest test_real.py"}, script=script
    )
    assert find_mocked_integration(ticket, files) == ()


@pytest.mark.parametrize(
    "script", ["pytest test_vcs.py; python vcs.py --help", "pytest test_vcs.py; python -c 'import vcs'"]
)
def test_a_smoke_test_is_no_integration_test(case: Case, script: str) -> None:
    assert case.evidence(MOCKED, script=script)


@pytest.mark.parametrize(
    "test",
    [
        REAL,
        REAL.replace("monkeypatch.chdir(tmp_path)", "monkeypatch.setattr('time.sleep', print)"),
        REAL.replace("monkeypatch.chdir(tmp_path)", "monkeypatch.setenv('A', 'b')"),
        REAL.replace("monkeypatch.chdir(tmp_path)", "monkeypatch.setattr(vcs, 'TIMEOUT', 3)"),
        "from unittest.mock import Mock, patch\nimport vcs\ndef test_it():\n    callback = Mock()\n    vcs.branch()\n",
        "from mock import patch\nimport vcs\ndef test_it():\n    patch('vcs._run', wraps=vcs._run)\n    vcs.branch()\n",
        "def test_it(mocker):\n    import vcs\n    spy = mocker.spy(vcs, '_run')\n    vcs.branch()\n",
        "from unittest.mock import patch\nimport vcs\ndef test_it():\n    vcs.branch()\n",
        "import subprocess, sys\ndef test_it():\n    subprocess.run([sys.executable, 'vcs.py'], check=True)\n",
        "def test_nothing_of_the_implementation():\n    assert True\n",
        "this does not parse (",
    ],
)
def test_what_leaves_the_integration_real_exposes_nothing(case: Case, test: str) -> None:
    assert case.evidence(test) == ()


@pytest.mark.parametrize(
    ("claim", "about_tests"),
    [
        ("Integration tested.", True),
        ("Covered by integration tests against a local server.", True),
        ("Tested end to end with git.", True),
        ("E2E tests cover all commands.", True),
        ("It was verified against a real PostgreSQL database.", True),
        ("Tested without mocks.", True),
        ("roots() returns the real roots of a polynomial, tested for every degree.", False),
        ("The checksum is verified against the actual content.", False),
        ("Messages are encrypted end to end.", False),
        ("The numerical integration converges.", False),
        ("There are no integration tests yet.", False),
    ],
)
def test_a_claim_of_tested_integration_is_told_from_one_about_behaviour(claim, about_tests):
    assert claims_tested_integration(claim) is about_tests


def test_a_claim_about_behaviour_is_not_exposed_by_mocks(case: Case) -> None:
    assert case.evidence(MOCKED, claim="branch() returns the current branch.") == ()


def test_a_sound_script_has_no_breach(case: Case) -> None:
    script = (
        "set -e\npython -c 'import vcs'\npython vcs.py --help\npytest\n# expect-fail: no branch\n! python vcs.py x\n"
    )
    assert case.notes(script, test_vcs=REAL) == ""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("pytest", "starts nothing as a smoke test"),
        ("python vcs.py --help", "runs no unit or integration test"),
        ("pytest || true", "verify.sh:1: a failure of pytest is ignored"),
        ("! python vcs.py x", "verify.sh:1: a failure of python is ignored"),
        ("set +e\npytest", "verify.sh:1: `set +e` ignores all failures"),
        ("pytest /home/me/tests", "verify.sh:1: names /home/"),
        ("cat ~/.config/x", "verify.sh:1: names ~/"),
        ('pytest "$HOME/x"', "names $HOME"),
        (
            "python - <<E\ntry:\n    import vcs\nexcept ImportError:\n    pass\nE",
            "verify.sh:1: an import stands in try",
        ),
    ],
)
def test_a_breach_is_noted_with_its_line(case: Case, script: str, said: str) -> None:
    assert said in case.notes(script, test_vcs=REAL)


@pytest.mark.parametrize("command", ["python -m doctest vcs.py", "pytest --doctest-modules vcs.py"])
def test_doctests_are_tests(case: Case, command: str) -> None:
    assert "no unit or integration test" not in case.notes(f"{command}\n")


def test_windows_line_ends_in_the_script_are_noted(case: Case) -> None:
    ticket, files = case.ticket({"test_vcs.py": REAL})
    files["verify.sh"] = b"pytest\r\npython vcs.py --help\r\n"
    assert "Windows line ends" in "".join(check_verification_script(ticket, files))


def test_a_guarded_import_in_a_test_is_noted(case: Case) -> None:
    guarded = "try:\n    import vcs\nexcept Exception:\n    vcs = None\n"
    assert "test_vcs.py:1: an import stands in try/except" in case.notes("pytest", test_vcs=guarded)
    unguarded = "try:\n    x = 1\nexcept Exception:\n    pass\n"
    assert "try/except" not in case.notes("pytest", test_vcs=unguarded)


def test_hostile_files_are_no_crash(case: Case) -> None:
    ticket, files = case.ticket({"test_vcs.py": MOCKED}, script="bash verify.sh; $(((((\n" + "(" * 3000)
    files["test_deep.py"] = b"x = " + b"(" * 5000
    files["test_nul.py"] = b"\0\xff"
    files["test_chain.py"] = b"from unittest.mock import patch\ndef test_x():\n    a" + b".a" * 3000
    assert isinstance(check_verification_script(ticket, files), tuple)
    assert isinstance(find_mocked_integration(ticket, files), tuple)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "test"),
    [
        ("true && " * 4_000 + "pytest", MOCKED),
        ("pytest", MOCKED + "x = 1\n" * 10_000 + "def test_a():\n    pass\n" * 1_500),
        ("pytest", "".join(f"def f{n}():\n    f{n + 1}()\n" for n in range(4_000)) + MOCKED),
    ],
    ids=["long list", "many tests", "long chain"],
)
def test_hostile_sizes_cost_little(case: Case, script: str, test: str) -> None:
    ticket, files = case.ticket({"test_vcs.py": test}, script=script, claim="Integration test. " + "test " * 100_000)
    started = time.process_time()
    find_mocked_integration(ticket, files)
    check_verification_script(ticket, files)
    assert time.process_time() - started < 15
