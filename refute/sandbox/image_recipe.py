"""What the sandbox image is made of, and the digest that stands for it."""

import hashlib
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from refute.errors import ImageBuildFailed
from refute.sandbox.image_contents import DROPPED, KEPT

RECIPE_VERSION = "2"
"""Raised whenever the build itself changes what comes out of the same inputs."""

LAYER_VERSION = "2"
"""Raised whenever the same wheels give another layer."""

SUITES: Mapping[str, str] = {"3.11": "bookworm", "3.13": "trixie"}
"""Python version → Debian suite that ships it, for machines that no registry answers.
Source: the package python3 of each suite, 2026-11-21."""

LABEL_RECIPE = "refute.sandbox.recipe"
LABEL_PYTHON = "refute.sandbox.python"
LABEL_SOURCE = "refute.sandbox.source"

SCRIPTS = ("rootfs.sh", "wheels.sh", "driver.sh")

REPOSITORY = Path(__file__).resolve().parents[2]
SANDBOX_FILES = REPOSITORY / "deployments" / "sandbox"
LOCK = SANDBOX_FILES / "requirements.lock"
DRIVER_SOURCES = REPOSITORY / "refute" / "driver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All inputs of an image that lie in this checkout."""

    python: str
    """`major.minor`."""
    machine: str
    """Processor, as `uname -m` says it."""
    lock: bytes
    scripts: Mapping[str, bytes]
    """What runs inside while building: `rootfs.sh`, `wheels.sh`, `driver.sh`."""
    driver: Mapping[str, bytes]
    """Path under the driver's folder → source."""

    @property
    def rootfs_key(self) -> str:
        """Stands for the root file system layer."""
        script = self.scripts["rootfs.sh"]
        return _key("rootfs", RECIPE_VERSION, self.python, self.machine, self.suite, script, *DROPPED, *KEPT)

    @property
    def wheels_key(self) -> str:
        """Stands for the wheels layer; their byte code is the root file system's Python's."""
        return _key("wheels", LAYER_VERSION, self.rootfs_key, self.lock, self.scripts["wheels.sh"])

    @property
    def digest(self) -> str:
        """Stands for the image."""
        files = [part for path in sorted(self.driver) for part in (path, self.driver[path])]
        return _key("image", self.wheels_key, self.scripts["driver.sh"], *files)

    @property
    def suite(self) -> str:
        """Debian suite with this Python."""
        return SUITES[self.python]


def read_recipe(python: str) -> Recipe:
    """Reads the inputs from the checkout; a few milliseconds.

    Raises:
        ImageBuildFailed: no image is made for this Python version.
    """
    if python not in SUITES:
        known = ", ".join(sorted(SUITES))
        raise ImageBuildFailed(
            f"sandbox image: got python {python!r}, expected one of {known}",
            hint="Set `python` in the ticket to one of these versions.",
        )
    driver = {str(path.relative_to(DRIVER_SOURCES)): path.read_bytes() for path in _driver_files()}
    return Recipe(
        python=python,
        machine=platform.machine(),
        lock=LOCK.read_bytes(),
        scripts={name: (SANDBOX_FILES / name).read_bytes() for name in SCRIPTS},
        driver=driver,
    )


def _driver_files() -> Iterator[Path]:
    return (path for path in sorted(DRIVER_SOURCES.rglob("*.py")) if "__pycache__" not in path.parts)


def _key(*parts: str | bytes) -> str:
    """SHA-256 over the parts, each with its length, so that no two lists of parts look the same."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(f"{len(data)}:".encode() + data)
    return state.hexdigest()
