from collections.abc import Sequence

from refute.doctor.runtimes import check_runtimes
from refute.errors import SandboxFailed

RUNTIMES = ("io.containerd.runc.v2", "runc", "runsc")


def enforcing(_: str) -> Sequence[str]:
    return ()


def test_runc_alone_is_not_tried_out():
    assert list(check_runtimes(("runc",), "", enforcing)) == []


def test_gvisor_that_enforces_its_limits_is_fine():
    (check,) = check_runtimes(RUNTIMES, "", enforcing)
    assert (check.name, check.ok, check.advice) == ("limits under runsc", True, "")


def test_a_limit_that_is_not_enforced_is_told_and_not_claimed():
    (check,) = check_runtimes(RUNTIMES, "runsc", lambda _: ("memory", "pids"))
    assert check.ok is None
    assert check.found == "the memory limit and the pids limit not enforced (tried out)"
    assert "--ignore-cgroups" in check.advice


def test_a_list_of_system_calls_that_nobody_applies_is_told_and_who_answers_them():
    (check,) = check_runtimes(RUNTIMES, "", lambda _: ("seccomp",))
    assert (check.ok, check.found) == (None, "the list of system calls not enforced (tried out)")
    assert "own kernel answers" in check.advice
    assert "--ignore-cgroups" not in check.advice


def test_a_chosen_runtime_that_the_engine_does_not_have_is_a_fault():
    missing, gvisor = check_runtimes(RUNTIMES, "kata", enforcing)
    assert (missing.ok, missing.found) == (False, "kata: the engine has no such runtime")
    assert gvisor.ok is True


def test_a_trial_that_fails_is_a_fault_only_of_the_chosen_runtime():
    def failing(_: str) -> Sequence[str]:
        raise SandboxFailed("no start", hint="look")

    assert next(check_runtimes(RUNTIMES, "runsc", failing)).ok is False
    assert next(check_runtimes(RUNTIMES, "", failing)).ok is None
