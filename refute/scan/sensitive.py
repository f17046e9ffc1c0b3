"""Which files hold credentials, which keep code running after the script, which only describe the machine."""

# ruff: noqa: E501 - tables and patterns, one subject per line

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from refute.scan.symbols import HERE, HOME, TEMP

_GLOB: Final = re.compile(r"[*?\[]")

# Known members stand beside each pattern so that a glob in the script (`/etc/sh?dow`) can be matched against them.
_CREDENTIALS: Final = re.compile(
    rf"""(?:
    /etc/g?shadow-?\Z | /etc/sudoers(?:\.d)?(?:/|\Z) | /etc/security/opasswd | /etc/ssh/ssh_host_\w+_key\Z
  | /etc/ssl/private(?:/|\Z) | /etc/krb5\.keytab | /etc/ppp/(?:chap|pap)-secrets | /etc/openvpn/.*\.key
  | /etc/mysql/debian\.cnf | /etc/postgresql/.*/server\.key | /etc/kubernetes/(?:admin\.conf|pki) | /var/run/secrets | /run/secrets | /etc/NetworkManager/system-connections
  | /proc/(?:\d+|[^/]*[*?][^/]*)/(?:environ|mem|maps|root)\b | /proc/self/(?:environ|mem)\b | /proc/kcore | /dev/k?mem\Z | /dev/port\Z
  | /var/lib/(?:sss/db|samba/private) | /etc/shadow
  | (?:{HOME}|/[^/]+(?:/[^/]+)*|{HERE}|{TEMP})?/(?:\.ssh(?:/(?!known_hosts|config\Z).*)?\Z|id_(?:rsa|dsa|ecdsa|ed25519)\Z)
  | .*/\.(?:aws|azure|gnupg|kube|docker)(?:/(?!(?:gpg|gpg-agent|dirmngr)\.conf\Z)(?:credentials|config(?:\.json)?|accessTokens\.json|private-keys.*|.*\.gpg|.*))?\Z
  | .*/\.config/(?:gcloud|gh|doctl|op|rclone|hub)(?:/.*)?\Z | .*/application_default_credentials\.json
  | {HOME}/\.(?:netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|vault-token|s3cfg|boto|terraform\.d|bash_history|zsh_history|sh_history|history|mysql_history|psql_history|python_history|password-store|electrum|bitcoin|ethereum)(?:/.*)?\Z
  | .*(?:Login\ Data|logins\.json|key[34]\.db|cookies\.sqlite|Web\ Data|Local\ State|wallet\.dat)\Z
  | {HOME}/\.(?:mozilla|thunderbird)\Z | .*/(?:\.mozilla/firefox|google-chrome|chromium|BraveSoftware)(?:/(?!Crash|.*Cache).*)?\Z | .*/keyrings(?:/.*)?\Z | .*/Library/Keychains(?:/.*)?\Z
  )""",
    re.VERBOSE,
)
_CREDENTIAL_MEMBERS: Final = (
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    f"{HOME}/.ssh/id_rsa",
    f"{HOME}/.ssh/id_ed25519",
    f"{HOME}/.aws/credentials",
    f"{HOME}/.netrc",
    f"{HOME}/.bash_history",
    "/proc/1/environ",
)
_PERSISTENCE: Final = re.compile(
    rf"""(?:
    {HOME}/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|shrc|kshrc|cshrc|tcshrc|login|zshrc|zshenv|zprofile|zlogin|xinitrc|xprofile|xsession|xsessionrc|inputrc|vimrc|pythonrc(?:\.py)?|gitconfig|pam_environment|forward)\Z
  | {HOME}/\.config/(?:systemd|autostart|fish)(?:/.*)?\Z | {HOME}/\.local/share/systemd(?:/.*)?\Z | {HOME}/Library/Launch.*
  | (?:{HOME}|/[^/]+(?:/[^/]+)*)/\.ssh(?:/.*)?\Z
  | /etc/(?:profile(?:\.d)?|bash\.bashrc|bashrc|zsh|zshrc|zprofile|environment|rc\.local|rc\.d|rc\d?\.d|init\.d|init|inittab|cron[^/]*|anacrontab|at\.(?:allow|deny)|systemd|xdg/autostart|ld\.so\.[^/]*|ld\.so|pam\.d|pam\.conf|sudoers(?:\.d)?|doas\.conf|ssh|udev|modules(?:-load\.d)?|modprobe\.d|update-motd\.d|apt/apt\.conf\.d|logrotate\.d|polkit-1|security|skel|xinetd\.d|inetd\.conf|binfmt\.d)(?:/.*)?\Z
  | /var/spool/(?:cron|at)(?:/.*)?\Z | /(?:usr/)?lib/(?:systemd|udev|security|modules)(?:/.*)?\Z | /usr/local/lib/systemd(?:/.*)?\Z
  | /Library/Launch(?:Daemons|Agents).* | /sys/kernel/uevent_helper | /proc/sys/kernel/(?:core_pattern|modprobe)
  | (?!{HERE}).*/(?:sitecustomize|usercustomize)\.py\Z | (?!{HERE}).*-packages(?:/[^/]+\.pth)\Z
  )""",
    re.VERBOSE,
)
_PERSISTENCE_MEMBERS: Final = (f"{HOME}/.bashrc", f"{HOME}/.profile", "/etc/crontab", "/etc/profile", "/etc/rc.local")
# What any program may ask of its machine; tells nothing about people, accounts or configuration.
_PUBLIC: Final = re.compile(
    r"(?:/etc/(?:os-release|[a-z]+-release|lsb-release|debian_version|alpine-release|hostname|timezone|localtime|machine-id"
    r"|mime\.types|magic|services|protocols|locale\.alias|locale\.conf|default/locale|issue|motd|arch-release|gentoo-release|system-release)"
    r"|/usr/lib/os-release|/boot/config-[^/]*|/proc/config\.gz|/proc/(?:uptime|loadavg|version|stat|filesystems|mounts|sys/kernel/(?:random/.*|osrelease|ostype))"
    r"|/sys/(?:fs/cgroup|devices/system/cpu)(?:/.*)?|/proc/(?:cpuinfo|meminfo)|/proc/[^/\d*?]/(?:stat|status|comm|cmdline|fd|exe))\Z"
)
# Accounts, authentication, trust, package sources, name resolution, kernel and logs: what an intruder asks for first.
_TELLING: Final = re.compile(
    r"/etc/(?:passwd|group|subuid|subgid|shells|login\.defs|securetty|security|pam|ssh|ssl|pki|ca-cert|apt|yum|dnf|apparmor|selinux|audit|hosts"
    r"|host\.conf|resolv|nsswitch|network|netplan|wireguard|openvpn|ipsec|iptables|nftables|ufw|fstab|crypttab|exports|samba|krb5|ldap|sssd"
    r"|cron|at\.|anacrontab|systemd|init|rc|profile|bash|zsh|environment|ld\.so|modprobe|sysctl|udev|sudo|doas|polkit|dbus|rsyslog|logrotate"
    r"|docker|containerd|kubernetes|aliases|mail/|motd|issue|inputrc|wgetrc|curlrc)"
    r"|/proc/(?!sys/|filesystems|mounts|self|acpi|apm|pmu|cgroups|config\.gz)|/sys/(?:kernel|firmware|hypervisor)|/var/(?:log|lib/(?:pam|dpkg|apt|sudo|dhcp|docker|mysql|postgresql)"
    r"|mail|spool|backups|www)|/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|md|input|fb|video|snd|kmsg|mem)|/boot/|/usr/[^/]+\Z|/opt/|/srv/|/mnt/|/media/|/home/"
)
_ENUMERABLE_ROOTS: Final = frozenset(
    [
        "/",
        "/app",
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/home",
        "/lib",
        "/lib64",
        "/mnt",
        "/media",
        "/opt",
        "/proc",
        "/root",
        "/run",
        "/sbin",
        "/srv",
        "/sys",
        "/usr",
        "/var",
        "/usr/share",
    ]
)
_SHALLOW: Final = {"/proc/": 2, "/sys/": 2, "/var/": 3}
"""To which depth a directory of the kernel or of services shows many things rather than one."""
_MADE_UP: Final = re.compile(
    r"/(?:non[-_]?exist\w*|no[-_/]such[^/]*|does[-_/]?not[-_/]?exist\w*|nowhere|not[-_/]a[-_/]real\w*)(?:/|\Z)"
)
_SECURITY_DATA: Final = re.compile(
    r"/usr/(?:local/)?share/(?:base-passwd|ca-certificates|pam|pam-configs|keyrings)(?:/.*)?\Z"
)


def is_credentials(text: str) -> bool:
    """Whether a located path holds keys, passwords or tokens."""
    return bool(_CREDENTIALS.match(text)) or _globs_to(text, _CREDENTIAL_MEMBERS)


def is_persistence(text: str) -> bool:
    """Whether writing there makes code run, or doors open, after the script has ended."""
    return bool(_PERSISTENCE.match(text)) or _globs_to(text, _PERSISTENCE_MEMBERS)


def is_public_fact(text: str) -> bool:
    """Whether reading there only tells the machine's type, time or load."""
    return bool(_PUBLIC.match(text))


def is_telling(text: str) -> bool:
    """Whether reading there tells about people, defences, services or the kernel."""
    return bool(_TELLING.match(text)) or is_security_data(text)


def is_made_up(text: str) -> bool:
    """Whether a path says itself that it does not exist: tests of error handling use such."""
    return bool(_MADE_UP.match(text))


def is_security_data(text: str) -> bool:
    """Whether it is the template of accounts, trust anchors or authentication under /usr."""
    return bool(_SECURITY_DATA.match(text))


def is_enumerable_root(text: str) -> bool:
    """Whether listing the directory is taking stock of the machine rather than looking for one thing."""
    stripped = text.rstrip("/*") or "/"
    return (
        stripped in _ENUMERABLE_ROOTS
        or any(stripped.startswith(root) and stripped.count("/") <= depth for root, depth in _SHALLOW.items())
        or stripped.startswith(("/root/", "/home/", "/boot/"))
        or (stripped.startswith("/etc/") and is_telling(stripped))
        or is_security_data(stripped)
    )


@lru_cache(maxsize=1024)
def _globs_to(text: str, members: tuple[str, ...]) -> bool:
    if not _GLOB.search(text) or text.startswith((HERE, TEMP)):
        return False
    pattern = text.split("/")
    # A glob of stars only names everything in a directory, not this member; only one that spells it out counts.
    return any(
        len(pattern) == len(member.split("/"))
        and fnmatchcase(member, text)
        and any(len(part.strip("*?")) > 0 or part.count("?") == len(part) > 1 for part in pattern[-1:])
        for member in members
    )
