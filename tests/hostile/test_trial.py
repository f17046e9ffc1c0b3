"""What is held against a behaviour: on runc what it must do, elsewhere what is known of the runtime; never nothing."""

import pytest

from refute.sandbox.job import End, Exited, JobResult, Limit, LimitReached
from tests.hostile import trial
from tests.hostile.behaviour import SILENCE, Behaviour
from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.difference import Difference
from tests.hostile.known_differences import DIFFERENCES

PTRACE = Behaviour(name="ptrace", does="traces", python="pass", answers=("EPERM",))
NOTHING_ELSE = Behaviour(name="of-no-list", does="traces", python="pass", answers=("EPERM",))
BOMB = Behaviour(name="allocation", does="allocates", python="pass", ends=("memory",))


def result(stdout: str = "", end: End = Exited(code=0)) -> JobResult:  # noqa: B008  # immutable
    return JobResult(end=end, stdout=stdout, stderr="", duration_s=0, overhead_s=0)


@pytest.fixture
def on_gvisor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "runtime", lambda: "runsc")


def test_on_runc_a_known_difference_of_gvisor_is_a_fault() -> None:
    tried = trial._trial(PTRACE, result("allowed\n"), [])
    assert tried.faults
    assert not tried.differs


@pytest.mark.usefixtures("on_gvisor")
@pytest.mark.parametrize(
    ("behaviour", "got"),
    [
        (PTRACE, result("root's password\n")),
        (PTRACE, result("")),
        (PTRACE, result("allowed\n", Exited(code=1))),
        (BOMB, result(end=LimitReached(limit=Limit.DISK, detail="", exit_code=1))),
        (NOTHING_ELSE, result("allowed\n")),
    ],
)
def test_what_neither_runc_nor_the_runtime_is_known_to_do_is_a_fault(behaviour: Behaviour, got: JobResult) -> None:
    assert trial._trial(behaviour, got, []).faults


def test_a_program_that_should_say_nothing_may_not_speak_and_one_that_should_may_not_be_silent() -> None:
    silent = Difference(why="so", answers=SILENCE).expected(PTRACE)
    assert silent.faults(result("")) == []
    assert silent.faults(result("EPERM\n"))
    assert PTRACE.faults(result(""))


def test_every_known_difference_expects_something_else_than_runc() -> None:
    behaviours = {one.name: one for group in GROUPS.values() for one in group}
    for differences in DIFFERENCES.values():
        for name, known in differences.items():
            assert known.expected(behaviours[name]) != behaviours[name], name
