"""Commands that list and end processes, mount, and control containers: a script's own, or somebody else's."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import Effects, Flag
from refute.scan.core.symbols import (
    HOST_DATA,
    NAME,
    OTHER_PROCESS,
    OWN_PROCESS,
    PROCESS_LIST,
    UNKNOWN,
    is_open,
)
from refute.scan.core.tables import Command
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import split
from refute.scan.shell.state import Call
from refute.scan.shell.syntax import text_of

_INTERPRETERS: Final = r"(?:python[\d.]*|node|java|ruby|perl|bash|sh)"
_ENDS: Final = re.compile(r"\b(?:kill|killall5?|pkill|skill)\b")
_PICKED: Final = re.compile(r"\bp?grep\s+(?:-\w+\s+)*(?!-)[\"']?([^\s\"'|)]+)")
"""By which name a process is looked for."""
_EVERYWHERE: Final = frozenset(
    """sshd systemd init cron crond rsyslogd syslogd auditd dockerd containerd dbus-daemon udevd systemd-journald
    systemd-logind NetworkManager falco osqueryd clamd freshclam bash sh python python3 pytest node java perl
    ruby""".split()
)
"""Programs that others rely on, or that many are: a script that names one does not mean only its own."""
_MEMORY_FILE_SYSTEMS: Final = frozenset("tmpfs ramfs proc sysfs devpts cgroup cgroup2 securityfs mqueue".split())
_MOVES: Final = frozenset({"bind", "rbind", "move", "B", "R", "M", "a", "all"})


def _kill(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    if {"-l", "-L", "-0"} & set(words[:1]) or words[:2] in (["-s", "0"], ["-n", "0"]):
        return UNKNOWN
    if words[:1] and words[0] in {"-s", "-n", "--signal"}:
        words = words[2:]
    elif words[:1] and re.fullmatch(r"-(\d+|[A-Z]\w*|SIG\w+)", words[0]) and len(words) > 1:
        words = words[1:]
    for word in words:
        if word not in {"--", ""} and not word.startswith("%") and OWN_PROCESS not in word:
            yield from _end_process(call, word)
    return ""


def _end_process(call: Call, word: str) -> Effects:
    if word == "-1":
        yield Flag("kill-process", detail="-1 stands for every process.")
    elif OTHER_PROCESS in word and _picks_own(call):
        yield Flag("kill-process", mild=True, detail="Picks a program that the script starts itself.")
    elif OTHER_PROCESS in word or HOST_DATA in word or (word.lstrip("-").isdigit() and word != "0"):
        yield Flag("kill-process")
    elif re.search(r"[*?\[]", word):
        yield Flag("kill-process", detail="Whatever process the pattern names.")
    elif is_open(word) or NAME in word:
        yield Flag("kill-process", mild=True, detail="The process is only known at run time.")
    return None


def _picks_own(call: Call) -> bool:
    """Whether the process is picked from a list by names of programs that the script starts itself."""
    names = [name.strip("[]").replace("]", "") for name in _PICKED.findall(text_of(call.node))]
    return bool(names) and all(_starts_itself(call, name) for name in names)


def _starts_itself(call: Call, name: str) -> bool:
    """Whether the script holds a program of this name as a command by path or in the background: it ends its own."""
    root = call.node
    while root.parent is not None:
        root = root.parent
    name = re.sub(rf"\A(?:\S*/)?{_INTERPRETERS} +(?:-\S+ +)*", "", name).split(" ")[0]
    program = re.escape(name.rpartition("/")[2])
    behind = rf"^[ \t]*(?:(?:nohup|setsid|exec|{_INTERPRETERS}) +(?:-\S+ +)*)*{program}\b(?!\()"
    started = rf"(?m)(?:[\w$}}\"./-]/{program}(?=[\s\"']|$)|{behind}[^\n|;]*&[ \t]*(?:\w+=\S+)?[ \t]*$)"
    text = text_of(root)
    call.walker.report.budget.spend(1 + len(text) // 1000)
    lines = "\n".join(line for line in text.split("\n") if not _ENDS.search(line))
    return bool(re.fullmatch(r"[\w./+-]+", name)) and name not in _EVERYWHERE and bool(re.search(started, lines))


def _kill_by_name(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    own = any(OWN_PROCESS in value for name in "Pgs" for value in options.get(name, []))
    if "0" not in options and (operands or options):
        own = own or (bool(operands) and all(_starts_itself(call, name) for name in operands))
        yield Flag("kill-process", mild=own)
    return ""


def _processes(call: Call, _row: Command) -> Effects:
    """`ps` and the like: of all processes, or of those that the script started."""
    yield from ()
    if any(OWN_PROCESS in word for word in call.argv):
        return OWN_PROCESS
    return PROCESS_LIST if call.argv[0] == "ps" else OTHER_PROCESS


def _mount(call: Call, _row: Command) -> Effects:
    long = frozenset({"types", "options", "source", "target"})
    options, operands = split_options(call.argv[1:], "tosLUO", long, mixed=True)
    if operands or options.keys() & {"a", "all", "L", "U"}:
        kinds = {*options.get("t", []), *options.get("types", [])}
        settings = ",".join(options.get("o", []) + options.get("options", []))
        # Without the right to mount it fails in the sandbox; a disk, a share or the root is what would count elsewhere.
        harmless = not re.search(r"remount|suid|exec\b|dev\b|bind|move", settings) and not options.keys() & _MOVES
        unmounts = call.argv[0] in {"umount", "fusermount"}
        own = (len(operands) > 1 or unmounts) and all(_is_own(call, path, unmounts=unmounts) for path in operands[-2:])
        yield Flag("system-control", mild=harmless and (own or (bool(kinds) and kinds <= _MEMORY_FILE_SYSTEMS)))
    return None


def _is_own(call: Call, path: str, *, unmounts: bool) -> bool:
    """Whether a mount takes from, or leads to, what is the script's own or made for mounting."""
    target = call.locate(path)
    own = paths.inside_or_temporary(target) or re.match(r"/(?:mnt|media)/[^/]", target.text) is not None
    return own or (unmounts and target.place == paths.Place.UNKNOWN)


HANDLERS: Final = {
    "kill": _kill,
    "kill_by_name": _kill_by_name,
    "processes": _processes,
    "mount": _mount,
}
