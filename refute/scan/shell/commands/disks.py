"""Commands that fill, wipe or look at disks, and destroy files for good."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan import paths
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import UNKNOWN

_LARGE: Final = re.compile(r"(\d+)(?:\.\d+)?\s*([kKmMgGtTpP]?)")
_UNITS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_LARGE_BYTES: Final = 8 * 1024**3


def _shred(call: Call) -> str:
    for path in split_options(call.argv[1:], "ns", mixed=True)[1]:
        target = paths.locate(path, call.walker.scope.cwd)
        if not paths.inside_or_temporary(target):
            call.act.add("device-write", detail="Destroys data beyond recovery.")
    return ""


def _truncate(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "srl", frozenset({"size", "length"}), mixed=True)
    for path in operands:
        call.act.write(path)
        if re.search(r"/(?:log|wtmp|utmp|lastlog|\.bash_history)", path) and path.startswith("/"):
            call.act.add("history-tampering")
    for size in options.get("s", []) + options.get("l", []) + options.get("size", []) + options.get("length", []):
        if is_large(size):
            call.act.add("resource-exhaustion")
    return ""


def is_large(text: str) -> bool:
    """Whether a size (`10G`, `500M`) is more than any test needs."""
    match = _LARGE.match(text.lstrip("+=<>"))
    return bool(match) and int(match[1]) * 1024 ** _UNITS[match[2].lower()] >= _LARGE_BYTES  # type: ignore[index]


def _dd(call: Call) -> str:
    settings = dict(word.partition("=")[::2] for word in call.argv[1:])
    if "if" in settings:
        call.act.read(settings["if"])
    target = settings.get("of", "")
    if target:
        call.act.write(target)
        if (
            re.match(r"/dev/(zero|u?random)", settings.get("if", ""))
            and "count" not in settings
            and target != "/dev/null"
        ):
            call.act.add("resource-exhaustion")
    return UNKNOWN


_LOOKS_AT_DISKS: Final = re.compile(
    r"mdadm .*(?:-W|--wait\S*|-D|--detail|-Q|--query|-E|--examine)\b|hdparm (?:-[iItTgCH]+ )+"
    r"|s?fdisk (?:-l|-d|-s|--list|--dump)\b|cryptsetup (?:status|luksDump|isLuks|luksUUID|--version)\b"
    r"|parted (?:-\w+ )*(?:-l\b|\S+ (?:unit \S+ )?print\b)"
)


def _format(call: Call) -> str:
    if _LOOKS_AT_DISKS.match(" ".join(call.argv)):
        return UNKNOWN
    for path in split_options(call.argv[1:], "LNtbO", mixed=True)[1]:
        if path.startswith("/") and not paths.inside_or_temporary(paths.locate(path, call.walker.scope.cwd)):
            call.act.add("device-write")
    return ""


def _fallocate(call: Call) -> str:
    return _truncate(call)


COMMANDS: Final = {
    "shred": _shred,
    "wipe": _shred,
    "truncate": _truncate,
    "fallocate": _fallocate,
    "dd": _dd,
    "dcfldd": _dd,
    **dict.fromkeys(
        (
            "mkfs mke2fs mkswap wipefs fdisk sfdisk cfdisk parted sgdisk badblocks blkdiscard hdparm mdadm "
            "lvremove vgremove pvremove cryptsetup"
        ).split(),
        _format,
    ),
    **dict.fromkeys(
        ("mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.ntfs mkfs.fat").split(),
        _format,
    ),
}
