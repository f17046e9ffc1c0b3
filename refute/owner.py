"""Whose a ticket or a container is: a process, named so that others on its machine can see whether it still lives."""

import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

UNKNOWN: Final = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process on a machine."""

    host: str
    pid: int
    began: str
    """When the process began in the machine's own measure, since numbers of processes come again; empty if unknown."""
    token: str
    """Tells apart what else would be the same."""

    @classmethod
    def here(cls) -> Self:
        """This process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Self:
        """A process of this machine that lives now."""
        return cls(host=_host(), pid=pid, began=_began(pid), token=uuid.uuid4().hex[:12])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote.

        Raises:
            ValueError: it is nothing of that kind.
        """
        host, pid, began, token = text.rsplit("/", 3)
        return cls(host=host, pid=int(pid), began=began, token=token)

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.began}/{self.token}"

    def is_alive(self) -> bool:
        """Whether it is a process of this machine that did not end, as far as this one can see."""
        return self.host == _host() and not self.is_gone()

    def is_gone(self) -> bool:
        """Whether it surely ended: only known of processes that this one could see; in doubt it lives."""
        if self.host != _host():
            return False
        began = _began(self.pid)
        if UNKNOWN in (began, self.began):  # another user's, on a machine that hides them
            return not runs(self.pid)
        return began != self.began


def _host() -> str:
    """The machine, which of its starts, and the namespaces that numbers and times of processes are told in."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    started = boot.read_text().strip()[:8] if boot.is_file() else ""
    return ".".join([socket.gethostname()[:100], started, *(_namespace(name) for name in ("pid", "time"))])


def _namespace(name: str) -> str:
    try:
        return "".join(filter(str.isdigit, str(Path(f"/proc/self/ns/{name}").readlink())))
    except OSError:  # no Linux, or one without this kind
        return ""


def _began(pid: int) -> str:
    """Clock ticks between the machine's start and the process's (proc(5), field 22 of stat); `ended` of a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return UNKNOWN
    fields = stat.rsplit(")", 1)[1].split()
    return "ended" if fields[0] in {"Z", "X"} else fields[19]


def runs(pid: int) -> bool:
    """Whether a process of this number runs, whoever's it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, so it runs
    return True
