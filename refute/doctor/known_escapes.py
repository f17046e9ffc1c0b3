"""Known ways out of a container, and the versions that closed them.

A version older than the fix need not be open: distributions carry fixes back without raising the upstream
version. So the answer has three values, and a package's own changelog is asked where it can be read.
"""

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Version = tuple[int, int, int, int]
"""Major, minor, patch, and release candidate (a large number for a final release)."""

_FINAL = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    """One weakness that lets a container's process reach its host."""

    cve: str
    fixed: tuple[str, ...]
    """The first fixed version of each maintained series; series after the last one have the fix."""
    since: str = ""
    """The first version that has the weakness; empty for all."""
    needs: str = ""
    """What an attacker needs that a refute job does not have; empty where an ordinary process is enough."""
    source: str
    """Where the versions are from, with the date of reading."""


_MOUNTS = "control over the image or the mounts of a container that is starting"
"""Jobs have none of it: the image is ours, its root read-only, each container is used once, no volume is shared."""

RUNC: tuple[Escape, ...] = (
    Escape(
        cve="CVE-2024-21626",
        fixed=("1.1.12",),
        source="https://github.com/opencontainers/runc/security/advisories/GHSA-xr7r-f8xq-vfvv, 2024-01-31",
    ),
    Escape(
        cve="CVE-2025-31133",
        fixed=("1.2.8", "1.3.3", "1.4.0-rc.3"),
        needs=_MOUNTS,
        source="https://github.com/opencontainers/runc/security/advisories/GHSA-9493-h29p-rfm2, 2025-11-05",
    ),
    Escape(
        cve="CVE-2025-52565",
        fixed=("1.2.8", "1.3.3", "1.4.0-rc.3"),
        needs=_MOUNTS,
        source="https://github.com/opencontainers/runc/security/advisories/GHSA-qw9x-cqr3-wc7r, 2025-11-05",
    ),
    Escape(
        cve="CVE-2025-52881",
        fixed=("1.2.8", "1.3.3", "1.4.0-rc.3"),
        needs=_MOUNTS,
        source="https://github.com/opencontainers/runc/security/advisories/GHSA-cgrx-mc8f-2prm, 2025-11-05",
    ),
)

_NETWORK_OPTION = "--allow-network on an engine that asks the machine's own resolver"
"""Refute's networks have no resolver (docs/adr/0011-egress.md), and without that option a job has no network."""
_REFUSED = "a socket of another family or a user namespace, which the profile refuses"

ENGINE: tuple[Escape, ...] = (
    Escape(
        cve="CVE-2024-29018",
        fixed=("23.0.11", "25.0.5", "26.0.0-rc.3"),
        needs=_NETWORK_OPTION,
        source="https://github.com/moby/moby/security/advisories/GHSA-mq39-4gv4-mvpx, read 2026-11-22",
    ),
)
"""Of Docker itself. Not listed: what needs an image, a build or an authorisation plugin of an attacker's."""

KERNEL: tuple[Escape, ...] = (
    Escape(
        cve="CVE-2022-0185",
        fixed=("5.4.173", "5.10.93", "5.15.16", "5.16.2"),
        source="https://www.openwall.com/lists/oss-security/2022/01/18/7, 2022-01-18",
    ),
    Escape(
        cve="CVE-2022-0492",
        fixed=("5.4.177", "5.10.97", "5.15.20", "5.16.6"),
        source="https://nvd.nist.gov/vuln/detail/CVE-2022-0492, 2022-03-03",
    ),
    Escape(
        cve="CVE-2022-0847",
        fixed=("5.10.102", "5.15.25", "5.16.11"),
        source="https://dirtypipe.cm4all.com, 2022-03-07",
    ),
    Escape(
        cve="CVE-2024-1086",
        fixed=("5.4.269", "5.10.210", "5.15.149", "6.1.76", "6.6.15", "6.7.3"),
        source="https://nvd.nist.gov/vuln/detail/CVE-2024-1086, 2024-01-31",
    ),
    Escape(
        cve="CVE-2025-38236",
        fixed=("5.15.194", "6.1.143", "6.6.96", "6.12.36", "6.15.5", "6.16.0"),
        since="5.15.0",
        source="https://www.cve.org/CVERecord?id=CVE-2025-38236, read 2026-11-22",
    ),
    Escape(
        cve="CVE-2026-31431",
        fixed=("5.10.254", "5.15.204", "6.1.170", "6.6.137", "6.12.85", "6.18.22", "6.19.12", "7.0.0"),
        since="4.14.0",
        needs=_REFUSED,
        source="https://www.cve.org/CVERecord?id=CVE-2026-31431, read 2026-11-22",
    ),
    Escape(
        cve="CVE-2026-43284",
        fixed=("5.10.255", "5.15.206", "6.1.172", "6.6.138", "6.12.87", "6.18.28", "7.0.5", "7.1.0"),
        since="4.11.0",
        needs=_REFUSED,
        source="https://www.cve.org/CVERecord?id=CVE-2026-43284, read 2026-11-22",
    ),
    Escape(
        cve="CVE-2026-46300",
        fixed=("5.10.257", "5.15.208", "6.1.174", "6.6.141", "6.12.91", "6.18.33", "7.0.10"),
        since="3.9.0",
        needs=_REFUSED,
        source="https://www.cve.org/CVERecord?id=CVE-2026-46300, read 2026-11-22",
    ),
)
"""Kernel weaknesses that were exploited from containers. Not covered: everything newer or less known; keeping the
kernel current covers more than any list."""


def parse_version(text: str) -> Version | None:
    """Reads `1.2.3`, `1.2.3-rc.4` and what distributions append; None if there is no such number."""
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?(?:[-~]rc\.?(\d+))?", text, re.ASCII)
    if match is None:
        return None
    major, minor, patch, candidate = match.groups()
    return int(major), int(minor), int(patch or 0), int(candidate) if candidate else _FINAL


def open_escapes(version: Version, escapes: Iterable[Escape]) -> list[Escape]:
    """Those that this upstream version does not have the fix of."""
    return [escape for escape in escapes if not _has_fix(version, escape)]


def _has_fix(version: Version, escape: Escape) -> bool:
    if (since := parse_version(escape.since)) is not None and version < since:
        return True
    fixes = sorted(fix for text in escape.fixed if (fix := parse_version(text)) is not None)
    for fix in fixes:
        if fix[:2] == version[:2]:
            return version >= fix
    return version > fixes[-1]


def fixed_in_package(changelog: Path, package_version: str) -> frozenset[str] | None:
    """The CVEs that a Debian package's changelog names, if it is the changelog of this very version.

    Args:
        changelog: `/usr/share/doc/<package>/changelog.Debian.gz`.
        package_version: what the running program says it was built as.

    Returns:
        None if there is no such changelog, or it is another version's.
    """
    try:
        text = gzip.decompress(changelog.read_bytes()).decode(errors="replace")
    except (OSError, EOFError, gzip.BadGzipFile):
        return None
    first = re.match(r"\S+ \((?:\d+:)?([^)]+)\)", text)
    if first is None or first[1] != package_version:
        return None
    return frozenset(re.findall(r"CVE-\d{4}-\d{4,}", text, re.ASCII))
