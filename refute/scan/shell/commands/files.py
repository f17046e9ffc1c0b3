"""Commands that create, change, move or delete files."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import SECRET, UNKNOWN, is_open

_LARGE: Final = re.compile(r"(\d+)(?:\.\d+)?\s*([kKmMgGtTpP]?)")
_SETTING: Final = re.compile(r"\"?\$(?:[A-Z][A-Z0-9_]+|\{[A-Z][A-Z0-9_]+(?::?\?[^}\"]*)?\})\"?")
_UNITS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_LARGE_BYTES: Final = 8 * 1024**3


def _rm(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "", mixed=True)
    recursive = bool(options.keys() & {"r", "R", "recursive"})
    for path in operands:
        act = call.act
        act.soft = act.soft or (path == UNKNOWN and _names_settings(call))
        act.delete(path, recursive=recursive)
    return ""


def _names_settings(call: Call) -> bool:
    """Whether every unknown word is the whole value of an environment variable, as in `rm -rf "$OUT_DIR"`.

    Where the caller sets none, nothing is deleted; a caller that hands over a directory of the machine is judged itself
    (`handing_over.py`).
    """
    words = [word for word in text_of(call.node).split() if "$" in word or "`" in word]
    names = [re.sub(r"[\"${]|[}:?].*", "", word) for word in words if _SETTING.fullmatch(word)]
    return len(names) == len(words) and not any(call.walker.scope.is_set(name) for name in names)


def _unlink(call: Call) -> str:
    for path in split_options(call.argv[1:], "", mixed=True)[1]:
        call.act.delete(path, recursive=False)
    return ""


def _rmdir(call: Call) -> str:
    for path in split_options(call.argv[1:], "", mixed=True)[1]:
        target = paths.locate(path, call.walker.scope.cwd)
        if not paths.inside_or_temporary(target):
            call.act.add("delete-outside", severity=Severity.MEDIUM, detail="Only where the directory is empty.")
    return ""


def _shred(call: Call) -> str:
    for path in split_options(call.argv[1:], "ns", mixed=True)[1]:
        target = paths.locate(path, call.walker.scope.cwd)
        if not paths.inside_or_temporary(target):
            call.act.add("device-write", detail="Destroys data beyond recovery.")
    return ""


def _destination(call: Call, valued: str, *, reads: bool, removes: bool) -> str:
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"target-directory", "suffix", "mode", "owner", "group"}), mixed=True
    )
    target = (options.get("t") or options.get("target-directory") or [""])[0]
    sources = operands if target else operands[:-1]
    target = target or (operands[-1] if len(operands) > 1 else "")
    for path in sources:
        if removes:
            call.act.delete(path, recursive=not _keeps_place(call, path, target))
        if reads:
            call.act.read(path)
            if re.fullmatch(r"/dev/(?:zero|u?random|full)", path) and not target.startswith("/dev/"):
                call.act.add("resource-exhaustion", detail="Copies a device that never ends.")
        if reads and not removes and options.keys() & {"r", "R", "a", "recursive", "archive"}:
            call.act.list(path)
    if target:
        into = re.search(r"/bin/?\Z", target) and len(sources) == 1
        call.act.write(f"{target}/{sources[0].rpartition('/')[2]}" if into else target)
        _copy_known(call, sources, target)
    if call.argv[0] == "install":
        _mode(call, (options.get("m") or options.get("mode") or [""])[0])
    return ""


def _keeps_place(call: Call, source: str, target: str) -> bool:
    """Whether a move only renames a file beside itself, or moves one that is not known: no tree leaves its place."""
    text = paths.locate(source, call.walker.scope.cwd).text
    other = paths.locate(target, call.walker.scope.cwd).text
    # `"$d/x.new" "$d/x"` names one directory twice, whichever of its possible values `d` has.
    written = [word.strip("\"'").rpartition("/")[0] for word in text_of(call.node).split()[-2:]]
    same = len(written) > 1 and written[0] == written[1] != ""
    return is_open(text) or same or text.rpartition("/")[0] == other.rpartition("/")[0]


def _copy_known(call: Call, sources: list[str], target: str) -> None:
    for path in sources[:1]:
        text = call.walker.shared.written.get(paths.locate(path, call.walker.scope.cwd).text)
        if text is None and re.match(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z", path):
            # A program under another name is that program.
            text = f'{path} "$@"'
        if text is not None:
            redirects.keep(call.walker, target, text, appends=False)


def _cp(call: Call) -> str:
    return _destination(call, "tSmog", reads=True, removes=False)


def _mv(call: Call) -> str:
    return _destination(call, "tS", reads=True, removes=True)


def _ln(call: Call) -> str:
    words = split_options(call.argv[1:], "tS", mixed=True)[1]
    if len(words) > 1:
        if "history" in words[-1] and words[0] == "/dev/null":
            call.act.add("history-tampering")
        if paths.locate(words[0], call.walker.scope.cwd).text in {"/", "/etc", "/root"}:
            call.act.add("list-host-directory", detail="Links to a system directory.")
        call.act.read(words[0])
        call.act.write(words[-1])
        _copy_known(call, words[:1], words[-1])
    return ""


def _tee(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "", mixed=True)
    for path in operands:
        call.act.write(path)
        redirects.keep(call.walker, path, call.stdin, appends="a" in options or "append" in options)
        if SECRET in call.stdin:
            call.act.add("environment-dump")
    return call.stdin or UNKNOWN


def _create(call: Call) -> str:
    for path in split_options(call.argv[1:], "mdrtZ", mixed=True)[1]:
        # The root is there already: scripts that make a path part by part begin with it.
        if call.argv[0] != "mkdir":
            call.act.write(path)
        elif path.strip("/."):
            call.act.make_directory(path)
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


def _mode(call: Call, mode: str) -> None:
    if re.search(r"[ugoa]*[ug][goa]*[+=][rwxXt]*s|(?:^|,)[+=][rwx]*s", mode) or re.fullmatch(r"0?[2-7][0-7]{3}", mode):
        # The group bit alone is how shared directories keep their group.
        group_only = re.fullmatch(r"0?2[0-7]{3}|[g+=rwXt,]*s", mode) and "u" not in mode and not mode.startswith("+")
        call.act.add("setuid", severity=Severity.MEDIUM if group_only else None)


def _chmod(call: Call) -> str:
    words = [word for word in call.argv[1:] if not re.fullmatch(r"-[RcfvhHLP]+|--[a-z-]+(=.*)?", word)]
    if not words:
        return ""
    _mode(call, words[0])
    whole = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", word) for word in call.argv[1:])
    for path in words[1:]:
        call.act.change_mode(path, tightens=not whole and is_tight(words[0]))
    if words[0] in {"777", "0777", "a+rwx", "ugo+rwx", "666"}:
        call.act.add("permission-change", severity=Severity.MEDIUM, detail="Everyone may write there.")
    return ""


def is_tight(mode: str) -> bool:
    """Whether a mode leaves the owner what he had and does not let everybody write: `0644`, `755`, `go-w`, `a+rX`."""
    if re.fullmatch(r"[0-7]{3,4}", mode):
        return bool(re.fullmatch(r"[0-2]?[4-7][0-7][0145]", mode))
    return all(re.fullmatch(r"u?[+=][rwxX]+|[ugoa]*[+=][rxX]+|[go]+-[rwxX]+|u-w", part) for part in mode.split(","))


def _chown(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "m", mixed=True)
    if call.argv[0] not in {"chown", "chgrp"}:
        for path in operands if call.argv[0] in {"chattr", "setfacl"} else operands[1:]:
            call.act.change_mode(path)
        return ""
    owner = operands[0].partition(":")[0].partition(".")[0] if operands else ""
    for path in operands[1:]:
        named = len(owner) > 2 and any(part.startswith(owner) for part in path.split("/")[2:])  # noqa: PLR2004
        to_root = owner in {"root", "0"} and call.argv[0] == "chown" and not options.keys() & {"R", "recursive"}
        call.act.change_mode(path, tightens=named or to_root)
    return ""


def _setcap(call: Call) -> str:
    if len(call.argv) > 2:  # noqa: PLR2004 - capability and file
        call.act.add("setuid", detail="Gives the file a capability.")
    return ""


def _yes(call: Call) -> str:
    return "y\n" if len(call.argv) == 1 else UNKNOWN


def _unzip(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "dxP", mixed=True)
    for path in operands[:1]:
        call.act.read(path)
    for path in options.get("d", []):
        call.act.write(path)
    return UNKNOWN


def _fallocate(call: Call) -> str:
    return _truncate(call)


COMMANDS: Final = {
    "rm": _rm,
    "rmdir": _rmdir,
    "unlink": _unlink,
    "srm": _rm,
    "trash": _unlink,
    "shred": _shred,
    "wipe": _shred,
    "cp": _cp,
    "install": _cp,
    "mv": _mv,
    "ln": _ln,
    "link": _ln,
    "tee": _tee,
    "sponge": _tee,
    "touch": _create,
    "mkdir": _create,
    "mkfifo": _create,
    "mknod": _create,
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
    "chmod": _chmod,
    "chown": _chown,
    "chgrp": _chown,
    "chattr": _chown,
    "setfacl": _chown,
    "chcon": _chown,
    "setcap": _setcap,
    "yes": _yes,
    "unzip": _unzip,
}
