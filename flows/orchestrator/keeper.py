"""The small process that owns the local Prefect server: starts it, stops it when nobody has used it for a while.

Run as `python -m flows.orchestrator.keeper HOME IDLE_S LOCK`, where LOCK is the descriptor of the start lock. It is
held until the server answers, also where who started it is killed meanwhile: else the next run would start a second
server beside it. It imports no Prefect itself (8 MB instead of 270).
"""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from flows.orchestrator.killed_runs import Caretaker
from flows.orchestrator.processes import start_process
from flows.orchestrator.server import START_TIMEOUT_S, LocalServer, ServerFiles, answers

POLL_S: Final = 0.2
PREFERRED_PORT: Final = 4242
"""Bookmarkable; another free port is taken where it is in use."""

SERVER_ENVIRONMENT: Final[Mapping[str, str]] = {
    # Nothing leaves the machine.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_SERVER_LEVEL": "WARNING",
    # In memory they would be forgotten by a server that ends, and their slots taken for ever.
    "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
    # A run leaves half a megabyte: gone are events after 7 days (Prefect's default), runs with all of theirs after 30.
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(30 * 86_400),
    # A server that was off while the silence of a killed run became too long, as with the machine, still sees that.
    "PREFECT_SERVER_EVENTS_EXPIRED_BUCKET_BUFFER": "P30D",
}
AD_HOC: Final[Mapping[str, str]] = {
    # Ad-hoc runs have no schedules; what records runs, events and artifacts stays on.
    "PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_CANCELLATION_CLEANUP_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_FOREMAN_ENABLED": "false",
}


def main(home: str, idle_s: str, lock: str) -> int:
    """Serve until idle, terminated, or the server ends by itself; 1 where it never answered."""
    files = ServerFiles(home=Path(home))
    try:
        listener = listen(PREFERRED_PORT)
    except OSError:
        listener = listen(0)
    port = listener.getsockname()[1]
    server = start_server(files, listener, ad_hoc=True)
    signal.signal(signal.SIGTERM, _exit)
    try:
        if not announce(files, server, port, ad_hoc=True):
            return 1
        os.close(int(lock))
        caretaker = Caretaker(f"http://127.0.0.1:{port}/api")
        while server.poll() is None:
            caretaker.look()
            time.sleep(min(5.0, float(idle_s) / 4))
            if _idle(files, float(idle_s)):
                break
    finally:
        end_server(files, server)
    return 0


def _exit(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def listen(port: int) -> socket.socket:
    """Take a port of the loopback interface for a server that is about to start.

    It accepts connections only seconds later, on a busy machine a minute: meanwhile no other server gets the port.

    Args:
        port: 0 lets the kernel choose.

    Raises:
        OSError: the kernel does not give it.
    """
    listener = socket.create_server(("127.0.0.1", port))
    # uvicorn knows it for no TCP socket, so asyncio would leave this out; what is accepted inherits it (tcp(7)).
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def start_server(files: ServerFiles, listener: socket.socket, *, ad_hoc: bool) -> "subprocess.Popen[bytes]":
    """Start Prefect's server on a socket that listens, which is the server's alone from then on.

    Args:
        files: of its state directory.
        listener: of `listen`.
        ad_hoc: without what only schedules and workers need.
    """
    with listener:
        # As `prefect server start --background` starts it, but for the socket.
        command = ["uvicorn", "--factory", "prefect.server.api.server:create_app", "--log-level", "warning"]
        command += ["--fd", str(listener.fileno())]
        environment = server_environment(files, listener.getsockname()[1], ad_hoc=ad_hoc)
        environment |= {"PREFECT__SERVER_FINAL": "1"}
        return start_process(command, environment, files.log, pass_fds=(listener.fileno(),))


def server_environment(files: ServerFiles, port: int, *, ad_hoc: bool) -> dict[str, str]:
    """The environment of a server of ours.

    Args:
        files: where its state lies.
        port: on the loopback interface.
        ad_hoc: without what only schedules and workers need.
    """
    # A configured Prefect profile must not leak into this server, so PREFECT_* is dropped.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    # The pages ask the API at this address; without it they look at port 4200, whoever listens there.
    api_url = f"http://127.0.0.1:{port}/api"
    environment |= {**SERVER_ENVIRONMENT, "PREFECT_HOME": str(files.home), "PREFECT_SERVER_UI_API_URL": api_url}
    return {**environment, **(AD_HOC if ad_hoc else {})}


def announce(files: ServerFiles, server: "subprocess.Popen[bytes]", port: int, *, ad_hoc: bool) -> bool:
    """Write the record, as this process's, once the API answers, which others wait for; whether it did in time."""
    api_url = f"http://127.0.0.1:{port}/api"
    deadline = time.monotonic() + START_TIMEOUT_S
    while server.poll() is None and time.monotonic() < deadline:
        if answers(api_url):
            files.write(LocalServer(api_url=api_url, pid=server.pid, keeper_pid=os.getpid(), ad_hoc=ad_hoc))
            return True
        time.sleep(POLL_S)
    return False


def _idle(files: ServerFiles, idle_s: float) -> bool:
    """Whether nobody holds the lease and nobody has for `idle_s`; if so the record is withdrawn under the lock."""
    with files.lease.open("a") as lease:
        try:
            fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if time.time() - os.fstat(lease.fileno()).st_mtime < idle_s:
            return False
        # A run that comes now finds no record and starts a server of its own, on another port if need be.
        files.record.unlink(missing_ok=True)
        return True


def end_server(files: ServerFiles, server: "subprocess.Popen[bytes]") -> None:
    """Take its record away, and end it."""
    files.withdraw(os.getpid())
    stop_process(server)


def stop_process(process: "subprocess.Popen[bytes]", *, within_s: float = 20) -> None:
    """Ask a process to end, and make it end where it does not in time."""
    process.terminate()
    try:
        process.wait(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
