"""Whatever decides what a container says changes the key; who runs it does not."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import refute
from refute.caching import key
from refute.caching.key import readers_digest, run_key
from refute.sandbox import profile
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Job, Limits
from refute.sandbox.surroundings import SECOND
from tests.fakes.jobs import FACTS
from tests.refute.caching.records import job

CHANGED: dict[str, Any] = {
    "name": "attack",
    "image_id": "sha256:2",
    "command": ("bash", "-c", "false"),
    "workspace": b"one byte else",
    "attack_files": {**job().attack_files, "test_x.py": b"A = 2"},
    "environment": {"PATH": "/opt"},
    "allowed_hosts": ("example.org",),
    "egress_networks": ("10.0.0.0/8",),
    "collect": ("other.json",),
    "surroundings": SECOND,
}
LIMITS: dict[str, Any] = {
    "timeout_s": 31,
    "memory_bytes": 2**28,
    "cpus": 1.0,
    "pids": 99,
    "workspace_bytes": 1,
    "workspace_inodes": 2,
    "tmp_bytes": 3,
    "file_bytes": 4,
    "output_bytes": 5,
}
OTHER_ENGINE: dict[str, Any] = {
    "name": "docker 21",
    "runtime": "runsc",
    "cpus": 1.0,
    "memory_limit": False,
    "pids_limit": False,
    "seccomp": False,
}
KEY = run_key([job()], FACTS)


def test_the_same_job_has_the_same_key_whoever_runs_it() -> None:
    plan = b'{"tests": ["test_a"], "nonce": "2"}'
    again = job(run_id="run-2", ticket_id="TCK-2", attack_files={**job().attack_files, "plan.json": plan})
    assert run_key([again], replace(FACTS, runtimes=("runc", "runsc"))) == KEY


@pytest.mark.parametrize("name", CHANGED)
def test_whatever_is_in_a_job_changes_its_key(name: str) -> None:
    assert run_key([replace(job(), **{name: CHANGED[name]})], FACTS) != KEY


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_changes_the_key(name: str) -> None:
    changed = replace(job(), limits=replace(job().limits, **{name: LIMITS[name]}))
    assert run_key([changed], FACTS) != KEY


@pytest.mark.parametrize("name", OTHER_ENGINE)
def test_another_engine_or_runtime_changes_the_key(name: str) -> None:
    assert run_key([job()], replace(FACTS, **{name: OTHER_ENGINE[name]})) != KEY


def test_nothing_that_a_job_or_an_engine_says_is_forgotten_here() -> None:
    assert {one.name for one in fields(Job)} == {*CHANGED, "limits", "run_id", "ticket_id"}
    assert {one.name for one in fields(Limits)} == {*LIMITS}
    assert {one.name for one in fields(EngineFacts)} == {*OTHER_ENGINE, "runtimes"}


def test_what_the_plan_asks_for_changes_the_key() -> None:
    plan = b'{"tests": ["test_a"], "nonce": "1", "repetitions": 9}'
    assert run_key([job(attack_files={**job().attack_files, "plan.json": plan})], FACTS) != KEY


def test_the_hardened_profile_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "SHM_BYTES", 1)
    assert run_key([job()], FACTS) != KEY


def test_another_version_of_refute_or_of_what_reads_results_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(refute, "__version__", "999")
        assert run_key([job()], FACTS) != KEY
    monkeypatch.setattr(key, "readers_digest", lambda: "changed")
    assert run_key([job()], FACTS) != KEY


def test_the_code_that_reads_results_is_found() -> None:
    paths = [path for pattern in key.READERS for path in Path(refute.__file__).parent.glob(pattern)]
    assert {"seccomp.json", "evidence.py", "suite.py", "contract.py", "trial.py"} <= {path.name for path in paths}
    assert len(readers_digest()) == 64
