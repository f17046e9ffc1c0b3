"""A refutation counts where its reproducer shows it; no engine is asked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Screening, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.conclusions import refutations
from refute.errors import EngineUnavailable
from refute.outcome import ClaimResult, ClaimVerdict
from refute.sandbox.job import Exited, Job, JobResult
from refute.stages.admission import take_snapshot
from refute.stages.brief import brief_of
from refute.stages.evidence import Triage
from refute.stages.false_claims import expose_false_claims
from refute.stages.reproduction import MOST, NOT_SHOWN, reproduced
from refute.ticket.record import Ticket
from tests.fakes.tickets import fake_ticket
from tests.refute.adversary.conftest import make_attack, make_run, make_test
from tests.refute.stages.conftest import ports_and_ticket

CLAIMS = ["double(x) returns twice its argument.", "double(x) never returns None."]


class Alone:
    """A sandbox in which each reproducer exits as told; one that is not told of did not run."""

    def __init__(self, exits: Sequence[int]) -> None:
        self.exits = exits
        self.jobs: list[Job] = []

    def facts(self) -> None:
        raise EngineUnavailable("nothing is cached here")

    def run(self, job: Job) -> JobResult:
        self.jobs.append(job)
        codes = {name: f"{code}\n".encode() for name, code in zip(job.collect, self.exits, strict=False)}
        return JobResult(end=Exited(code=0), stdout="", stderr="", duration_s=0.5, overhead_s=0.1, collected=codes)


def seen(
    folder: Path, sandbox: Alone, tests: Sequence[tuple[str, TestEnd]], *, carried: bool = True
) -> tuple[list[TriagedTest], float]:
    """What becomes of refuting tests, given by claim and end."""
    claims = [{"id": f"C{at}", "text": text} for at, text in enumerate(CLAIMS, 1)]
    ports, ticket = ports_and_ticket(folder, sandbox, code="def double(x):\n    return 3 * x\n", claims=claims)
    names = [f"test_{at}" for at in range(len(tests))]
    source = "".join(f"def {name}():\n    import impl\n    assert impl.double(2) == 4\n\n\n" for name in names)
    attack = make_attack(
        source, [replace(make_test(name), claim_id=of) for name, (of, _) in zip(names, tests, strict=True)]
    )
    runs = [
        make_run(end=end, objects_crossed=carried, error_type="AssertionError" if end is TestEnd.FAILED else "")
        for _, end in tests
    ]
    refuted = {"verdict": TriageVerdict.REFUTED, "reason": "assert 6 == 4"}
    triaged = tuple(TriagedTest(test=test, run=run, **refuted) for test, run in zip(attack.tests, runs, strict=True))
    screening = Screening(attack=attack, rejected=())
    snapshot = take_snapshot(ports, ticket)
    failures = refutations(triaged, screening, brief_of(ports, ticket, snapshot))
    found, sandbox_s = reproduced(ports, ticket, snapshot, attack, triaged, failures)
    return list(found), sandbox_s


FAILED = TestEnd.FAILED


@pytest.mark.parametrize(
    ("exits", "stands"),
    [
        ([1], [True, True]),
        ([0, 1], [False, True]),
        ([0, 0], [False, False]),
        ([2], [True, True]),
        ([124], [True, True]),
        ([], [True, True]),
    ],
    ids=["seen", "the second is seen", "none is seen", "fails otherwise", "hangs", "the code ended the shell"],
)
def test_only_what_passes_in_one_process_is_for_a_person(tmp_path, exits, stands):
    sandbox = Alone(exits)
    found, sandbox_s = seen(tmp_path, sandbox, [("C1", FAILED)] * 2)
    assert [one.verdict is TriageVerdict.REFUTED for one in found] == stands
    assert all(one.verdict is TriageVerdict.NEEDS_REVIEW for one in found if one.verdict is not TriageVerdict.REFUTED)
    assert [NOT_SHOWN in one.reason for one in found] == [not one for one in stands]
    assert sandbox_s == 0.5


def test_of_a_claim_a_few_are_run_and_where_none_is_seen_none_stands(tmp_path):
    sandbox = Alone([0] * MOST + [1])
    found, _ = seen(tmp_path, sandbox, [("C1", FAILED)] * (MOST + 2) + [("C2", FAILED)])
    assert len(sandbox.jobs[0].collect) == MOST + 1
    assert [one.verdict is TriageVerdict.REFUTED for one in found] == [False] * (MOST + 2) + [True]


@pytest.mark.parametrize(("end", "carried"), [(TestEnd.TIMED_OUT, True), (FAILED, False)], ids=["a limit", "plain"])
def test_what_a_limit_ended_and_what_had_plain_data_alone_is_not_run_again(tmp_path, end, carried):
    sandbox = Alone([0])
    found, sandbox_s = seen(tmp_path, sandbox, [("C1", end)], carried=carried)
    assert (sandbox.jobs, sandbox_s) == ([], 0.0)
    assert found[0].verdict is TriageVerdict.REFUTED


FILES = {
    "verify.sh": b"python -m pytest -q test_tool.py\n",
    "tool.py": b"import subprocess\n\ndef version():\n    return subprocess.run(['git', '--version'])\n",
    "test_tool.py": b"from unittest.mock import patch\nimport tool\n\ndef test_version():\n"
    b"    with patch('tool.subprocess.run') as run:\n        assert tool.version() is run.return_value\n",
}


def ticket(*texts: str) -> Ticket:
    return fake_ticket(*texts, implementation_files=("tool.py",))


def triage(about: Ticket) -> Triage:
    untested = {"verdict": ClaimVerdict.UNTESTED, "reason": ""}
    return Triage(claims=tuple(ClaimResult(claim_id=one.id, text=one.text, **untested) for one in about.claims))


def test_a_claim_whose_tests_mock_the_integration_is_refuted_by_them():
    one = ticket("version() is integration tested with the real git.", "version() returns what git says.")
    exposed = expose_false_claims(triage(one), one, FILES)
    assert [claim.verdict for claim in exposed.claims] == [ClaimVerdict.REFUTED, ClaimVerdict.UNTESTED]
    (failure,) = exposed.failures
    assert failure.error_type == "FalseTestingClaim"
    assert "test_tool.py:5" in failure.error_message
    compile(failure.reproducer, "reproduce.py", "exec")


def test_other_claims_are_left_as_they_are():
    one = ticket("version() returns what git says.")
    before = triage(one)
    assert expose_false_claims(before, one, FILES) is before


def test_the_reproducer_shows_the_lines_that_python_numbers(tmp_path, monkeypatch, capsys):
    files = {**FILES, "test_tool.py": b'NOTE = """\x0c\xe2\x80\xa8"""\r\n' + FILES["test_tool.py"]}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    one = ticket("version() is integration tested with the real git.")
    (failure,) = expose_false_claims(triage(one), one, files).failures
    program = compile(failure.reproducer, "reproduce.py", "exec")
    (tmp_path / "elsewhere").mkdir()
    for place, code in ((tmp_path / "elsewhere", 2), (tmp_path, 1)):
        monkeypatch.chdir(place)
        with pytest.raises(SystemExit) as ended:
            exec(program, {})  # noqa: S102  # written by refute
        assert ended.value.code == code
    assert "test_tool.py:6: with patch('tool.subprocess.run') as run:" in capsys.readouterr().out
