"""The container engine and its machine: facts are read first, then judged by pure functions."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker

from refute.doctor import known_escapes
from refute.doctor.check import Check
from refute.doctor.known_escapes import Escape, fixed_in_package, open_escapes, parse_version
from refute.sandbox.connection import is_on_this_machine

OLDEST_ENGINE = (20, 10)
"""The oldest engine that the sandbox is tested on."""

_CHANGELOG = Path("/usr/share/doc/runc/changelog.Debian.gz")
_KERNEL_BANNER = Path("/proc/version")
_CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the engine and this machine say about themselves."""

    version: Mapping[str, Any]
    """The engine's `/version`."""
    info: Mapping[str, Any]
    """The engine's `/info`."""
    local: bool
    """Whether the engine runs on this machine, so that files here speak about it."""
    bridge: bool = True
    """Whether it has a network that leads out."""
    changelog: Path = _CHANGELOG
    kernel_banner: str = ""
    """`/proc/version`, which names the version behind a Debian kernel's ABI number."""
    core_pattern: str = ""
    """What the kernel does with cores, where the engine is on this machine."""
    runsc: str = ""
    """Where gVisor's program is, where the engine is on this machine."""


def read_facts(client: docker.DockerClient) -> Facts:
    """Asks the engine.

    Raises:
        DockerException: it refuses.
        RequestException: it does not answer.
    """
    local = is_on_this_machine(client.api)
    banner = _KERNEL_BANNER.read_text(encoding="utf-8", errors="replace") if local else ""
    cores = _CORE_PATTERN.read_text(encoding="utf-8", errors="replace").strip() if local else ""
    networks = client.api.networks(filters={"driver": "bridge"})
    bridge = any(network.get("Name") in {"bridge", "podman"} for network in networks)
    return Facts(
        version=client.version(),
        info=client.info(),
        local=local,
        bridge=bridge,
        kernel_banner=banner,
        core_pattern=cores,
        runsc=(shutil.which("runsc") or "") if local else "",
    )


def judge_engine(facts: Facts, *, memory_bytes: int) -> Iterator[Check]:
    """All checks of the engine and its machine.

    Args:
        facts: what `read_facts` gave.
        memory_bytes: what one job may use.
    """
    yield check_engine(facts)
    yield check_limits(facts)
    yield check_memory(facts, memory_bytes)
    yield check_seccomp(facts)
    yield check_runc(facts)
    yield check_kernel(facts)
    yield check_gvisor(facts)
    yield check_network(facts)
    if facts.core_pattern:
        yield check_cores(facts)


def check_engine(facts: Facts) -> Check:
    """An engine of a version that the sandbox is tested on."""
    text = str(facts.version.get("Version", ""))
    version = parse_version(text)
    if version is None:
        return Check(name="engine", ok=None, found=f"version {text!r}", advice="Check that it is 20.10 or newer.")
    podman = "Podman" in str(facts.version.get("Components", ""))
    recent = version[:2] >= OLDEST_ENGINE or podman
    advice = "" if recent else "Update the engine to 20.10 or newer."
    where = "on this machine" if facts.local else "on another machine"
    missing = [] if podman else open_escapes(version, known_escapes.ENGINE)
    if recent and missing:
        return _judged("engine", f"{text}, {where}", missing, "a current engine")
    return Check(name="engine", ok=recent, found=f"{text}, {where}", advice=advice)


def check_limits(facts: Facts) -> Check:
    """The limits that the profile sets must be enforced: an engine accepts them either way."""
    wanted = {"MemoryLimit": "memory", "SwapLimit": "swap", "PidsLimit": "pids", "CpuCfsQuota": "cpu"}
    missing = [word for key, word in wanted.items() if facts.info.get(key) is False]
    if missing:
        advice = "Enable these cgroup controllers (kernel command line cgroup_enable=memory swapaccount=1), restart."
        return Check(name="limits", ok=False, found=f"not enforced: {', '.join(missing)}", advice=advice)
    return Check(
        name="limits", ok=True, found=f"memory, swap, pids, cpu (cgroup v{facts.info.get('CgroupVersion', '?')})"
    )


def check_memory(facts: Facts, memory_bytes: int) -> Check:
    """The machine can give one job what it may use."""
    total = int(facts.info.get("MemTotal", 0))
    enough = total > memory_bytes
    advice = "" if enough else f"Lower `memory_bytes` ({memory_bytes / 1e9:.1f} GB) or use a larger machine."
    return Check(name="memory", ok=enough, found=f"{total / 1e9:.1f} GB", advice=advice)


def check_seccomp(facts: Facts) -> Check:
    """The engine can filter system calls."""
    able = any("seccomp" in option for option in facts.info.get("SecurityOptions") or ())
    advice = "" if able else "Use an engine and a kernel with seccomp (CONFIG_SECCOMP_FILTER)."
    return Check(name="seccomp", ok=able, found="available" if able else "not available", advice=advice)


def check_runc(facts: Facts) -> Check:
    """Whether runc carries the fixes of known escapes, its package's backports considered."""
    parts = {part.get("Name"): part for part in facts.version.get("Components") or ()}
    runc = parts.get("runc", {})
    text, package = str(runc.get("Version", "")), str(runc.get("Details", {}).get("GitCommit", ""))
    version = parse_version(text)
    if version is None:
        advice = "Look at `runc --version` where the engine runs; 1.2.8, 1.3.3 and newer have the known fixes."
        return Check(name="runc", ok=None, found=text or "not named by the engine", advice=advice)
    backported = (fixed_in_package(facts.changelog, package) if facts.local else None) or frozenset()
    missing = [escape for escape in open_escapes(version, known_escapes.RUNC) if escape.cve not in backported]
    return _judged("runc", package if package.startswith(text) else text, missing, "1.2.8, 1.3.3 or newer")


def check_kernel(facts: Facts) -> Check:
    """Whether the kernel carries the fixes of known escapes; a distribution's number may hide what it has."""
    text = str(facts.info.get("KernelVersion", ""))
    debian = f" Debian {facts.kernel_banner.partition(' Debian ')[2]}" if " Debian " in facts.kernel_banner else ""
    version = parse_version(debian) or parse_version(text)
    if version is None:
        return Check(name="kernel", ok=None, found=text or "unknown", advice="Check that it is current.")
    missing = open_escapes(version, known_escapes.KERNEL)
    shown = f"{text} ({'.'.join(map(str, version[:3]))})" if debian else text
    if missing and not debian and "-" in text:
        # A distribution's kernel keeps its number and takes fixes in; from outside nothing can be said.
        cves = ", ".join(escape.cve for escape in missing)
        advice = f"Check with your distribution that this kernel has the fixes of {cves}."
        return Check(name="kernel", ok=None, found=shown, advice=advice)
    return _judged("kernel", shown, missing, "a current kernel")


def check_gvisor(facts: Facts) -> Check:
    """A second wall around jobs, optional."""
    if "runsc" in (facts.info.get("Runtimes") or {}):
        return Check(name="gVisor", ok=True, found="runsc", advice="")
    if facts.runsc:
        known = f'{{"runtimes": {{"runsc": {{"path": "{facts.runsc}"}}}}}}'
        advice = f"Optional: put {known} into /etc/docker/daemon.json and restart the engine."
        return Check(name="gVisor", ok=None, found=f"{facts.runsc}, of which the engine does not know", advice=advice)
    advice = "Optional: a second wall around jobs (Debian package runsc)."
    return Check(name="gVisor", ok=None, found="not installed", advice=advice)


def check_network(facts: Facts) -> Check:
    """Whether `--allow-network` can work; jobs have no network otherwise."""
    if facts.bridge:
        return Check(name="network", ok=True, found="none for jobs; --allow-network can open hosts")
    advice = "Only for --allow-network: start the engine with its bridge and iptables."
    return Check(name="network", ok=None, found="no bridge: --allow-network is refused", advice=advice)


def check_cores(facts: Facts) -> Check:
    """Whether a crash inside a container makes the kernel start a program outside, which no limit of a job stops."""
    if not facts.core_pattern.startswith("|"):
        return Check(name="core dumps", ok=True, found="a crash in a job starts no program on the host")
    program = facts.core_pattern.removeprefix("|").split()[:1]
    advice = "A job that crashes has it run as root here. If nobody needs it: sysctl -w kernel.core_pattern=core"
    return Check(name="core dumps", ok=None, found=f"piped to {' '.join(program) or 'a program'}", advice=advice)


def _judged(name: str, found: str, missing: list[Escape], wanted: str) -> Check:
    if not missing:
        return Check(name=name, ok=True, found=f"{found}, known escapes fixed")
    reachable = [escape for escape in missing if not escape.needs]
    cves = ", ".join(escape.cve for escape in reachable or missing)
    advice = f"Update to {wanted}, or to a package that names the fix in its changelog."
    if reachable:
        return Check(name=name, ok=False, found=f"{found}, open: {cves}", advice=advice)
    return Check(
        name=name,
        ok=None,
        found=f"{found}, vulnerable, but not exploitable from a job (it needs {missing[0].needs}): {cves}",
        advice=advice,
    )
