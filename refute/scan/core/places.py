"""What a located path means: credentials, start-up files, facts about the machine, one program's own data."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from refute.scan.core.symbols import HERE, HOME, TEMP
from refute.scan.core.tables import read_table

_GLOB: Final = re.compile(r"[*?\[]")


@lru_cache(maxsize=32)
def _place(kind: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """The pattern and the known members of a kind of place."""
    row = read_table("places")[kind]
    return re.compile("|".join(map(fill, row["patterns"]))), tuple(map(fill, row.get("members", ())))


def fill(text: str) -> str:
    """A path of the tables with the symbols that it means."""
    return text.replace("{HOME}", HOME).replace("{HERE}", HERE).replace("{TEMP}", TEMP)


def is_place(kind: str, path: str) -> bool:
    """Whether a located path is of a kind that `places.toml` names; a glob counts where it spells a known member."""
    pattern, members = _place(kind)
    return bool(pattern.match(path)) or (bool(members) and _globs_to(path, members))


@lru_cache(maxsize=1024)
def _globs_to(path: str, members: tuple[str, ...]) -> bool:
    if not _GLOB.search(path) or path.startswith((HERE, TEMP)):
        return False
    last = path.rpartition("/")[2]
    # A glob of stars names everything in a directory, not this member; only one that spells it out counts.
    spelled = bool(last.strip("*?")) or last.count("?") == len(last) > 1
    return spelled and any(path.count("/") == member.count("/") and fnmatchcase(member, path) for member in members)


def is_stock(path: str) -> bool:
    """Whether listing the directory is taking stock of the machine rather than looking for one thing."""
    stripped = path.rstrip("/*") or "/"
    return is_place("stock", stripped) or (stripped.startswith("/etc/") and is_place("telling", stripped))


def opens_door(path: str) -> bool:
    """Whether what is there is trusted: it holds secrets, or makes something run or stay open later."""
    return is_place("credentials", path) or is_place("persistence", path)


def is_service_data(path: str) -> bool:
    """Whether only the program that keeps its data there would notice a change."""
    if not is_place("service_data", path) or opens_door(path):
        return False
    return not (path.startswith("/etc/") and is_place("telling", path))


def is_home_data(path: str) -> bool:
    """Whether it is a file of the home directory that neither runs, lets somebody in, nor holds a secret."""
    known = path.startswith(f"{HOME}/") and not path.endswith(("/", "/*"))
    if "*" in path and not path.startswith(f"{HOME}/."):
        return False
    return known and not (is_place("home_code", path) or opens_door(path))


def is_one_programs(path: str) -> bool:
    """Whether one file belongs to a program rather than to a person or to the machine: what it may well delete."""
    name = path.rpartition("/")[2]
    if is_place("image_data", path):
        return bool(re.search(r"\.(?:pid|lock|sock)\Z", path))
    if not name.strip("*?") or path.count("*") > 1:
        return False
    return (path.startswith(f"{HOME}/.") and is_home_data(path)) or is_service_data(path)


def is_weak_target(path: str) -> bool:
    """Whether a file written there changes nothing that others rely on."""
    if is_place("spare", path) or is_service_data(path):
        return True
    return is_place("image_data", path) and not opens_door(path)
