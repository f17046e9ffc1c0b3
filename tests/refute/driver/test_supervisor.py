"""In which order tests are repeated, and what a worker's environment holds."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from refute.driver.plan import VERSION, Plan, Report
from refute.driver.supervisor import Supervisor, environment


class Rehearsal(Supervisor):
    """Runs nothing: a test whose name begins with `hang` hangs, others fail; notes what would run, in its order."""

    passes: list[tuple[int, list[str]]]

    def _run_pass(self, names: Sequence[str], repetition: int) -> dict[str, Report]:
        self.passes.append((repetition, list(names)))
        return {name: Report(name=name, end="timed_out" if name.startswith("hang") else "failed") for name in names}


def plan(folder: Path, tests: list[str]) -> Plan:
    return Plan(
        version=VERSION,
        nonce="n",
        attack_dir=str(folder),
        test_file="t.py",
        results_file="r.json",
        workspace=str(folder),
        import_roots=["."],
        modules=["impl"],
        tests=tests,
        scratch_dir=str(folder),
        repetitions=2,
        test_timeout_s=1.0,
        suite_timeout_s=60.0,
        memory_bytes=1,
        recursion_limits=[1000],
    )


def rehearse(folder: Path, tests: list[str]) -> Rehearsal:
    supervisor = Rehearsal(plan(folder, tests), b"")
    supervisor.passes = []
    supervisor.run()
    return supervisor


def test_what_hangs_is_decided_one_by_one_after_all_others(tmp_path: Path) -> None:
    hanging = ["hang_a", "hang_b"]
    passes = [one for one in rehearse(tmp_path, ["fails", *hanging]).passes[1:] if one[1]]
    assert passes == [
        (1, ["fails"]),
        (2, ["fails"]),
        (1, ["hang_a"]),
        (2, ["hang_a"]),
        (1, ["hang_b"]),
        (2, ["hang_b"]),
    ]


def test_every_repetition_tells_of_every_test_that_did_not_pass(tmp_path: Path) -> None:
    results = rehearse(tmp_path, ["hang_a", "fails", "hang_b", "hang_c"])._results
    assert [{one.name for one in reports} for reports in results.repetitions] == [
        {"hang_a", "fails", "hang_b", "hang_c"}
    ] * 2


def test_a_worker_knows_the_proxy_to_allowed_hosts_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://10.0.0.2:3128")
    monkeypatch.setenv("SECRET", "canary")
    made = environment(plan(tmp_path, []))
    assert made["HTTPS_PROXY"] == "http://10.0.0.2:3128"
    assert "SECRET" not in made
