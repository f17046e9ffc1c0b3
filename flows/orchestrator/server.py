"""Reuse the configured Prefect server, or start one loopback server in the background and share it (ADR 22)."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from refute.errors import OrchestratorUnavailable
from refute.guardrails.plain_text import tail
from refute.owner import runs
from refute.settings import Settings

if TYPE_CHECKING:
    from refute.doctor import Check

START_TIMEOUT_S: Final = 180
"""The first start migrates a new database: 10 s on a quick machine, 60 s on a busy small one."""
BUSY_S: Final = 60.0
"""How long the recorded server may take to answer; given up, a second one would be started on the same database."""
ROOM_BYTES: Final = 4 * 1024 * 1024
"""What has to be free for a run to begin; a run needs a few times that, and tells itself where it ends."""
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """The server of this state directory; written to `server.json` once it answers."""

    api_url: str
    pid: int
    keeper_pid: int
    ad_hoc: bool = True
    """Whether a keeper holds it for ad-hoc runs; else `refute ui` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFiles:
    """Where the local server's state lies."""

    home: Path

    @classmethod
    def of(cls, settings: Settings) -> "ServerFiles":
        """The files under the state directory, which is made if missing.

        Raises:
            OrchestratorUnavailable: it cannot be made or written.
        """
        home = settings.state_dir / "prefect"
        try:
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            (home / "lease").touch()
            _require_room(home)
        except OSError as error:
            raise OrchestratorUnavailable(
                f"state directory {settings.state_dir}: {_whose(home)}cannot be written: {error.strerror}",
                hint="Make it writable, make room, or set REFUTE_STATE_DIR to another directory. Each user has one of "
                "their own; what users share is the ledger (REFUTE_LEDGER_URL).",
            ) from error
        return cls(home=home)

    @property
    def lease(self) -> Path:
        """Every run holds a shared lock on this file; the keeper may stop the server only when nobody does."""
        return self.home / "lease"

    @property
    def record(self) -> Path:
        """The running server's `LocalServer` record."""
        return self.home / "server.json"

    @property
    def log(self) -> Path:
        """What the server and its keeper print."""
        return self.home / "server.log"

    def server(self) -> LocalServer | None:
        """The recorded server, if it still runs and answers; another program may have got its port since."""
        try:
            server = LocalServer(**json.loads(self.record.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return server if runs(server.pid) and answers(server.api_url, timeout_s=BUSY_S) else None

    def withdraw(self, keeper_pid: int) -> None:
        """Take the record away where it is this keeper's."""
        recorded = self.server()
        if recorded is not None and recorded.keeper_pid == keeper_pid:
            self.record.unlink(missing_ok=True)

    def write(self, server: LocalServer) -> None:
        """Record the server atomically."""
        partial = self.record.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(asdict(server)))
        partial.replace(self.record)


def _require_room(home: Path) -> None:
    """Find out that the disk is full: the server would answer every run with an error of its own that does not say so.

    Raises:
        OSError: there is no room.
    """
    with tempfile.TemporaryFile(dir=home) as probe:
        os.posix_fallocate(probe.fileno(), 0, ROOM_BYTES)


def _whose(home: Path) -> str:
    """Whose a directory is, where it is somebody else's."""
    try:
        owner = home.stat().st_uid
    except OSError:
        return ""
    return "" if owner == os.getuid() else f"{home.name} in it belongs to user {owner}; "


def answers(api_url: str, *, timeout_s: float = 15.0) -> bool:
    """Whether a Prefect API is healthy at this URL; a dead one is known at once, a busy one is waited for."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{api_url.rstrip('/')}/health", timeout=timeout_s) as response:
            return bool(response.status == 200)  # noqa: PLR2004  # HTTP OK
    except (OSError, urllib.error.URLError, ValueError):
        return False


def still_answers() -> bool:
    """Whether the server of Prefect's settings answers, asked by its client: with password, certificate, proxy.

    Asked once: a server that was started again is there, one that is gone is known at once.
    """
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    from tasks.outcome import CLIENT_ERRORS

    try:
        with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}), get_client(sync_client=True) as client:
            return client.api_healthcheck() is None
    except CLIENT_ERRORS:
        return False


@contextmanager
def server_lease(settings: Settings, *, say: Callable[[str], None]) -> Iterator[str]:
    """Hold a Prefect server for the length of a run.

    Args:
        settings: `state_dir` holds the local server's files, `server_idle_s` its idle time.
        say: is told when a server has to be started, since that takes seconds.

    Yields:
        The API URL, e.g. `http://127.0.0.1:4237/api`.

    Raises:
        OrchestratorUnavailable: the configured server does not answer, or none could be started.
    """
    configured = os.environ.get("PREFECT_API_URL")
    if configured:
        ensure_home(settings.state_dir)
        yield _configured(configured)
        return
    files = ServerFiles.of(settings)
    ensure_home(files.home)
    with files.lease.open("a") as lease:
        fcntl.flock(lease, fcntl.LOCK_SH)
        os.utime(lease.fileno())
        try:
            yield (files.server() or _start(files, settings, say)).api_url
        finally:
            os.utime(lease.fileno())


def ensure_home(place: Path) -> None:
    """Give this process and its children a HOME where there is none: Prefect cannot even be imported without.

    A container that runs as any user id (OpenShift's do) has neither the variable nor an entry among the users.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = str(place.absolute())


def server_check(settings: Settings) -> "Check":
    """Doctor's line about the Prefect server; none running is no fault."""
    from refute.doctor import Check

    configured = os.environ.get("PREFECT_API_URL")
    name = "Prefect server"
    if configured:
        ok = answers(configured)
        found = "the configured server answers" if ok else f"nothing answers at {configured}"
        return Check(name=name, ok=ok, found=found, advice="" if ok else "Start it, or unset PREFECT_API_URL.")
    try:
        server = ServerFiles.of(settings).server()
    except OrchestratorUnavailable as error:
        return Check(name=name, ok=False, found=error.message, advice=error.hint)
    if server is None:
        return Check(name=name, ok=None, found="none running", advice="The next run starts one; it stops when idle.")
    ui = server.api_url.removesuffix("/api")
    return Check(name=name, ok=True, found=f"local, process {server.pid}", advice=f"Its UI: {ui}")


def _configured(api_url: str) -> str:
    if answers(api_url):
        return api_url
    host = urlsplit(api_url).hostname or ""
    where = "on this machine" if host in LOOPBACK_HOSTS else f"at {host}"
    raise OrchestratorUnavailable(
        f"the Prefect server {where} that PREFECT_API_URL names does not answer, got nothing from {api_url}/health",
        hint="Start it, or unset PREFECT_API_URL to let refute keep a local one.",
    )


def _start(files: ServerFiles, settings: Settings, say: Callable[[str], None]) -> LocalServer:
    """Start the keeper under an exclusive start lock, so that two runs start one server."""
    with (files.home / "start.lock").open("a") as start_lock:
        fcntl.flock(start_lock, fcntl.LOCK_EX)
        already = files.server()
        if already is not None:
            return already
        files.record.unlink(missing_ok=True)
        say("starting a local Prefect server (once; it stops by itself when idle) …")
        lock = start_lock.fileno()
        command = [sys.executable, "-m", "flows.orchestrator.keeper"]
        command += [str(files.home), str(settings.server_idle_s), str(lock)]
        with files.log.open("ab") as log:
            keeper = subprocess.Popen(  # noqa: S603  # our own module, no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=checkout(),
                pass_fds=(lock,),  # we may be killed: the keeper holds it too until its server answers
            )
        return _wait(files, keeper)


def _wait(files: ServerFiles, keeper: "subprocess.Popen[bytes]") -> LocalServer:
    deadline = time.monotonic() + START_TIMEOUT_S
    problem = f"did not start within {START_TIMEOUT_S} s"
    while time.monotonic() < deadline:
        server = files.server()
        if server is not None:
            return server
        if keeper.poll() is not None:
            problem = "ended while it started"
            break
        time.sleep(0.1)
    keeper.terminate()
    last = tail(files.log.read_text(errors="replace"), max_lines=8)
    raise OrchestratorUnavailable(
        f"the local Prefect server {problem}; its log ends with:\n{last}",
        hint=f"Read {files.log}, or point PREFECT_API_URL at a running server.",
    )


def checkout() -> Path:
    """The directory that holds the `flows` package, so that `-m flows…` resolves."""
    return Path(__file__).resolve().parents[2]
