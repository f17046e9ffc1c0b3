"""Commands that list processes and end them: a script's own, or somebody else's."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Final

from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import HOST_DATA, NAME, OTHER_PROCESS, OWN_PROCESS, PROCESS_LIST, UNKNOWN, is_open

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


def _kill(call: Call) -> str:
    words = call.argv[1:]
    if {"-l", "-L", "-0"} & set(words[:1]) or words[:2] in (["-s", "0"], ["-n", "0"]):
        return UNKNOWN
    if words[:1] and words[0] in {"-s", "-n", "--signal"}:
        words = words[2:]
    elif words[:1] and re.fullmatch(r"-(\d+|[A-Z]\w*|SIG\w+)", words[0]) and len(words) > 1:
        words = words[1:]
    for word in words:
        if word not in {"--", ""} and not word.startswith("%") and OWN_PROCESS not in word:
            _end_process(call, word)
    return ""


def _end_process(call: Call, word: str) -> None:
    if word == "-1":
        call.act.add("kill-process", severity=Severity.CRITICAL, detail="-1 stands for every process.")
    elif OTHER_PROCESS in word and _picks_own(call):
        call.act.add("kill-process", severity=Severity.MEDIUM, detail="Picks a program that the script starts itself.")
    elif OTHER_PROCESS in word or HOST_DATA in word or (word.lstrip("-").isdigit() and word != "0"):
        call.act.add("kill-process")
    elif re.search(r"[*?\[]", word):
        call.act.add("kill-process", detail="Whatever process the pattern names.")
    elif is_open(word) or NAME in word:
        call.act.add("kill-process", severity=Severity.MEDIUM, detail="The process is not known before the run.")


def _picks_own(call: Call) -> bool:
    """Whether the process is picked from a list by names of programs that the script starts itself."""
    names = [name.strip("[]").replace("]", "") for name in _PICKED.findall(text_of(call.node))]
    return bool(names) and all(_starts_itself(call, name) for name in names)


def _list_processes(call: Call) -> str:
    """`ps` and the like: of all processes, or of those that the script started."""
    if any(OWN_PROCESS in word for word in call.argv):
        return OWN_PROCESS
    return PROCESS_LIST if call.argv[0] == "ps" else OTHER_PROCESS


def _kill_by_name(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "PgGsutUFnr", mixed=True)
    own = any(OWN_PROCESS in value for value in options.get("P", []) + options.get("g", []) + options.get("s", []))
    if "0" in options or (operands == [] and not options):
        return ""
    own = own or (bool(operands) and all(_starts_itself(call, name) for name in operands))
    call.act.add("kill-process", severity=Severity.MEDIUM if own else None)
    return ""


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
    call.walker.shared.report.budget.spend(1 + len(text) // 1000)
    lines = "\n".join(line for line in text.split("\n") if not _ENDS.search(line))
    return bool(re.fullmatch(r"[\w./+-]+", name)) and name not in _EVERYWHERE and bool(re.search(started, lines))


def _free_port(call: Call) -> str:
    """`fuser -k 8080/tcp` ends who listens at a port of the project; below 1024 it is the machine's."""
    if any(re.fullmatch(r"-\w*k\w*|--kill", word) for word in call.argv[1:]):
        operands = [word for word in call.argv[1:] if not word.startswith("-") and word not in {"tcp", "udp"}]
        own = all(re.fullmatch(rf"(?:\d{{4,5}}|[{UNKNOWN}{NAME}])(?:/(?:tcp|udp))?", word) for word in operands)
        call.act.add("kill-process", severity=Severity.MEDIUM if own else None)
    return OTHER_PROCESS


COMMANDS: Final = {
    "kill": _kill,
    **dict.fromkeys(("pkill", "killall", "killall5", "skill", "xkill", "fuser-k"), _kill_by_name),
    "fuser": _free_port,
    **dict.fromkeys(("ps", "pgrep", "pidof"), _list_processes),
}
