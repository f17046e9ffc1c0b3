"""What a sandbox is asked to do, and how it ended. The one Protocol that runs anything generated or submitted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from refute.sandbox.surroundings import FIRST, Surroundings

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a job may use."""

    timeout_s: float
    """Wall clock, by the host's monotonic clock."""
    memory_bytes: int = 2 * GIBIBYTE
    cpus: float = 2.0
    pids: int = 256
    workspace_bytes: int = 512 * MEBIBYTE
    workspace_inodes: int = 50_000
    tmp_bytes: int = 128 * MEBIBYTE
    file_bytes: int = 256 * MEBIBYTE
    output_bytes: int = 10 * MEBIBYTE
    """Per stream; a stream that would grow beyond it is cut with a marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One command in one fresh container. Nothing of the host is mounted."""

    name: str
    """The stage, for labels and messages: `verify`, `attack`."""
    run_id: str
    ticket_id: str
    image_id: str
    """`sha256:…`, never a tag."""
    command: tuple[str, ...]
    workspace: bytes
    """Uncompressed tar, unpacked into the workspace, the job's own throwaway copy and working directory."""
    limits: Limits
    attack_files: Mapping[str, bytes] = field(default_factory=dict)
    """Relative path → content, unpacked where the surroundings have tests (absent when empty)."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the profile's own allow-list; never taken from the host."""
    allowed_hosts: tuple[str, ...] = ()
    """`HOST` or `HOST:PORT` that a proxy lets it reach; with none it has no network at all."""
    egress_networks: tuple[str, ...] = ()
    """Private networks (CIDR) that allowed hosts may lie in."""
    surroundings: Surroundings = FIRST
    """What its programs can see of where they run."""
    collect: tuple[str, ...] = ()
    """Names there to read back: regular files only, bounded."""


class Limit(StrEnum):
    """The resource that ended a job."""

    MEMORY = "memory"
    PIDS = "pids"
    DISK = "disk"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """The command ended by itself."""

    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """The wall clock ran out and the container was killed."""

    limit_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """A resource limit was hit."""

    limit: Limit
    detail: str
    """The limit's value in words, e.g. `2.0 GiB of memory`."""
    exit_code: int | None
    """What the command exited with, where it still did."""


End = Exited | TimedOut | LimitReached


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """How a job ended, and what it left."""

    end: End
    stdout: str
    """Decoded with replacement; cut at the output limit."""
    stderr: str
    duration_s: float
    """From the command's start to its end."""
    overhead_s: float
    """Creating, filling, reading back and removing the container."""
    changed_paths: tuple[str, ...] = ()
    """What the command added, changed or removed in its workspace copy."""
    canary_files_touched: tuple[str, ...] = ()
    """Files outside the workspace copy that were changed or destroyed."""
    collected: Mapping[str, bytes] = field(default_factory=dict)


class Sandbox(Protocol):
    """Runs a job in isolation.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """

    def run(self, job: Job) -> JobResult:
        """Run one job in a container of its own."""
        ...
