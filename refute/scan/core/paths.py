"""Where a path leads, and what is there: the workspace, a machine, credentials, start-up files, one program's data."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from refute.scan.core import symbols as sym
from refute.scan.core.symbols import HERE, HOME, TEMP
from refute.scan.core.tables import read_table

WORKSPACE_MOUNT: Final = "/workspace"
"""Where the sandbox puts the snapshot."""
_TEMP_ROOTS: Final = ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp")  # noqa: S108 - names to recognise, not used
_HARMLESS_DEVICES: Final = re.compile(
    r"/dev/(null[^/]*|zero|full|u?random|stdin|stdout|stderr|tty\d*|fd(/\w+)?|ptmx|pts(/\w+)?|x?console|log|clipboard)\Z|/proc/(self|thread-self|\ue006)(/.*)?\Z"
)
_HOME_DIRECTORY: Final = re.compile(r"/(?:root|home/[^/]+|Users/[^/]+)(?=/|\Z)")
FUZZY: Final = frozenset(f"{sym.EMPTY}{sym.UNKNOWN}{sym.OUTPUT}{sym.HOST_DATA}{sym.DERIVED}{sym.DOWNLOAD}{sym.SECRET}")
"""Symbols with which a path may lead anywhere."""
_ROOT_NAMES: Final = frozenset({"etc", "proc", "root", "boot", "usr", "sbin", "var", "home", "sys"})
"""Directories of a machine's root that a project hardly has beside its own."""


class Place(StrEnum):
    """What a path belongs to."""

    WORKSPACE = "workspace"
    TEMP = "temporary"
    TEMP_ROOT = "the shared temporary directory"
    HARMLESS = "harmless device"
    HOME = "home"
    SYSTEM = "system"
    OUTSIDE = "above the workspace"
    UNKNOWN = "unknown"


ELSEWHERE: Final = frozenset({Place.SYSTEM, Place.HOME, Place.OUTSIDE})
_ROOTS: Final = {HERE: Place.WORKSPACE, TEMP: Place.TEMP, HOME: Place.HOME}


@dataclass(frozen=True, slots=True)
class Target:
    """A path after following `cd`, joining and removing `.` and `..`."""

    place: Place
    text: str
    """Absolute; home directories are written with the sym.HOME symbol, workspace paths start with sym.HERE."""


def normalise(path: str, cwd: str = sym.HERE) -> str:
    """Join to the working directory and remove `.`, `..` and double slashes.

    A path that climbs above the workspace, or above another directory of which only the place is known, begins with
    sym.ABOVE.
    """
    if path == "~" or path.startswith("~/"):
        path = sym.HOME + path[1:]
    elif re.match(r"~[a-z_]", path):
        path = "/home/" + path[1:]
    if path[:1] not in {"/", sym.ABOVE, *_ROOTS, *FUZZY}:
        path = f"{cwd}/{path}"
    root, rest = ("", path) if path.startswith("/") else (path[0], path[1:])
    kept: list[str] = []
    for part in rest.split("/"):
        if part in {"", "."}:
            continue
        if part != "..":
            kept.append(part)
        elif kept:
            kept.pop()
        elif root in _ROOTS:
            root = sym.ABOVE
    glue = "" if root and rest and not rest.startswith("/") else "/"
    return root + (glue if kept or not root else "") + "/".join(kept)


def locate(path: str, cwd: str = sym.HERE) -> Target:
    """Say where a path leads.

    Args:
        path: as the script uses it, with symbols for unknown parts.
        cwd: the directory it is relative to; starts with sym.HERE inside the workspace.
    """
    if not path:
        return Target(Place.WORKSPACE, cwd)
    text = normalise(path, cwd)
    first = text[:1]
    if first in _ROOTS:
        return Target(_ROOTS[first], text)
    if first == sym.ABOVE:
        # The sandbox mounts the workspace right below the root: `../etc/passwd` is what it looks like.
        known = text[1:].split("/")[1:2]
        return _locate_absolute(text[1:]) if known and known[0] in _ROOT_NAMES else Target(Place.OUTSIDE, text)
    if first in FUZZY:
        return Target(Place.UNKNOWN, text)
    return _locate_absolute(text)


def _locate_absolute(text: str) -> Target:
    if text == WORKSPACE_MOUNT or text.startswith(WORKSPACE_MOUNT + "/"):
        return Target(Place.WORKSPACE, sym.HERE + text[len(WORKSPACE_MOUNT) :])
    if _HARMLESS_DEVICES.match(text):
        return Target(Place.HARMLESS, text)
    for root in _TEMP_ROOTS:
        if text in {root, root + "/*", root + "/.*"}:
            return Target(Place.TEMP_ROOT, text)
        if text.startswith(root + "/"):
            return Target(Place.TEMP, sym.TEMP + text[len(root) :])
    home = _HOME_DIRECTORY.match(text)
    if home:
        return Target(Place.HOME, sym.HOME + text[home.end() :])
    if text.startswith(tuple("/" + symbol for symbol in FUZZY)):
        return Target(Place.UNKNOWN, text)
    return Target(Place.SYSTEM, text)


def as_pattern(target: Target) -> str:
    """A path of the workspace as a pattern for its files, from the workspace; empty for any other place."""
    return sym.as_pattern(target.text[2:]) if target.place == Place.WORKSPACE else ""


def inside_or_temporary(target: Target) -> bool:
    """Whether a script may do there what it likes."""
    return target.place in {Place.WORKSPACE, Place.TEMP, Place.HARMLESS}


def has_open_part(target: Target) -> bool:
    """Whether some component is not known."""
    return sym.is_open(target.text) or sym.NAME in target.text


@lru_cache(maxsize=32)
def _place(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(map(fill, read_table("places")[kind]["patterns"])))


def fill(text: str) -> str:
    """A path of the tables with the symbols that it means."""
    return text.replace("{HOME}", HOME).replace("{HERE}", HERE).replace("{TEMP}", TEMP)


def is_place(kind: str, path: str) -> bool:
    """Whether a located path is of a kind that `places.toml` names."""
    return bool(_place(kind).match(path))


def is_stock(path: str) -> bool:
    """Whether listing the directory is taking stock of the machine rather than looking for one thing."""
    stripped = path.rstrip("/*") or "/"
    return is_place("stock", stripped) or (stripped.startswith("/etc/") and is_place("telling", stripped))


def opens_door(path: str) -> bool:
    """Whether what is there is trusted: it holds secrets, or makes something run or stay open later."""
    return is_place("credentials", path) or is_place("persistence", path)


def is_own(path: str) -> bool:
    """Whether only the program that keeps its data there, or nobody, would notice a change."""
    known = is_place("own", path) or is_place("spare", path)
    return known and not opens_door(path) and not (path.startswith("/etc/") and is_place("telling", path))
