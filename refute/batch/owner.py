"""Who works on a ticket: a process, named so that others on its machine can see whether it still lives."""

import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Self


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
        pid = os.getpid()
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

    def is_gone(self) -> bool:
        """Whether it surely ended: only known of processes of this machine, for others its lease has to run out."""
        if self.host != _host():
            return False
        if not self.began:
            return not _runs(self.pid)
        return _began(self.pid) != self.began


def _host() -> str:
    """The machine, and which of its starts: process numbers begin anew with each."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    started = boot.read_text().strip()[:8] if boot.is_file() else ""
    return f"{socket.gethostname()[:100]}.{started}"


def _began(pid: int) -> str:
    """Clock ticks between the machine's start and the process's (proc(5), field 22 of stat); empty if unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    fields = stat.rsplit(")", 1)[1].split()
    return "" if fields[0] in {"Z", "X"} else fields[19]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, so it runs
    return True
