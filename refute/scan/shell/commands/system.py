"""Commands that act on the machine, its processes, accounts, packages and engines."""

# ruff: noqa: SIM905 - long tables of names read best as words

# ruff: noqa: E501 - tables and patterns, one subject per line

import re
from collections.abc import Callable
from typing import Final

from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import DERIVED, DOWNLOAD, NAME, OWN_PROCESS, SECRET, UNKNOWN, is_open

OTHER_PROCESS: Final = "1"
"""Stands for the id of a process that the script did not start."""
_QUERIES: Final = frozenset(
    {
        "--version",
        "-V",
        "--help",
        "-h",
        "version",
        "help",
        "-v",
        "--usage",
        "status",
        "--status",
        "list",
        "--list",
        "-L",
        "show",
        "--query",
    }
)

_ASKED_ABOUT: Final = frozenset({"update-alternatives", "dpkg-divert"})
"""Commands that take the name of what they are asked about."""


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
ATTACK_TOOLS: Final = frozenset(
    """nmap masscan zmap tcpdump tshark dumpcap ettercap bettercap arpspoof hydra medusa john hashcat aircrack-ng sqlmap nikto gobuster
    dirb msfconsole msfvenom metasploit mimipenguin linpeas linpeas.sh linenum.sh lse.sh responder crackmapexec evil-winrm enum4linux
    wpscan wfuzz ffuf dsniff ngrep xinput logkeys xspy pamspy unix-privesc-check laZagne.py lazagne ldapsearch ldapdomaindump
    bloodhound kerbrute rpcclient pspy64 pspy xwd import-screen gcore""".split()
)
"""Tools that scan, listen in or crack."""
_MINERS: Final = frozenset(
    """xmrig minerd cpuminer ethminer cgminer bfgminer t-rex nbminer lolminer phoenixminer claymore xmr-stak xmr-stak-rx nanominer
    gminer cryptonight""".split()
)


def only_asks(call: Call) -> bool:
    """Whether a command is only asked for its version, help or state."""
    words = call.argv[1:]
    if call.argv[0] in _ASKED_ABOUT and words and words[0] in {"--query", "--list", "--display", "--get-selections"}:
        return True
    return bool(words) and all(word in _QUERIES for word in words)


def _always(rule_id: str, severity: Severity | None = None) -> Callable[[Call], str]:
    def judge(call: Call) -> str:
        if not only_asks(call):
            call.act.add(rule_id, severity=severity)
        return UNKNOWN

    return judge


def _unless(rule_id: str, harmless: str) -> Callable[[Call], str]:
    pattern = re.compile(harmless)

    def judge(call: Call) -> str:
        operands = [word for word in call.argv[1:] if not word.startswith("-")]
        if not only_asks(call) and not pattern.match(" ".join(operands)):
            call.act.add(rule_id)
        return UNKNOWN

    return judge


def _kill(call: Call) -> str:
    words = call.argv[1:]
    if {"-l", "-L", "-0"} & set(words[:1]) or words[:2] in (["-s", "0"], ["-n", "0"]):
        return UNKNOWN
    if words[:1] and words[0] in {"-s", "-n", "--signal"}:
        words = words[2:]
    elif words[:1] and re.fullmatch(r"-(\d+|[A-Z]\w*|SIG\w+)", words[0]) and len(words) > 1:
        words = words[1:]
    for word in words:
        if word in {"--", ""} or word.startswith("%") or OWN_PROCESS in word:
            continue
        if word == "-1":
            call.act.add("kill-process", severity=Severity.CRITICAL, detail="-1 stands for every process.")
        elif word.lstrip("-").isdigit() and word != "0":
            call.act.add("kill-process")
        elif is_open(word) or NAME in word:
            call.act.add("kill-process", severity=Severity.MEDIUM, detail="The process is not known before the run.")
    return ""


def _kill_by_name(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "PgGsutUFnr", mixed=True)
    own = any(OWN_PROCESS in value for value in options.get("P", []) + options.get("g", []) + options.get("s", []))
    if "0" in options or (operands == [] and not options):
        return ""
    call.act.add("kill-process", severity=Severity.MEDIUM if own else None)
    return ""


def _environment(call: Call) -> str:
    """`env` or `printenv` without a command prints everything; with names, only those."""
    operands = [word for word in call.argv[1:] if not word.startswith("-")]
    if operands and re.search(r"(?i)key|token|secret|passw", " ".join(operands)):
        return SECRET
    return UNKNOWN if operands else SECRET


def _set(call: Call) -> str:
    if len(call.argv) == 1:
        return SECRET
    words = call.argv[1:]
    if words[0] == "--":
        call.walker.scope.arguments = words[1:]
    elif not words[0].startswith(("-", "+")):
        call.walker.scope.arguments = words
    return ""


def _history(call: Call) -> str:
    if {"-c", "-d", "-w", "-r"} & set(call.argv[1:]):
        call.act.add("history-tampering")
        return ""
    return SECRET


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
        if not only_asks(call):
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
        weak = kinds and kinds <= _MEMORY_FILE_SYSTEMS and not re.search(r"remount|suid|exec\b|dev\b", settings)
        call.act.add("system-control", severity=Severity.MEDIUM if weak else None)
    return UNKNOWN


def _getent(call: Call) -> str:
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    if words[:1] and words[0] in {"passwd", "group", "shadow", "gshadow"}:
        whole = len(words) == 1 or words[0].endswith("shadow")
        call.act.add("read-host-file", severity=None if whole else Severity.MEDIUM)
    return UNKNOWN


def _ulimit(_call: Call) -> str:
    return UNKNOWN


COMMANDS: Final = {
    "kill": _kill,
    **dict.fromkeys(("pkill", "killall", "killall5", "skill", "xkill", "fuser-k"), _kill_by_name),
    **dict.fromkeys(("env", "printenv"), _environment),
    "set": _set,
    "history": _history,
    "fc": _history,
    "crontab": _crontab,
    **dict.fromkeys(("at", "batch"), _always("persistence")),
    **dict.fromkeys(("systemctl", "launchctl", "loginctl"), _systemctl),
    "service": _service,
    **dict.fromkeys(
        ("rc-service", "update-rc.d", "chkconfig", "initctl", "invoke-rc.d", "rc-update", "sysrc"),
        _graded(r"\b(?:re)?start\Z|\breload\Z|\bdefaults\b|--add\b|\badd\b"),
    ),
    **dict.fromkeys(
        ("shutdown reboot halt poweroff init telinit kexec systemd-run").split(),
        _always("system-control"),
    ),
    **dict.fromkeys(
        (
            "useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel passwd chpasswd chage "
            "gpasswd visudo vipw newusers chsh dscl pw"
        ).split(),
        _account,
    ),
    **dict.fromkeys(
        (
            "insmod modprobe rmmod depmod kldload swapoff swapon losetup setenforce auditctl aa-disable "
            "aa-teardown update-ca-trust certctl trust grub-install update-grub efibootmgr hwclock timedatectl hostnamectl "
            "pam-auth-update dpkg-divert"
        ).split(),
        _always(
            "system-control",
        ),
    ),
    **dict.fromkeys(
        ("iptables ip6tables nft ufw firewall-cmd ipfw pfctl iptables-restore ebtables arptables").split(),
        _always(
            "system-control",
        ),
    ),
    **dict.fromkeys(
        ("ldconfig", "debconf-set-selections", "update-ca-certificates", "locale-gen"),
        _always("system-control", Severity.MEDIUM),
    ),
    "update-alternatives": _graded(r"--(?:install|auto|config|skip-auto|set|remove)\b"),
    **dict.fromkeys(("mount", "umount", "fusermount", "pivot_root", "mount.nfs"), _mount),
    "sysctl": _sysctl,
    **dict.fromkeys(
        ("ip", "ifconfig", "route", "brctl", "tc", "nmcli", "ethtool"),
        _unless(
            "system-control",
            r"\Z|(a|addr|address|r|route|link|l|n|neigh|rule|-?\w*show|list)?( (show|sh|list|ls|get)\b.*)?\Z|(lo|eth\d|wlan\d|en\w+)\Z|(con|dev|device|connection|general)?( show| status)?\Z",
        ),
    ),
    **dict.fromkeys(("nsenter", "chroot", "capsh", "runc"), _always("container-escape")),
    **dict.fromkeys(ATTACK_TOOLS, _always("attack-tool")),
    **dict.fromkeys(_MINERS, _always("crypto-miner")),
    "getent": _getent,
    **dict.fromkeys(("pgrep", "pidof"), lambda _call: OTHER_PROCESS),
    "ulimit": _ulimit,
}
