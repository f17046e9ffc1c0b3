"""The key of a run: a digest over everything that decides what its containers say, as far as anybody can know it.

Files, attack with its plan, command, environment, limits and the whole hardened profile go in as the engine gets them;
the driver is in the image. Who runs it (run and ticket id, labels, the plan's nonce) does not.
"""

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import refute
from refute.adversary.contract import PLAN
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Job
from refute.sandbox.profile import container_config, environment, subject

READERS: Final = (
    "sandbox/**/*",
    "adversary/attack.py",
    "adversary/contract.py",
    "adversary/counterexample.py",
    "adversary/plain_pytest.py",
    "adversary/suite.py",
    "adversary/property/differential.py",
    "adversary/strength/*.py",
)
"""Our own files, below the package, that make jobs or read what these left. What judges that runs anew each time."""
IRRELEVANT_FACTS: Final = frozenset({"runtimes"})
"""Of an engine: what else it has besides the runtime that is used."""


def run_key(jobs: Sequence[Job], facts: EngineFacts, also: Sequence[object] = ()) -> str:
    """The key of jobs whose results are cached together.

    Args:
        jobs: with all their files.
        facts: of the engine that would run them.
        also: what else decides whether a result may stand for a later one; JSON.

    Returns:
        SHA-256 in hex.
    """
    engine = {name: value for name, value in asdict(facts).items() if name not in IRRELEVANT_FACTS}
    described = [refute.__version__, readers_digest(), engine, [_described(job, facts) for job in jobs], also]
    return hashlib.sha256(_canonical(described)).hexdigest()


@functools.cache
def readers_digest() -> str:
    """SHA-256 over our own code that makes jobs and reads what they left, in hex; a few milliseconds."""
    root = Path(refute.__file__).parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in READERS for path in root.glob(pattern)}):
        if path.suffix in {".py", ".json"}:
            digest.update(f"{path.relative_to(root)}\0{_digest(path.read_bytes())}\0".encode())
    return digest.hexdigest()


def _described(job: Job, facts: EngineFacts) -> dict[str, Any]:
    return {
        "name": job.name,
        "container": container_config(job, labels={}, cpus_available=facts.cpus, runtime=facts.runtime),
        "user": subject(job),
        "surroundings": asdict(job.surroundings),
        "environment": environment(job),
        "command": job.command,
        "limits": asdict(job.limits),
        "workspace": _digest(job.workspace),
        "attack_files": {name: _digest(_lasting(name, content)) for name, content in job.attack_files.items()},
        "collect": job.collect,
        "network": [job.allowed_hosts, job.egress_networks],
    }


def _lasting(name: str, content: bytes) -> bytes:
    """A file of the attack without what is drawn anew for each run."""
    if name != PLAN:
        return content
    plan = json.loads(content)
    del plan["nonce"]
    return _canonical(plan)


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
