"""What stands in the sandbox image: what stays of the base, and what we add."""

import re
from collections.abc import Iterator

from refute.sandbox.image_pack import Entry

SUBJECT = 65532
"""User and group id that jobs run as."""

SITE = "usr/local/lib/site-packages"
"""Our wheels. The driver takes them from here; for verification scripts a .pth puts them last on the path, so
that a ticket's own requirements win."""

DRIVER = "opt/refute/driver"
"""The driver's sources, next to which Python finds their byte code."""

DROPPED = (
    ".dockerenv",
    "boot/",
    "dev/",
    "etc/.pwd.lock",
    "etc/apt/",
    "etc/cron.*/",
    "etc/group-",
    "etc/gshadow*",
    "etc/hostname",
    "etc/hosts",
    "etc/machine-id",
    "etc/mtab",
    "etc/passwd-",
    "etc/resolv.conf",
    "etc/shadow*",
    "proc/",
    "root/",
    "run/",
    "sys/",
    "tmp/",
    "usr/share/doc/",
    "usr/share/doc-base/",
    "usr/share/info/",
    "usr/share/lintian/",
    "usr/share/locale/",
    "usr/share/man/",
    "var/cache/",
    "var/lib/apt/",
    "var/lib/dbus/machine-id",
    "var/lib/dpkg/*-old",
    "var/log/",
    "var/tmp/",
)
"""Patterns of what the root file system does without: identity, secrets, logs, caches, manuals, and whatever
would differ between two builds. A pattern that ends with a slash empties the directory."""

KEPT = ("usr/share/doc/*/copyright",)
"""Exceptions: licences travel with what they cover."""


def is_kept(path: str) -> bool:
    """Says whether a path of the base stays in the image."""
    return bool(_KEPT.fullmatch(path)) or not _DROPPED.fullmatch(path)


def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Glob → expression in which `*` stops at a slash and a trailing slash means everything below."""
    parts = [re.escape(p).replace(r"\*", "[^/]*") + (".+" if p.endswith("/") else "") for p in patterns]
    return re.compile("|".join(parts), re.DOTALL)


_DROPPED = _compiled(DROPPED)
_KEPT = _compiled(KEPT)


def rootfs_entries() -> Iterator[Entry]:
    """What we add to the root file system."""
    yield Entry(path="home/subject", owner=SUBJECT)
    yield Entry(path="workspace", owner=SUBJECT)
    yield Entry(path="tmp", mode=0o1777)
    yield Entry(path="var/tmp", mode=0o1777)


def wheel_entries(python: str) -> Iterator[Entry]:
    """The pytest command, and the .pth files that put our wheels on the ordinary path.

    Debian's Python looks in dist-packages, the official images' in site-packages; the other is ignored.
    """
    for folder in ("dist-packages", "site-packages"):
        path = f"usr/local/lib/python{python}/{folder}/refute.pth"
        yield Entry(path=path, content=f"/{SITE}\n".encode(), mode=0o644)
    command = b"#!/usr/bin/python3\nimport sys\n\nimport pytest\n\nsys.exit(pytest.main())\n"
    yield Entry(path="usr/local/bin/pytest", content=command)
    yield Entry(path="usr/local/bin/py.test", link="pytest")
