"""Which places belong to one program alone, so that only it would notice a change there."""

# ruff: noqa: E501, SIM905 - tables and patterns, one subject per line

import re
from typing import Final

from refute.scan.sensitive import is_credentials, is_persistence, is_telling
from refute.scan.symbols import HOME

# Where a program keeps what only it uses: below a directory of its own in /var, in /run, in /usr/local and /opt. What
# other programs trust (accounts, packages, logs, what is on everyone's PATH) is left out by `is_service_data`.
_SERVICE_DATA: Final = re.compile(
    r"/(?:var/)?(?:run|lock)/[^/]+|/var/(?:lib|cache|log|spool|games|opt)/[^/]+/.+|/var/(?:lib|cache|log)/[a-z][\w.-]*/?\Z"
    r"|/usr/local/(?!s?bin(?:/|\Z)|lib/systemd|lib/python)[^/]+(?:/.*)?\Z|/usr/local/s?bin/[^/]+\Z|/opt/[^/]+/.+|/etc/[a-z][\w.-]*/.+"
)
_IMAGE_DATA: Final = re.compile(
    r"/(?!(?:\.|bin|boot|dev|etc|home|lib\d*|lib32|libx32|media|mnt|opt|proc|root|run|sbin|selinux|snap|srv|sys|tmp|usr|var|workspace|nix|gnu|efi"
    r"|Users|Library|System|Applications|Volumes|Network|cores|private)(?:/|\Z))[A-Za-z][\w.-]*/[^*?\[]*[^*?\[/]\Z"
)
"""One file below a directory of the root that no system has: an image's own (`/app`, `/src`, `/coverage`)."""
_TRUSTED_DATA: Final = re.compile(
    r"/usr/local/share/ca-certificates|/(?:var/)?run/(?:secrets|user|docker|containerd|dbus|systemd|sudo|utmp)|/var/(?:lib|cache|log|spool)/(?:pam|dpkg|apt|aptitude|sudo|dhcp"
    r"|docker|containerd|kubelet|etcd|systemd|dbus|polkit-1|sss|samba|cron|at|anacron|mail|journal|audit|private|alternatives|wtmp|btmp|lastlog"
    r"|auth|syslog|messages|kern|secure|misc|faillog|tallylog|dmesg|boot|daemon|debug|user|maillog|dnf|yum|NetworkManager|bluetooth|AccountsService)"
)
_SHARED_SETTINGS: Final = re.compile(
    r"/etc/(?:default|alternatives|X11|xdg|dpkg|debian|sysconfig|gtk|fonts|java|python|perl|php|ruby|emacs|vim|bash_completion|git|nss|local)"
)
_EVERYBODYS: Final = frozenset(
    """[ apt apt-get ar awk bash cat cc chmod chown cp curl cut date dash dpkg docker echo env find g++ gcc git go grep gzip head id
    java kill ld ln login ls make mkdir mount mv node npm passwd perl php pip pip3 ps pytest python python2 python3 rm ruby sed
    service sh sort ssh su sudo systemctl tail tar tee test touch tr true uname vi vim wc wget which who whoami xargs zsh""".split()
)
"""Commands that a file of the same name earlier on the PATH would shadow."""
_RUN_MARK: Final = re.compile(r"/(?:var/)?(?:run|lock)/(?:[^/*?]+/)?[^/*?]+\.(?:pid|lock|lck|sock|socket)\Z")
_CACHE: Final = re.compile(
    rf"/var/cache/(?!apt/?\Z)[^/*]+/.+|/var/cache/apt/(?:archives|\*).*|/var/lib/apt/lists(?:/.*)?\Z|{HOME}/\.cache/[^/*]+"
)
_VOLATILE: Final = re.compile(r"/(?:var/)?run/[^/*?]+(?:/.*)?\Z")
"""A program's directory below /run, which is gone with the next start anyway."""
_HOME_CODE: Final = re.compile(
    rf"""{HOME}/(?:
    s?bin/ | Library/ | AppData/
  | \.(?:\w*shrc|\w*profile\w*|\w*env|\w*login|\w*logout|n?vimrc|exrc|screenrc|irbrc|pryrc|wgetrc|curlrc|yarnrc\w*|xserverrc|i3rc|fvwmrc|mailrc|gemrc|guile|erlang|psqlrc|sqliterc|lesskey|octaverc|pdbrc(?:\.py)?)\Z
  | \.(?:zshrc\.d|bashrc\.d|oh-my-\w+|bash_completion|bash_it|emacs|vim|tmux|screen|gdbinit|lldbinit|Rprofile|ipython|jupyter|julia|ghci|octave
      |cargo|m2|gradle|sbt|ivy2|pip|pypirc|pydistutils|yarn|pnpm|bundle|gem|condarc|nvm|rvm|rbenv|pyenv|sdkman|asdf|git|hg|svn|xmonad|fluxbox|dbus|xbindkeys|mailcap|procmail|forward|rhosts|shosts|k5login|selected_editor_)
  | \.config/(?:git|hg|n?vim|emacs|pip|fish|zsh|bash|environment\.d|systemd|autostart|i3|sway|hypr|openbox|awesome|bspwm|sxhkd|plasma-workspace|ranger|lf|tmux|procps|direnv|user-dirs|containers|docker|kube)
  | \.local/(?:bin|s?bin|lib|share/(?:systemd|dbus-1|nvim|gnome-shell|bash-completion|fish|kio|kservices))
  )""",
    re.VERBOSE,
)
"""Where a file in the home directory is read as code or names code to run, besides the well-known start-up files."""


def is_service_data(text: str) -> bool:
    """Whether only the program that keeps its data there would notice a change.

    A program put under /usr/local counts unless it takes the name of one that everybody calls.
    """
    if not _SERVICE_DATA.match(text) or _TRUSTED_DATA.match(text) or is_credentials(text) or is_persistence(text):
        return False
    if text.startswith("/etc/") and (is_telling(text) or _SHARED_SETTINGS.match(text)):
        return False
    directory, _, name = text.rpartition("/")
    return not (directory.endswith("bin") and (name in _EVERYBODYS or "*" in name))


def is_run_mark(text: str) -> bool:
    """Whether it is the mark of a running service: its process file, lock or socket."""
    if _IMAGE_DATA.match(text):
        return bool(re.search(r"\.(?:pid|lock|sock)\Z", text))
    return bool(_RUN_MARK.match(text)) and not _TRUSTED_DATA.match(text)


def is_image_data(text: str) -> bool:
    """Whether it is one file of what a container image brings along beside the system.

    Nobody's system has such a directory; what a program later trusts there (keys, start-up files) is left out.
    """
    return bool(_IMAGE_DATA.match(text)) and not (is_credentials(text) or is_persistence(text))


def is_cache(text: str) -> bool:
    """Whether it is made again when it is missing."""
    return bool(_CACHE.match(text)) or (bool(_VOLATILE.match(text)) and not _TRUSTED_DATA.match(text))


def is_home_data(text: str) -> bool:
    """Whether it is a file of the home directory that neither runs, lets somebody in, nor holds a secret."""
    known = text.startswith(f"{HOME}/") and not text.endswith(("/", "/*"))
    if "*" in text and not text.startswith(f"{HOME}/."):
        return False
    return known and not (_HOME_CODE.match(text) or is_persistence(text) or is_credentials(text))


def is_kept_for_a_program(text: str) -> bool:
    """Whether one file belongs to a program rather than to a person or to the machine: what it may well delete."""
    name = text.rpartition("/")[2]
    if not name.strip("*?") or text.count("*") > 1:
        return False
    hidden = text.startswith(f"{HOME}/.") and is_home_data(text)
    return hidden or is_service_data(text)


def is_same_program(text: str, other: str) -> bool:
    """Whether two files belong to one and the same program: both below its directory in /opt, /etc or the like."""
    depth = 4 if text.startswith(("/var/", "/usr/")) else 3
    owner = text.split("/")[:depth]
    return (
        len(owner) == depth and owner == other.split("/")[:depth] and is_service_data(text) and is_service_data(other)
    )
