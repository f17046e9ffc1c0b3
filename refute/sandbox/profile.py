"""The hardening that every job's container gets, as plain data for the engine's API. Why each line: docs/adr/0004.

Field names are those of the Docker Engine API 1.41 (https://docs.docker.com/engine/api/v1.41/, 2026-11-21).
"""

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from refute.sandbox.job import MEBIBYTE, Job, Limits
from refute.sandbox.runtime import is_gvisor, masked_paths
from refute.sandbox.surroundings import FIRST, Runner

KEEPER: Final = "65531:65531"
"""PID 1 runs as this one, so that a job cannot end it by writing to `/proc/1/mem`; signals it ignores anyway."""

WORKSPACE: Final = FIRST.workspace
OURS: Final = "/opt"
"""Holds the driver and nothing else."""
HOMES: Final = "/home"
HOME: Final = "/home/subject"

HOMES_BYTES: Final = 64 * MEBIBYTE
ATTACK_BYTES: Final = 64 * MEBIBYTE
SMALL_INODES: Final = 8_192
"""Inodes of `/home`, `/attack` and `/tmp`."""
SHM_BYTES: Final = 64 * MEBIBYTE
OPEN_FILES: Final = 1_024
TERMINALS: Final = 64
"""Pseudo-terminals of a job. All containers of a machine share some 3,000, so that one job could take the others'."""
CPU_SHARES: Final = 128
"""An eighth of the engine's default: a job never starves the machine that watches it."""
EXPIRY_MARGIN_S: Final = 60
"""A container ends itself this long after its job's deadline, should nobody be left to end it."""

KEEP: Final = ("/usr/bin/env", "--default-signal", "--ignore-signal=CHLD", "bash", "-c", 'exec -a "$0" sleep "$1"')
"""PID 1: sleeps until expiry, by the name that follows.

With SIGCHLD ignored the kernel reaps orphans, so they never fill up the pids limit.
"""

MASKED_PATHS: Final = (
    # The engine's own list, which a list of ours replaces (moby oci/defaults.go).
    "/proc/acpi",
    "/proc/asound",
    "/proc/interrupts",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
    # Ours: facts about the host, and a message queue file system that mq_open's refusal does not cover.
    "/dev/mqueue",
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/diskstats",
    "/proc/kallsyms",
    "/proc/key-users",
    "/proc/locks",
    "/proc/modules",
    "/proc/partitions",
    "/proc/pressure",  # whoever may write there has the kernel watch the machine's load for it
    "/proc/sysrq-trigger",
    "/sys/block",
    "/sys/kernel",
)
READONLY_PATHS: Final = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys")

BASE_ENVIRONMENT: Final[Mapping[str, str]] = {
    "HOME": HOME,
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # what was printed before a time-out must have been written
    "TMPDIR": "/tmp",  # noqa: S108 (inside the container)
    **FIRST.environment,
}
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def environment(job: Job) -> dict[str, str]:
    """The whole environment of the job's command; nothing is taken from the host or the image.

    Raises:
        ValueError: a variable's name or value cannot stand in an environment.
    """
    for name, value in job.environment.items():
        if not VARIABLE.fullmatch(name) or "\0" in value:
            raise ValueError(f"environment of job {job.name!r}: got {name!r}, expected a name like A_B and no NUL")
    return {**BASE_ENVIRONMENT, **job.surroundings.environment, **job.environment}


def subject(job: Job) -> str:
    """The user and group that a job runs as, as the engine takes them."""
    return f"{job.surroundings.user}:{job.surroundings.user}"


def container_config(
    job: Job, *, labels: Mapping[str, str], cpus_available: float, waiting_s: float = 0.0, runtime: str = ""
) -> dict[str, Any]:
    """The body of `POST /containers/create` for a job.

    Args:
        job: what will run.
        labels: for the container and its volumes, so that the reaper finds both.
        cpus_available: the engine refuses to grant more than it has.
        waiting_s: how long the container may wait for its job; it lives as much longer.
        runtime: the engine's name of it; empty for its default.
    """
    expiry_s = int(job.limits.timeout_s + waiting_s) + EXPIRY_MARGIN_S
    return {
        "Image": job.image_id,
        "Entrypoint": [],
        "Cmd": [*KEEP, job.surroundings.first_process, str(expiry_s)],
        "User": KEEPER,
        "Hostname": job.surroundings.host,
        "WorkingDir": "/",
        "Env": [f"{name}={value}" for name, value in sorted(BASE_ENVIRONMENT.items())],
        "Labels": dict(labels),
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": {
            **_isolation(job),
            **({"Runtime": runtime, "MaskedPaths": masked_paths(MASKED_PATHS, runtime)} if runtime else {}),
            **_limits(job.limits, cpus_available),
            "Tmpfs": {
                "/tmp": _tmpfs_options(job.limits.tmp_bytes),  # noqa: S108 (inside the container)
                **({} if job.surroundings.runner is Runner.DRIVER else {OURS: "ro,size=4k,mode=0755"}),
            },
            "Mounts": [
                *(
                    _storage(target, size, inodes, labels, job.surroundings.user)
                    for target, (size, inodes) in volumes(job).items()
                ),
                *([] if is_gvisor(runtime) else [_terminals(labels)]),  # gVisor's are its own
            ],
        },
    }


def volumes(job: Job) -> dict[str, tuple[int, int]]:
    """Where a job may write and have it read back: mount point → (bytes, inodes). All in memory, none on a disk."""
    sizes = {
        job.surroundings.workspace: (job.limits.workspace_bytes, job.limits.workspace_inodes),
        HOMES: (HOMES_BYTES, SMALL_INODES),
    }
    if job.attack_files:
        sizes[job.surroundings.tests] = (ATTACK_BYTES, SMALL_INODES)
    return sizes


@functools.cache
def seccomp_profile() -> str:
    """The system calls that a job may make, as compact JSON."""
    text = resources.files("refute.sandbox").joinpath("seccomp.json").read_text(encoding="utf-8")
    return json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True)


@functools.cache
def profile_digest() -> str:
    """SHA-256 over everything above, in hex; a job's own limits, labels and image are left out."""
    job = Job(
        name="",
        run_id="",
        ticket_id="",
        image_id="",
        command=(),
        workspace=b"",
        limits=Limits(timeout_s=1),
        attack_files={"plan": b""},
    )
    config = container_config(job, labels={}, cpus_available=job.limits.cpus)
    canonical = json.dumps([config, environment(job), subject(job)], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _isolation(job: Job) -> dict[str, Any]:
    return {
        "AutoRemove": True,
        "Init": False,
        # Not `NetworkDisabled`, which is a tenth of a second quicker: without the engine's hosts file not even
        # `localhost` has an address, and right code fails.
        "NetworkMode": "none",
        "ExtraHosts": [f"{job.surroundings.host}:127.0.0.1"],
        "Dns": ["127.0.0.1"],  # else the host's name servers and search domains are told
        "DnsSearch": ["."],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "Privileged": False,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={seccomp_profile()}"],
        "ReadonlyRootfs": True,
        "MaskedPaths": list(MASKED_PATHS),
        "ReadonlyPaths": list(READONLY_PATHS),
        "LogConfig": {"Type": "none"},
        "RestartPolicy": {"Name": "no"},
    }


def _limits(limits: Limits, cpus_available: float) -> dict[str, Any]:
    return {
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,  # memory and swap together: no swap
        "ShmSize": SHM_BYTES,
        "NanoCpus": int(min(limits.cpus, cpus_available) * 1e9),
        "CpuShares": CPU_SHARES,
        "PidsLimit": limits.pids,
        "Ulimits": [
            {"Name": "nofile", "Soft": OPEN_FILES, "Hard": OPEN_FILES},
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": limits.file_bytes, "Hard": limits.file_bytes},
        ],
    }


def _tmpfs_options(size: int) -> str:
    return f"rw,nosuid,nodev,exec,size={size},nr_inodes={SMALL_INODES},mode=1777"


def _storage(target: str, size: int, inodes: int, labels: Mapping[str, str], user: int) -> dict[str, Any]:
    """`docker cp` reads volumes, but not tmpfs mounts."""
    options = f"size={size},nr_inodes={inodes},uid={user},gid={user},mode=0755,nosuid,nodev"
    return _volume(target, "tmpfs", options, labels)


def _terminals(labels: Mapping[str, str]) -> dict[str, Any]:
    """In place of the engine's own mount, which knows no limit but the machine's."""
    return _volume("/dev/pts", "devpts", f"max={TERMINALS},mode=0620,ptmxmode=0666,nosuid,noexec", labels)


def _volume(target: str, kind: str, options: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """An anonymous volume: it goes with its container."""
    return {
        "Type": "volume",
        "Target": target,
        "VolumeOptions": {
            "NoCopy": True,
            "Labels": dict(labels),
            "DriverConfig": {"Name": "local", "Options": {"type": kind, "device": kind, "o": options}},
        },
    }
