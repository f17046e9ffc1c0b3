"""Commands that act on the machine, or look over a person's shoulder."""

# ruff: noqa: SIM905 - long tables of names read best as words

# ruff: noqa: E501 - tables and patterns, one subject per line

import re
from collections.abc import Callable
from typing import Final

from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.symbols import SECRET, UNKNOWN

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

_QUESTIONS: Final = {
    "update-alternatives": r"--(?:query|list|display|get-selections)\b",
    "dpkg-divert": r"--(?:list|listpackage|truename)\b",
    "runc": r"(?:--\S+ )*(?:list|state|ps|events|spec|features)\b",
    "nft": r"(?:-\S+ )*list\b",
    "firewall-cmd": r"--(?:state|list-\S+|get-\S+|query-\S+)(?: --permanent)?\Z",
    "losetup": r"(?:-a|--all|-l|--list|-f|--find|-j \S+|--show)\Z",
    "swapon": r"(?:-s|--show\S*|--summary)\b",
    "modprobe": r"(?:-n|--dry-run|--show-depends|-c|--showconfig)\b",
    "hwclock": r"(?:-r|--show|--get)\b",
    "timedatectl": r"\Z|(?:show|list-timezones|timesync-status)\b",
    "hostnamectl": r"\Z|(?:hostname|--static)\Z",
    "auditctl": r"-[lsv]\Z",
    "capsh": r"--(?:print|has-\S+)\Z",
    "trust": r"(?:list|dump)\b",
}
"""Command → how its arguments begin where it is only asked something."""
_FIREWALLS: Final = frozenset({"iptables", "ip6tables", "ebtables", "arptables", "ipfw", "pfctl"})
_LISTS_RULES: Final = re.compile(r"(?:\A|\s)(?:-[vnx]*[LS][vnx]*|--list\S*|-s[ra]?)(?:\s|\Z)")
_CHANGES_RULES: Final = re.compile(
    r"(?:\A|\s)(?:-[A-KM-RT-Z]|--(?!list|line-numbers|verbose|numeric|table|wait|exact)\w)"
)


ATTACK_TOOLS: Final = frozenset(
    """nmap masscan zmap tcpdump tshark dumpcap ettercap bettercap arpspoof hydra medusa john hashcat aircrack-ng sqlmap nikto gobuster
    dirb msfconsole msfvenom metasploit mimipenguin linpeas linpeas.sh linenum.sh lse.sh responder crackmapexec evil-winrm enum4linux
    wpscan wfuzz ffuf dsniff ngrep xinput logkeys xspy pamspy unix-privesc-check laZagne.py lazagne ldapsearch ldapdomaindump
    bloodhound kerbrute rpcclient pspy64 pspy xwd import-screen gcore scrot maim grim
    gnome-screenshot arecord parecord fswebcam screencapture spectacle flameshot ksnip xfce4-screenshooter recordmydesktop
    wf-recorder showkey evtest keylogger""".split()
)
"""Tools that scan, crack, or look over a person's shoulder: keyboard, screen, clipboard."""
MINERS: Final = frozenset(
    """xmrig minerd cpuminer ethminer cgminer bfgminer t-rex nbminer lolminer phoenixminer claymore xmr-stak xmr-stak-rx nanominer
    gminer cryptonight""".split()
)


def only_asks(call: Call) -> bool:
    """Whether a command is only asked for its version, help or state."""
    words = call.argv[1:]
    if (question := _QUESTIONS.get(call.argv[0])) and re.match(question, " ".join(words)):
        return True
    return bool(words) and all(word in _QUERIES for word in words)


def always(rule_id: str, severity: Severity | None = None) -> Callable[[Call], str]:
    """A check that reports whatever is not only a question."""

    def judge(call: Call) -> str:
        if call.argv[0] in _FIREWALLS and _lists_rules(" ".join(call.argv[1:])):
            call.act.add(rule_id, severity=Severity.MEDIUM, detail="It only lists rules.")
        elif not only_asks(call):
            call.act.add(rule_id, severity=severity)
        return UNKNOWN

    return judge


def _lists_rules(arguments: str) -> bool:
    return bool(_LISTS_RULES.search(arguments)) and not _CHANGES_RULES.search(arguments)


def _unless(rule_id: str, harmless: str) -> Callable[[Call], str]:
    pattern = re.compile(harmless)

    def judge(call: Call) -> str:
        operands = [word for word in call.argv[1:] if not word.startswith("-")]
        if not only_asks(call) and not pattern.match(" ".join(operands)):
            call.act.add(rule_id)
        return UNKNOWN

    return judge


def _when(rule_id: str, harmful: str) -> Callable[[Call], str]:
    """A check that reports where the arguments begin so, behind options of one word."""
    pattern = re.compile(rf"(?:-\S+ )*?{harmful}")

    def judge(call: Call) -> str:
        if pattern.match(" ".join(call.argv[1:])):
            call.act.add(rule_id)
        return UNKNOWN

    return judge


def _films(call: Call) -> str:
    """Programs that also take pictures of the screen, or listen."""
    if re.search(r"x11grab|avfoundation|kmsgrab|video4linux|v4l2|-window|-f (?:alsa|pulse)", " ".join(call.argv)):
        call.act.add("attack-tool", detail="Records the screen, a camera or a microphone.")
    return UNKNOWN


def _reads_clipboard(call: Call) -> str:
    if re.search(
        r"\A(?:xclip(?: \S+)* -o|xsel(?: \S+)* (?:-o|--output|-[bps]+)|copyq (?:read|clipboard)|pbpaste|wl-paste)",
        " ".join(call.argv),
    ):
        call.act.add("attack-tool", severity=Severity.MEDIUM, detail="Reads the clipboard.")
    return UNKNOWN


def _asks_for_passwords(call: Call) -> str:
    if re.search(r"\b(?:find-\w+-password|dump-keychain|export|lookup|search|show|get)\b", " ".join(call.argv[1:3])):
        call.act.add("read-credentials", detail="Asks a password store.")
    return UNKNOWN


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
    if words[:2] == ["+o", "history"]:
        call.act.add("history-tampering")
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


def _getent(call: Call) -> str:
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    if words[:1] and words[0] in {"passwd", "group", "shadow", "gshadow"}:
        whole = len(words) == 1 or words[0].endswith("shadow")
        call.act.add("read-host-file", severity=None if whole else Severity.MEDIUM)
    return UNKNOWN


def _ulimit(_call: Call) -> str:
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(("env", "printenv"), _environment),
    "set": _set,
    "history": _history,
    "fc": _history,
    **dict.fromkeys(
        ("shutdown reboot halt poweroff init telinit kexec systemd-run").split(),
        always("system-control"),
    ),
    **dict.fromkeys(
        (
            "insmod modprobe rmmod kldload swapoff swapon setenforce auditctl aa-disable "
            "aa-teardown update-ca-trust certctl trust grub-install update-grub efibootmgr hwclock timedatectl hostnamectl "
            "pam-auth-update dpkg-divert"
        ).split(),
        always(
            "system-control",
        ),
    ),
    **dict.fromkeys(
        ("iptables ip6tables nft ufw firewall-cmd ipfw pfctl iptables-restore ebtables arptables").split(),
        always(
            "system-control",
        ),
    ),
    **dict.fromkeys(
        ("ldconfig", "debconf-set-selections", "update-ca-certificates", "locale-gen", "depmod", "losetup"),
        always("system-control", Severity.MEDIUM),
    ),
    **dict.fromkeys(
        ("ip", "ifconfig", "route", "brctl", "tc", "nmcli", "ethtool"),
        _unless(
            "system-control",
            r"\Z|(a|addr|address|r|route|link|l|n|neigh|rule|-?\w*show|list)?( (show|sh|list|ls|get)\b.*)?\Z|(lo|eth\d|wlan\d|en\w+)\Z|(link set )?(dev )?lo up\Z|(con|dev|device|connection|general)?( show| status)?\Z",
        ),
    ),
    **dict.fromkeys(("nsenter", "chroot", "capsh", "runc"), always("container-escape")),
    **dict.fromkeys(ATTACK_TOOLS, always("attack-tool")),
    **dict.fromkeys(MINERS, always("crypto-miner")),
    "getent": _getent,
    "ffmpeg": _films,
    "import": _films,
    **dict.fromkeys(("xclip", "xsel", "copyq", "pbpaste", "wl-paste"), _reads_clipboard),
    "journalctl": _when("history-tampering", r"--(?:vacuum|rotate|flush)"),
    "dmesg": _when("history-tampering", r"(?:-\w*[cC]|--clear|--read-clear)\b"),
    "kmod": _when("system-control", r"(?:load|insert|remove|unload)\b"),
    "dkms": _when("system-control", r"(?:install|add|build|autoinstall|remove)\b"),
    "bpftool": _when("system-control", r"\w+ (?:load|loadall|attach|detach|pin)\b"),
    "networksetup": _when("system-control", r"-(?:set|add|remove|create|delete)"),
    "spctl": _when("system-control", r"--(?:(?:master|global)-disable|add|remove|disable)"),
    "csrutil": _when("system-control", r"(?:disable|clear|authenticated-root disable)\b"),
    **dict.fromkeys(("locate", "plocate", "mlocate"), _when("list-host-directory", r"[^-]")),
    "add-apt-repository": always("package-install"),
    "apt-add-repository": always("package-install"),
    **dict.fromkeys(("security", "secret-tool", "pass", "keyring", "gopass"), _asks_for_passwords),
    "ulimit": _ulimit,
}
