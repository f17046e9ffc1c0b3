"""What a ticket's code needs beside the standard library: hash-pinned wheels, as lines and as files.

Nothing of a wheel is executed here, and nothing but a wheel is taken: a source distribution runs its own code while it
is built, with the network at hand.
"""

import hashlib
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.markers import UndefinedEnvironmentName, default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from refute.errors import RequirementsUnavailable

GLIBC_MINOR: Final[Mapping[str, int]] = {"3.11": 36, "3.13": 41}
"""Python version of an image → minor version of its C library, 2.x: that of the suite in `image_recipe.SUITES`
(packages libc6 of bookworm and trixie, 2026-11-22). The official images stand on the same suite or a later one."""

PIN_HINT: Final = "Write each as `name==version --hash=sha256:…`; `uv pip compile --generate-hashes` makes such lines."
_LINE: Final = re.compile(r"(?P<requirement>[^\s-][^\n]*?)(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64})+)\s*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One requirement: exactly this version, in one of exactly these files."""

    name: str
    """Normalised as PEP 503 says."""
    version: str
    hashes: tuple[str, ...]
    """SHA-256 in hex, sorted; several where there is a file per platform."""

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel on disk whose content was checked against its pin."""

    pin: Pin
    path: Path
    sha256: str


def read_pins(lines: Iterable[str], *, python: str, machine: str | None = None) -> tuple[Pin, ...]:
    """The pins that apply inside an image, sorted by name.

    Args:
        lines: `name==version --hash=sha256:…`, each with one hash or more; extras do not matter, as everything is
            listed, and a marker is asked for the image's Python, not this machine's.
        python: `major.minor` of the image.
        machine: processor as `uname -m` says it; this machine's by default.

    Raises:
        RequirementsUnavailable: a line is unpinned, unhashed, a URL, a path or an option, or a name comes twice.
    """
    pins: dict[str, Pin] = {}
    for line in lines:
        pin = _read_pin(line.strip(), _environment(python, machine or platform.machine()))
        if pin is None or pins.get(pin.name) == pin:
            continue
        if pin.name in pins:
            raise _refused(line, f"{pin.name} is listed twice", "one line for each package")
        pins[pin.name] = pin
    return tuple(pins[name] for name in sorted(pins))


def read_wheel(path: Path, pin: Pin, *, python: str, machine: str | None = None) -> Wheel:
    """Check a file against its pin.

    Raises:
        RequirementsUnavailable: it is of another package, version or platform, or its content is not what was pinned.
    """
    try:
        name, version, _, tags = parse_wheel_filename(path.name)
    except (InvalidWheelFilename, InvalidVersion) as error:
        raise RequirementsUnavailable(f"requirement {pin}: got the file {path.name!r}, expected a wheel") from error
    if canonicalize_name(name) != pin.name or version != Version(pin.version):
        raise RequirementsUnavailable(f"requirement {pin}: got {path.name!r}, a wheel of {name} {version}")
    if tags.isdisjoint(image_tags(python, machine or platform.machine())):
        raise RequirementsUnavailable(
            f"requirement {pin}: {path.name!r} does not run on the sandbox image's Python {python} and C library "
            f"2.{GLIBC_MINOR[python]}",
            hint="Pin the hash of a wheel for Linux and this Python, or of one for any platform.",
        )
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 not in pin.hashes:
        raise RequirementsUnavailable(
            f"requirement {pin}: {path.name!r} has SHA-256 {sha256}, which the ticket does not pin"
        )
    return Wheel(pin=pin, path=path, sha256=sha256)


def image_tags(python: str, machine: str) -> frozenset[Tag]:
    """The wheel tags that run inside an image."""
    major, _, minor = python.partition(".")
    version = (int(major), int(minor))
    platforms = image_platforms(python, machine)
    interpreter = f"cp{major}{minor}"
    tags = {*cpython_tags(version, platforms=platforms), *compatible_tags(version, interpreter, platforms)}
    return frozenset(tags)


def image_platforms(python: str, machine: str) -> list[str]:
    """Platform tags of an image, the newest first (PEP 600 and the names that it replaced; packaging.python.org)."""
    if python not in GLIBC_MINOR:
        known = ", ".join(sorted(GLIBC_MINOR))
        raise RequirementsUnavailable(f"requirements: got Python {python!r}, expected one that has an image: {known}")
    names = [f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC_MINOR[python], 4, -1)]
    return [*names, f"manylinux2014_{machine}", f"manylinux2010_{machine}", f"manylinux1_{machine}", f"linux_{machine}"]


def unmet(needs: Iterable[str], pins: Iterable[Pin], *, python: str, machine: str | None = None) -> Iterator[str]:
    """Which of the packages that wheels say they need (`Requires-Dist`) are not pinned.

    Extras are left out, and so are versions: a wheel's author may be stricter than the code has to be.
    """
    environment = _environment(python, machine or platform.machine())
    listed = {pin.name for pin in pins}
    for line in sorted(set(needs)):
        try:
            need = Requirement(line)
            applies = need.marker is None or need.marker.evaluate(environment)
        except (InvalidRequirement, UndefinedEnvironmentName):
            continue
        name = canonicalize_name(need.name)
        if applies and name not in listed:
            yield name


def _read_pin(line: str, environment: dict[str, str]) -> Pin | None:
    expected = "one exact version and the SHA-256 of each file"
    match = _LINE.fullmatch(line)
    if match is None:
        raise _refused(line, "no hash, or another option than --hash=sha256:", expected)
    try:
        requirement = Requirement(match["requirement"].strip())
        applies = requirement.marker is None or requirement.marker.evaluate(environment)
    except (InvalidRequirement, UndefinedEnvironmentName) as error:
        raise _refused(line, "not a package's name and version", expected) from error
    versions = list(requirement.specifier)
    if requirement.url:
        raise _refused(line, "a URL, a path or a repository", expected)
    if len(versions) != 1 or versions[0].operator != "==" or versions[0].version.endswith("*"):
        raise _refused(line, "no single exact version", expected)
    if not applies:
        return None
    hashes = tuple(sorted(set(re.findall(r"--hash=sha256:([0-9a-f]{64})", match["hashes"]))))
    return Pin(name=canonicalize_name(requirement.name), version=str(Version(versions[0].version)), hashes=hashes)


def _environment(python: str, machine: str) -> dict[str, str]:
    """What a marker asks about, as it is inside the image."""
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "extra": "",
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }


def _refused(line: str, got: str, expected: str) -> RequirementsUnavailable:
    return RequirementsUnavailable(f"requirement {line[:200]!r}: got {got}, expected {expected}", hint=PIN_HINT)
