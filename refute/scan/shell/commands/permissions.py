"""Commands that change who may use files."""

import re
from typing import Final

from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options


def judge_mode(call: Call, mode: str) -> None:
    """Judge a mode by itself: the setuid and setgid bits."""
    if re.search(r"[ugoa]*[ug][goa]*[+=][rwxXt]*s|(?:^|,)[+=][rwx]*s", mode) or re.fullmatch(r"0?[2-7][0-7]{3}", mode):
        # The group bit alone is how shared directories keep their group.
        group_only = re.fullmatch(r"0?2[0-7]{3}|[g+=rwXt,]*s", mode) and "u" not in mode and not mode.startswith("+")
        call.act.add("setuid", severity=Severity.MEDIUM if group_only else None)


def _chmod(call: Call) -> str:
    words = [word for word in call.argv[1:] if not re.fullmatch(r"-[RcfvhHLP]+|--[a-z-]+(=.*)?", word)]
    if not words:
        return ""
    judge_mode(call, words[0])
    whole = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", word) for word in call.argv[1:])
    for path in words[1:]:
        call.act.change_mode(path, tightens=not whole and _is_tight(words[0]))
    if words[0] in {"777", "0777", "a+rwx", "ugo+rwx", "666"}:
        call.act.add("permission-change", severity=Severity.MEDIUM, detail="Everyone may write there.")
    return ""


def _is_tight(mode: str) -> bool:
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


COMMANDS: Final = {
    "chmod": _chmod,
    "chown": _chown,
    "chgrp": _chown,
    "chattr": _chown,
    "setfacl": _chown,
    "chcon": _chown,
    "setcap": _setcap,
}
