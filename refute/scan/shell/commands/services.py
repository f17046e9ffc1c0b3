"""Commands that act on services, schedules, accounts, mounts and kernel settings, graded by what they take away."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from collections.abc import Callable
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.commands.system import always, only_asks
from refute.scan.shell.options import split_options
from refute.scan.symbols import DERIVED, DOWNLOAD, UNKNOWN

_STARTS: Final = frozenset(
    {
        "start",
        "restart",
        "reload",
        "try-restart",
        "condrestart",
        "force-reload",
        "reload-or-restart",
        "daemon-reload",
        "reset-failed",
    }
    | {"is-system-running", "show-environment", "import-environment", "list-timers", "list-dependencies", "configtest"}
)
"""What may be asked of a service without taking anything away that runs."""
_MEMORY_FILE_SYSTEMS: Final = frozenset(
    {"tmpfs", "ramfs", "proc", "sysfs", "devpts", "cgroup", "cgroup2", "securityfs", "mqueue"}
)
_POWERS: Final = ("g", "G", "group", "groups", "ingroup", "u", "uid", "gid")
_POWERFUL: Final = frozenset({"0", "00", "root", "sudo", "wheel", "admin", "docker", "shadow", "disk", "lxd"})
_ACCOUNT_VALUED: Final = frozenset(
    {
        "uid",
        "gid",
        "home",
        "home-dir",
        "shell",
        "comment",
        "gecos",
        "group",
        "groups",
        "ingroup",
        "password",
        "base-dir",
        "skel",
    }
)


def _crontab(call: Call) -> str:
    if "-l" in call.argv:
        call.act.add("read-host-file", severity=Severity.MEDIUM)
    elif not only_asks(call):
        call.act.add("persistence")
    return UNKNOWN


def _systemctl(call: Call) -> str:
    options, words = split_options(call.argv[1:], "tHMnop", mixed=True)
    del options
    if words and words[0] not in {
        "status",
        "is-active",
        "is-enabled",
        "list-units",
        "list-unit-files",
        "show",
        "cat",
        "is-failed",
        "--version",
    }:
        persists = words[0] in {"enable", "link", "edit", "set-default"}
        weak = words[0] in _STARTS and not any(_open_name(word) for word in words)
        call.act.add("persistence" if persists else "system-control", severity=Severity.MEDIUM if weak else None)
    return UNKNOWN


def _open_name(word: str) -> bool:
    return DERIVED in word or DOWNLOAD in word


def _service(call: Call) -> str:
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    if words and words[-1] not in {"status", "--status-all"}:
        call.act.add("system-control", severity=Severity.MEDIUM if words[-1] in _STARTS else None)
    return UNKNOWN


def _account(call: Call) -> str:
    """`adduser` and the like: an account or group that nobody can use to get in is shown, anything else blocks."""
    if only_asks(call):
        return UNKNOWN
    options, operands = split_options(call.argv[1:], "ugGdscepkKbfMN", _ACCOUNT_VALUED, mixed=True)
    values = [value for key in _POWERS for value in options.get(key, [])]
    powerful = options.keys() & {"o", "non-unique", "p", "password", "aG", "a"} or any(
        value.strip() in _POWERFUL for value in [*operands, *values]
    )
    shell = " ".join(options.get("s", []) + options.get("shell", []))
    closed = options.keys() & {"system", "r", "S", "disabled-login", "disabled-password"} or "nologin" in shell
    adds = call.argv[0] in {"groupadd", "addgroup"} or (call.argv[0] in {"useradd", "adduser"} and bool(closed))
    call.act.add("system-control", severity=Severity.MEDIUM if adds and not powerful else None)
    return UNKNOWN


def _graded(weak: str) -> Callable[[Call], str]:
    """Judges a command that is only shown where its arguments match."""
    pattern = re.compile(weak)

    def judge(call: Call) -> str:
        if not only_asks(call) and call.argv[-1] != "status":
            text = " ".join(call.argv[1:])
            call.act.add("system-control", severity=Severity.MEDIUM if pattern.search(text) else None)
        return UNKNOWN

    return judge


def _sysctl(call: Call) -> str:
    if any("=" in word for word in call.argv[1:]) or {"-w", "-p", "--system", "--load"} & set(call.argv[1:]):
        call.act.add("system-control")
    return UNKNOWN


def _mount(call: Call) -> str:
    options, operands = split_options(
        call.argv[1:], "tosLUO", frozenset({"types", "options", "source", "target"}), mixed=True
    )
    if operands or options.keys() & {"a", "all", "L", "U"}:
        kinds = {*options.get("t", []), *options.get("types", [])}
        settings = ",".join(options.get("o", []) + options.get("options", []))
        # Without the right to mount it fails in the sandbox; a disk, a share or the root is what would count elsewhere.
        harmless = not re.search(r"remount|suid|exec\b|dev\b|bind|move", settings) and not options.keys() & _MOVES
        weak = kinds and kinds <= _MEMORY_FILE_SYSTEMS
        weak = weak or (len(operands) > 1 and all(_is_own(call, path) for path in operands[-2:]))
        weak = weak or (call.argv[0] in {"umount", "fusermount"} and all(_is_mount_point(call, p) for p in operands))
        call.act.add("system-control", severity=Severity.MEDIUM if weak and harmless else None)
    return UNKNOWN


_MOVES: Final = frozenset({"bind", "rbind", "move", "B", "R", "M", "a", "all"})


def _is_own(call: Call, path: str) -> bool:
    """Whether a mount takes from, or leads to, what is the script's own or made for mounting."""
    target = paths.locate(path, call.walker.scope.cwd)
    return paths.inside_or_temporary(target) or re.match(r"/(?:mnt|media)/[^/]", target.text) is not None


def _is_mount_point(call: Call, path: str) -> bool:
    """Whether taking a file system away there takes nothing from the machine."""
    return _is_own(call, path) or paths.locate(path, call.walker.scope.cwd).place == paths.Place.UNKNOWN


COMMANDS: Final = {
    "crontab": _crontab,
    **dict.fromkeys(("at", "batch"), always("persistence")),
    **dict.fromkeys(("systemctl", "launchctl", "loginctl"), _systemctl),
    "service": _service,
    **dict.fromkeys(
        ("rc-service", "update-rc.d", "chkconfig", "initctl", "invoke-rc.d", "rc-update", "sysrc"),
        _graded(r"\b(?:(?:re|try-re)?start|(?:force-)?reload|upgrade|rotate)\Z|\bdefaults\b|--add\b|\badd\b"),
    ),
    **dict.fromkeys(
        (
            "useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel passwd chpasswd chage "
            "gpasswd visudo vipw newusers chsh dscl pw"
        ).split(),
        _account,
    ),
    "update-alternatives": _graded(r"--(?:install|auto|config|skip-auto|set|remove)\b"),
    **dict.fromkeys(("mount", "umount", "fusermount", "pivot_root", "mount.nfs"), _mount),
    "sysctl": _sysctl,
}
