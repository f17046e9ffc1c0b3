"""Jobs for the sandbox, written in one line."""

import io
import tarfile
from collections.abc import Mapping
from typing import Any, Final

from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Job, Limits

FACTS: Final = EngineFacts(
    name="docker 20", runtime="runc", cpus=2.0, memory_limit=True, pids_limit=True, seccomp=True, runtimes=("runc",)
)
"""Of an engine like any other."""


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """A workspace as the snapshot packs it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def bash_job(
    script: str,
    *,
    image_id: str = "sha256:0",
    files: Mapping[str, bytes] | None = None,
    limits: Mapping[str, Any] | None = None,
    **more: Any,
) -> Job:
    """A job that runs a bash script over a few files."""
    options: dict[str, Any] = {"name": "verify", "run_id": "run-1", "ticket_id": "TCK-1", **more}
    return Job(
        image_id=image_id,
        command=("bash", "-c", script),
        workspace=tar_of({"a.py": b"A = 1\n"} if files is None else files),
        limits=Limits(**{"timeout_s": 240, **(limits or {})}),
        **options,
    )
