"""Getting the wheels that a ticket pins: from the cache, a local wheelhouse, or the package index.

pip downloads, since it is what a machine's way to an index is configured for (proxies, certificates, mirrors, logins).
It is held to wheels and to the pinned hashes; it installs, builds and executes nothing. What it brings is checked
again.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock
from packaging.utils import canonicalize_name

from refute.errors import RequirementsUnavailable
from refute.sandbox.requirements import Pin, Wheel, image_platforms, read_wheel

DOWNLOAD_TIMEOUT_S: Final = 600
MAX_WHEEL_BYTES: Final = 1024**3
_BLOCK_BYTES: Final = 512
"""What `ulimit -f` counts in (POSIX)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelSource:
    """Where wheels come from."""

    cache: Path
    """Holds what was downloaded, one folder per SHA-256."""
    wheelhouse: Path | None = None
    """A folder with wheels; if set, no index is asked."""
    python: str
    """`major.minor` of the image that they are for."""
    machine: str = platform.machine()


def fetch_wheels(pins: Sequence[Pin], source: WheelSource) -> tuple[Wheel, ...]:
    """The pinned wheels as files, in the order of the pins; only what the cache lacks is downloaded.

    Raises:
        RequirementsUnavailable: a wheel cannot be had, or is not what was pinned.
    """
    found = {pin.name: _cached(pin, source) for pin in pins}
    missing = [pin for pin in pins if found[pin.name] is None]
    if missing:
        source.cache.mkdir(parents=True, exist_ok=True)
        with FileLock(source.cache / "download.lock"), tempfile.TemporaryDirectory(dir=source.cache) as folder:
            _download(missing, source, Path(folder, "wheels"))
            found |= {wheel.pin.name: wheel for wheel in _adopt(missing, source, Path(folder, "wheels"))}
    return tuple(wheel for pin in pins if (wheel := found[pin.name]) is not None)


def _cached(pin: Pin, source: WheelSource) -> Wheel | None:
    for sha256 in pin.hashes:
        for path in sorted((source.cache / sha256).glob("*.whl")):
            try:
                return read_wheel(path, pin, python=source.python, machine=source.machine)
            except RequirementsUnavailable:  # for another platform, or damaged on disk: downloaded again
                continue
    return None


def _adopt(pins: Iterable[Pin], source: WheelSource, folder: Path) -> Iterable[Wheel]:
    """Check what was downloaded and put it into the cache."""
    files = sorted(folder.iterdir())
    for pin in pins:
        candidates = [path for path in files if _is_of(path, pin)]
        if not candidates:
            raise RequirementsUnavailable(f"requirement {pin}: pip brought no wheel of it", hint="Run it again.")
        wheel = read_wheel(candidates[0], pin, python=source.python, machine=source.machine)
        place = source.cache / wheel.sha256
        place.mkdir(exist_ok=True)
        wheel.path.replace(place / wheel.path.name)
        yield Wheel(pin=pin, path=place / wheel.path.name, sha256=wheel.sha256)


def _is_of(path: Path, pin: Pin) -> bool:
    return path.suffix == ".whl" and canonicalize_name(path.name.split("-")[0]) == pin.name


def _download(pins: Sequence[Pin], source: WheelSource, folder: Path) -> None:
    folder.mkdir()
    wanted = folder.with_name("requirements.txt")
    lines = [f"{pin} {' '.join(f'--hash=sha256:{digest}' for digest in pin.hashes)}" for pin in pins]
    wanted.write_text("\n".join(lines) + "\n", encoding="ascii")
    command = _limited([sys.executable, "-P", "-m", "pip", *_arguments(source, folder), "--requirement", str(wanted)])
    try:
        done = subprocess.run(  # noqa: S603  # fixed words and our own file
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False,
            timeout=DOWNLOAD_TIMEOUT_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RequirementsUnavailable(
            f"requirements {_names(pins)}: not downloaded within {DOWNLOAD_TIMEOUT_S} s",
            hint="Is the package index slow? A local wheelhouse needs none: setting `requirements_wheelhouse`.",
        ) from error
    if done.returncode != 0:
        raise _not_had(pins, source, done.stderr)


def _arguments(source: WheelSource, folder: Path) -> list[str]:
    platforms = [word for name in image_platforms(source.python, source.machine) for word in ("--platform", name)]
    place = ["--no-index", "--find-links", str(source.wheelhouse.absolute())] if source.wheelhouse else []
    return [
        "download", "--quiet", "--no-input", "--retries", "2", "--disable-pip-version-check", "--progress-bar", "off",
        "--only-binary", ":all:", "--no-deps", "--require-hashes", "--implementation", "cp",
        "--python-version", source.python, "--abi", f"cp{source.python.replace('.', '')}", *platforms,
        "--dest", str(folder), *place,
    ]  # fmt: skip


def _limited(command: list[str]) -> list[str]:
    """The command under a limit on the size of any file that it writes."""
    shell = shutil.which("sh") or "/bin/sh"
    return [shell, "-c", f'ulimit -f {MAX_WHEEL_BYTES // _BLOCK_BYTES}; exec "$@"', "pip", *command]


def _not_had(pins: Sequence[Pin], source: WheelSource, said: str) -> RequirementsUnavailable:
    errors = [line.removeprefix("ERROR: ").strip() for line in said.splitlines() if line.startswith("ERROR: ")]
    place = f"the wheelhouse {source.wheelhouse}" if source.wheelhouse else "the package index"
    detail = next(
        (line for line in errors if "hash" in line.lower() or "matching" in line), (errors or [said[-300:]])[0]
    )
    return RequirementsUnavailable(
        f"requirements {_names(pins)}: {place} has no fitting wheel for Python {source.python}: {detail[:500]}",
        hint="Only wheels with a pinned hash are taken, as a source distribution would run its code while it is built. "
        "Pin a wheel, or build one yourself and name its folder in the setting `requirements_wheelhouse`.",
    )


def _names(pins: Iterable[Pin]) -> str:
    return ", ".join(map(str, pins))
