"""What code can see of where it runs, apart from its input: that of every job, and another one that is as ordinary.

Code that is right only where it knows itself to be tested ends otherwise there, and code that hangs on such things by
mistake.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final


class Runner(StrEnum):
    """What runs the tests."""

    DRIVER = "driver"
    """refute's own, which keeps the tests and the code in processes of their own."""
    PYTEST = "pytest"
    """pytest alone, in the code's process; nothing that refute brings along is there to be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """One set of them; each field can be set alone."""

    user: int = 65532
    """User and group id of the job's programs; the image has a name for each."""
    host: str = "sandbox"
    workspace: str = "/workspace"
    """Where the files are; directly below the root, as paths of requirements are relative to it."""
    tests: str = "/attack"
    """Where the tests and what runs them lie."""
    scratch: str = "/tmp/attack"  # noqa: S108  # inside the container
    """A test's home and folder of temporary files."""
    time_zone: str = "UTC"
    language: str = "C.UTF-8"
    """The locale; the image has no other names than C and POSIX."""
    hash_seed: str = "0"
    files_are_new: bool = False
    """Whether the files' times are those of the run, not 1970."""
    first_process: str = "sleep"
    """The name of process 1."""
    runner: Runner = Runner.DRIVER
    days_ahead: int = 0
    """How far the clock is put forward, by pytest as the runner and where the image can do that."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that say so."""
        name = USER_NAMES[self.user]
        said = {"LANG": self.language, "PYTHONHASHSEED": self.hash_seed, "TZ": self.time_zone}
        return {**said, "USER": name, "LOGNAME": name}

    def apart_from(self, other: "Surroundings") -> tuple[str, ...]:
        """Names of the fields in which they differ."""
        return tuple(one.name for one in fields(self) if getattr(self, one.name) != getattr(other, one.name))


USER_NAMES: Final[Mapping[int, str]] = {65532: "subject", 1000: "worker"}
"""As the image has them."""
FIRST: Final = Surroundings()
SECOND: Final = Surroundings(
    user=1000,
    host="build-17",
    workspace="/app",
    tests="/checks",
    scratch="/tmp/work",  # noqa: S108  # inside the container
    time_zone="Pacific/Auckland",
    language="C",
    hash_seed="4711",
    files_are_new=True,
    first_process="init",
)
PLAIN: Final = replace(SECOND, runner=Runner.PYTEST, days_ahead=366, scratch="/home/worker/work")
WORDS: Final[Mapping[str, str]] = {
    "user": "the user",
    "host": "the host name",
    "workspace": "the path of the files",
    "tests": "the path of the tests",
    "scratch": "the home and temporary folder",
    "time_zone": "the time zone",
    "language": "the locale",
    "hash_seed": "the hash seed",
    "files_are_new": "the files' times",
    "first_process": "the first process",
    "runner": "the runner of the tests (pytest alone)",
    "days_ahead": "the clock",
}
"""What a person reads for a field."""
