import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from refute.doctor.engine import Facts, check_engine, check_kernel, check_limits, check_runc, judge_engine
from refute.doctor.runtimes import check_runtimes
from refute.errors import SandboxFailed

INFO = {
    "MemoryLimit": True,
    "SwapLimit": True,
    "PidsLimit": True,
    "CpuCfsQuota": True,
    "CgroupVersion": "2",
    "MemTotal": 8 * 1024**3,
    "SecurityOptions": ["name=seccomp,profile=default"],
    "Runtimes": {"runc": {}, "runsc": {}},
    "KernelVersion": "6.18.44",
}


def facts(*, info=(), runc="1.3.3", package="v1.3.3-0-gd842d77", engine="29.0.1", local=True, **more) -> Facts:
    components = [{"Name": "Engine"}, {"Name": "runc", "Version": runc, "Details": {"GitCommit": package}}]
    version = {"Version": engine, "Components": components}
    return Facts(version=version, info={**INFO, **dict(info)}, local=local, **{"changelog": Path("/none"), **more})


def test_a_current_engine_has_nothing_to_do() -> None:
    checks = list(judge_engine(facts(), memory_bytes=2 * 1024**3))
    assert [(check.name, check.ok, check.advice) for check in checks if not check.ok] == []
    assert {check.name for check in checks} == {
        "engine",
        "limits",
        "memory",
        "seccomp",
        "runc",
        "kernel",
        "gVisor",
        "network",
    }


def test_a_program_that_the_kernel_starts_for_crashes_inside_is_told_of() -> None:
    by_name = {
        pattern: [
            check for check in judge_engine(facts(core_pattern=pattern), memory_bytes=1) if check.name == "core dumps"
        ]
        for pattern in ("", "core", "|/usr/share/apport/apport %p %s")
    }
    assert [[check.ok for check in checks] for checks in by_name.values()] == [[], [True], [None]]
    (piped,) = by_name["|/usr/share/apport/apport %p %s"]
    assert piped.found == "piped to /usr/share/apport/apport"
    assert "core_pattern=core" in piped.advice


def test_what_cannot_be_judged_or_cannot_be_reached_is_a_note() -> None:
    assert check_runc(facts(runc="")).ok is None
    assert check_kernel(facts(info={"KernelVersion": "?"})).ok is None
    old = check_engine(facts(engine="20.10.24"))
    assert (old.ok, "CVE-2024-29018" in old.found) == (None, True)


def test_an_old_engine_is_a_fault_and_an_unreadable_version_is_not() -> None:
    assert check_engine(facts(engine="19.3.1")).ok is False
    assert check_engine(facts(engine="dev")).ok is None


@pytest.mark.parametrize(("key", "word"), [("MemoryLimit", "memory"), ("PidsLimit", "pids"), ("SwapLimit", "swap")])
def test_a_limit_that_is_not_enforced_is_a_fault_with_its_name(key: str, word: str) -> None:
    check = check_limits(facts(info={key: False}))
    assert (check.ok, check.found) == (False, f"not enforced: {word}")
    assert "cgroup_enable" in check.advice


def test_no_seccomp_is_a_fault_and_no_gvisor_is_a_note() -> None:
    checks = judge_engine(facts(info={"SecurityOptions": None, "Runtimes": None}), memory_bytes=1)
    by_name = {check.name: check for check in checks}
    assert by_name["seccomp"].ok is False
    assert by_name["gVisor"].ok is None


def test_no_bridge_is_a_note_since_jobs_need_none() -> None:
    by_name = {check.name: check for check in judge_engine(facts(bridge=False), memory_bytes=1)}
    assert (by_name["network"].ok, by_name["network"].found) == (None, "no bridge: --allow-network is refused")


def test_an_open_escape_within_a_jobs_reach_is_a_fault() -> None:
    check = check_runc(facts(runc="1.1.5+ds1", package="1.1.5+ds1-1"))
    assert (check.ok, check.found) == (False, "1.1.5+ds1-1, open: CVE-2024-21626")
    assert "Update" in check.advice


def test_a_backport_closes_it_and_what_jobs_cannot_reach_is_a_note(tmp_path: Path) -> None:
    changelog = tmp_path / "changelog.gz"
    changelog.write_bytes(gzip.compress(b"runc (1.1.5+ds1-1+deb12u1) x; y\n * CVE-2024-21626\n"))
    check = check_runc(facts(runc="1.1.5+ds1", package="1.1.5+ds1-1+deb12u1", changelog=changelog))
    assert check.ok is None
    assert "CVE-2024-21626" not in check.found
    assert "CVE-2025-52881" in check.found
    assert "not exploitable from a job (it needs control over the image or the mounts" in check.found


def test_an_old_plain_kernel_is_a_fault() -> None:
    check = check_kernel(facts(info={"KernelVersion": "6.5.1"}))
    assert (check.ok, check.found) == (False, "6.5.1, open: CVE-2024-1086, CVE-2025-38236")


def test_a_distributions_kernel_number_proves_nothing() -> None:
    check = check_kernel(facts(info={"KernelVersion": "5.15.0-105-generic"}))
    assert check.ok is None
    assert "Check with your distribution" in check.advice


def test_a_debian_kernels_banner_names_the_version_behind_its_number() -> None:
    banner = "Linux version 6.1.0-50-amd64 (gcc-12 (Debian 12.2.0-14) 12.2.0) #1 SMP Debian 6.1.174-1 (2026-06-01)"
    check = check_kernel(facts(info={"KernelVersion": "6.1.0-50-amd64"}, kernel_banner=banner))
    assert (check.ok, check.found) == (True, "6.1.0-50-amd64 (6.1.174), known escapes fixed")


def test_what_the_profile_refuses_leaves_an_old_kernel_with_a_note() -> None:
    check = check_kernel(facts(info={"KernelVersion": "6.18.21"}))
    assert check.ok is None
    assert "CVE-2026-31431" in check.found
    assert "which the profile refuses" in check.found


def test_gvisor_that_the_engine_does_not_know_is_told_how_to_make_known() -> None:
    checks = judge_engine(facts(info={"Runtimes": {"runc": {}}}, runsc="/usr/bin/runsc"), memory_bytes=2 * 1024**3)
    gvisor = next(check for check in checks if check.name == "gVisor")
    assert gvisor.ok is None
    assert gvisor.found.startswith("/usr/bin/runsc")
    assert '"path": "/usr/bin/runsc"' in gvisor.advice


RUNTIMES = ("io.containerd.runc.v2", "runc", "runsc")


def enforcing(_: str) -> Sequence[str]:
    return ()


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
