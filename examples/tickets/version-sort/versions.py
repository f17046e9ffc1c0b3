"""Semantic versions (https://semver.org): parsing, comparing, sorting."""

import functools
import re
from typing import Any, Iterable, List, NamedTuple, Optional

PATTERN = re.compile(
    r"^(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+(?P<build>[0-9A-Za-z.-]+))?$"
)


@functools.total_ordering
class Version(NamedTuple):
    """A semantic version."""

    major: int
    minor: int
    patch: int
    pre: Optional[str] = None

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return f"{text}-{self.pre}" if self.pre else text

    def sort_key(self) -> tuple:
        """Key that sorts by precedence: a pre-release comes before its release."""
        return (self.major, self.minor, self.patch, self.pre is None, (self.pre or "").split("."))

    def __lt__(self, other: Any) -> bool:
        return self.sort_key() < other.sort_key()


def parse(text: str) -> Version:
    """Parse a semantic version. Build metadata is ignored.

    Raises:
        ValueError: If the text is not a semantic version.

    >>> str(parse("1.20.3-rc.1+build5"))
    '1.20.3-rc.1'
    """
    match = PATTERN.match(text)
    if match is None:
        raise ValueError(f"not a semantic version: {text!r}")
    return Version(int(match["major"]), int(match["minor"]), int(match["patch"]), match["pre"])


def sort_versions(versions: Iterable[str]) -> List[str]:
    """Return the versions from lowest to highest precedence.

    >>> sort_versions(["1.10.0", "1.9.0", "1.10.0-rc.1"])
    ['1.9.0', '1.10.0-rc.1', '1.10.0']
    """
    return sorted(versions, key=lambda version: parse(version).sort_key())


def latest(versions: Iterable[str], *, stable: bool = True) -> Optional[str]:
    """Return the highest version, or None. With `stable`, pre-releases do not count."""
    candidates = [version for version in sort_versions(versions) if not (stable and parse(version).pre)]
    return candidates[-1] if candidates else None
