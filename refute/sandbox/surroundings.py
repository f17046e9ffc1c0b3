"""What code can see of where it runs, apart from its input: that of every job, and another one that is as ordinary.

Code that is right only where it knows itself to be tested ends otherwise there, and code that hangs on such things by
mistake.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """One set of them; each field can be set alone."""

    user: int = 65532
    """User and group id of the job's programs; the image has a name for each."""
    host: str = "sandbox"
    workspace: str = "/workspace"
    """Where the files are; directly below the root, as paths of requirements are relative to it."""
    scratch: str = "/tmp/attack"  # noqa: S108  # inside the container
    """A test's home and folder of temporary files."""
    time_zone: str = "UTC"
    language: str = "C.UTF-8"
    """The locale; the image has no other names than C and POSIX."""
    hash_seed: str = "0"
    files_are_new: bool = False
    """Whether the files' times are those of the run, not 1970."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that say so."""
        return {"LANG": self.language, "PYTHONHASHSEED": self.hash_seed, "TZ": self.time_zone}

    def apart_from(self, other: "Surroundings") -> tuple[str, ...]:
        """Names of the fields in which they differ."""
        return tuple(one.name for one in fields(self) if getattr(self, one.name) != getattr(other, one.name))


FIRST: Final = Surroundings()
SECOND: Final = Surroundings(
    user=1000,
    host="build-17",
    workspace="/app",
    scratch="/tmp/work",  # noqa: S108  # inside the container
    time_zone="Pacific/Auckland",
    language="C",
    hash_seed="4711",
    files_are_new=True,
)
WORDS: Final[Mapping[str, str]] = {
    "user": "the user",
    "host": "the host name",
    "workspace": "the path of the files",
    "scratch": "the home and temporary folder",
    "time_zone": "the time zone",
    "language": "the locale",
    "hash_seed": "the hash seed",
    "files_are_new": "the files' times",
}
"""What a person reads for a field."""
