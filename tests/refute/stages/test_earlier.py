"""What fails against a claim of preservation is run on the previous version, which decides it; no engine is asked."""

import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Origin, Screening, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.oracle.vote import needs_vote
from refute.sandbox.job import Job, JobResult
from refute.stages.admission import take_snapshot
from refute.stages.earlier import judge_by_earlier_version
from refute.ticket.record import SnapshotFile
from tests.refute.adversary.conftest import make_attack, make_run, make_test
from tests.refute.adversary.test_suite import ended, report
from tests.refute.stages.conftest import ports_and_ticket

KEPT = "The behaviour is unchanged."
OLD, NEW = "def double(x):\n    return 2 * x\n", "def double(x):\n    return 3 * x\n"
TESTS = "def test_a():\n    import impl\n    assert impl.double(2) == 4\n"


class Earlier:
    """A sandbox that runs `impl.py` by the look of it: only the old text passes."""

    def __init__(self, end: str = "passed") -> None:
        self.jobs: list[Job] = []
        self._end = end

    def run(self, job: Job) -> JobResult:
        self.jobs.append(job)
        with tarfile.open(fileobj=io.BytesIO(job.workspace)) as files:
            member = files.extractfile("impl.py")
            assert member.read().decode() == OLD
        plan = json.loads(job.attack_files["plan.json"])
        told = {"version": 1, "nonce": plan["nonce"], "tampering": [], "output": "", "timed_out": False}
        first = [report(name, self._end) for name in plan["tests"]]
        again = [first] * plan["repetitions"] if self._end != "passed" else []
        return ended(told | {"duration_s": 1.0, "first": first, "repetitions": again})


def judged(
    folder: Path,
    sandbox: Earlier,
    *,
    claim: str | dict[str, object] = KEPT,
    previous: str = "previous: old.py",
    origin: Origin = Origin.MODEL,
    tests: str = TESTS,
    **facts: object,
) -> TriagedTest:
    folder.mkdir(exist_ok=True)
    (folder / "old.py").write_text(OLD)
    ports, ticket = ports_and_ticket(folder, sandbox, code=NEW, claims=[claim], more=previous)
    quote = str(claim["text"]) if isinstance(claim, dict) else claim
    attack = make_attack(tests, [make_test("test_a", quote=quote, origin=origin)])
    verdict = facts.pop("verdict", TriageVerdict.REFUTED)
    assert isinstance(verdict, TriageVerdict)
    one = TriagedTest(test=attack.tests[0], verdict=verdict, reason="assert 6 == 4", run=make_run(**facts))
    screening = Screening(attack=attack, rejected=())
    (found,) = judge_by_earlier_version(ports, ticket, take_snapshot(ports, ticket), screening, (one,))
    return found


def test_a_module_that_became_a_package_is_no_package_in_the_workspace_before(tmp_path):
    ports, ticket = ports_and_ticket(tmp_path, Earlier(), code=NEW, claims=[KEPT])
    snapshot = take_snapshot(ports, ticket)
    held = {"impl/__init__.py": NEW.encode(), "empty/__init__.py": NEW.encode()}
    before = {"impl/__init__.py": b"", "empty/__init__.py": b"", "impl.py": OLD.encode()}
    files, was = (tuple(SnapshotFile(path=one, sha256="", size_bytes=0) for one in part) for part in (held, before))
    ports._contents[snapshot.digest] = held, before
    packed = ports.workspace_before(ticket, replace(snapshot, files=files, before=was))
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert {one.name for one in tar if one.isfile()} == {"impl.py", "empty/__init__.py"}


@pytest.mark.parametrize("verdict", [TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW])
def test_what_passed_before_and_fails_now_refutes_without_a_vote(tmp_path, verdict):
    one = judged(tmp_path, Earlier(), verdict=verdict)
    assert (one.verdict, needs_vote(one)) == (TriageVerdict.REFUTED, False)
    assert one.reason == "passes on the earlier version and fails on this one: assert 6 == 4"


@pytest.mark.parametrize(
    ("end", "claim", "word"),
    [("failed", KEPT, "either"), ("passed", "Behaviour is unchanged except for zero.", "it passes on")],
    ids=["failed before", "the claim has a bound"],
)
def test_where_the_previous_version_does_not_decide_a_vote_does(tmp_path, end, claim, word):
    one = judged(tmp_path, Earlier(end), claim=claim)
    assert (one.verdict, needs_vote(one)) == (TriageVerdict.REFUTED, True)
    assert word in one.reason


@pytest.mark.parametrize(
    ("end", "shown", "verdict"),
    [
        ("failed", "impl.double(x)\n    return", TriageVerdict.REFUTED),
        ("failed", "def double(x):\n    return 2 * x", TriageVerdict.NEEDS_REVIEW),
        ("passed", "def double(x):\n    return 2 * x", TriageVerdict.REFUTED),
    ],
    ids=["shown since the change", "older", "right before"],
)
def test_an_example_of_a_docstring_that_failed_before_the_change_too_is_for_a_person(tmp_path, end, shown, verdict):
    tests = TESTS.replace("    import", f'    """C1: Text.\n\n    {shown}\n    """\n    import')
    facts = {"claim": "double() doubles.", "origin": Origin.DOCSTRING_EXAMPLE, "tests": tests, "error_type": ""}
    alike = judged(tmp_path / "alike", Earlier(end), **facts, error_message="\nassert <f at 0x7f>")
    assert alike.verdict is verdict
    otherwise = judged(tmp_path / "otherwise", Earlier(end), **facts, error_message="6 != 4")
    assert otherwise.verdict is TriageVerdict.REFUTED


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"unchanged": ["double"]}, TriageVerdict.INVALID),
        ({"unchanged": ["double"], "examples": ["double(2) == 6"]}, TriageVerdict.NEEDS_REVIEW),
    ],
    ids=["unchanged", "changed for some inputs"],
)
def test_a_docstring_that_was_wrong_before_says_nothing_of_what_is_claimed_to_be_unchanged(tmp_path, more, verdict):
    tests = TESTS.replace("    import", '    """C1: Text.\n\n    def double(x):\n    return 2 * x\n    """\n    import')
    claim = {"text": "double() is as before.", **more}
    told = {"origin": Origin.DOCSTRING_EXAMPLE, "tests": tests, "error_type": "", "error_message": "\nassert f"}
    assert judged(tmp_path, Earlier("failed"), claim=claim, **told).verdict is verdict


@pytest.mark.parametrize(
    ("text", "unchanged", "verdict"),
    [
        ("double() is as before.", ["double"], TriageVerdict.REFUTED),
        ("double() is as before for texts without hyphens.", ["double"], TriageVerdict.NEEDS_REVIEW),
        ("double() is as before for texts without hyphens.", {"double": "'-' not in x"}, TriageVerdict.REFUTED),
        ("double() is as before for every input, without any regressions.", ["double"], TriageVerdict.REFUTED),
    ],
)
def test_a_claim_of_some_inputs_is_not_refuted_by_an_unchanged_of_all(tmp_path, text, unchanged, verdict):
    told = {"origin": Origin.EARLIER, "claim": {"text": text, "unchanged": unchanged}}
    assert judged(tmp_path, Earlier(), **told).verdict is verdict


@pytest.mark.parametrize(
    "options",
    [
        {"claim": "double(x) returns twice its argument."},
        {"previous": ""},
        {"verdict": TriageVerdict.INVALID},
        {"end": TestEnd.TIMED_OUT},
    ],
    ids=["another claim", "no previous version", "the test is wrong", "a limit"],
)
def test_nothing_is_run_where_it_would_decide_nothing(tmp_path, options):
    sandbox = Earlier()
    judged(tmp_path, sandbox, **options)  # type: ignore[arg-type]
    assert sandbox.jobs == []
