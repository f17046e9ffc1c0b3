"""The subject: imports the implementation and answers over its connection. Nothing here is trusted, or secret.

Started by the driver's worker with three descriptors: its connection, the one over which further connections are
handed, and where the stacks of its threads go. It imports neither pytest nor Hypothesis.
"""

import faulthandler
import os
import resource
import signal
import site
import socket
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
OUR_FRAMES = 30
"""Frames of ours below a call."""


def main() -> None:
    """Serve until the driver closes the connection."""
    sys.path.insert(0, ROOT)
    from refute.driver.subject_server import SubjectServer  # with all of ours: nothing of it is imported later
    from refute.driver.wire import SubjectGone, Wire

    sys.path.remove(ROOT)
    connection, control, stacks = (int(one) for one in sys.argv[1:4])
    wire = Wire(socket.socket(fileno=connection))
    try:
        _, job = wire.receive()
    except SubjectGone:
        return
    restrain(job["memory_bytes"])
    faulthandler.enable(file=stacks)
    faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
    service = SubjectServer(socket.socket(fileno=control))
    settle(job)
    service.take_streams()
    for name in [name for name in sys.modules if name.split(".")[0] == "refute"]:
        del sys.modules[name]  # a ticket may bring a module of this name
    service.peer.serve_forever(wire)


def restrain(memory_bytes: int) -> None:
    """Bound this process's memory, so that an allocation fails in its test, and offer it first to the OOM killer."""
    os.environ.pop("MALLOC_ARENA_MAX", None)  # connections.py; the C library has read it
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Path("/proc/self/oom_score_adj").write_text("1000")


def settle(job: dict[str, Any]) -> None:
    """Make the implementation importable."""
    sys.path[:] = [*job["import_roots"], *(path for path in job["path"] if path not in job["import_roots"])]
    sys.argv = job["argv"]
    if job["import_roots"] != [job["workspace"]]:  # for programs that it starts
        os.environ["PYTHONPATH"] = os.pathsep.join(job["import_roots"])
    site.setquit()
    site.sethelper()
    site.setcopyright()
    threading.main_thread().name = "MainThread"
    sys.setrecursionlimit(job["recursion_limit"] + OUR_FRAMES)
    forget(job["import_roots"])


def forget(roots: list[str]) -> None:
    """Forget loaded modules of Python's own that the implementation has one of the same name of."""
    names = {entry.name.partition(".")[0] for root in roots if Path(root).is_dir() for entry in os.scandir(root)}
    taken = names - set(sys.builtin_module_names) - {"__main__"}
    for name in [name for name in sys.modules if name.split(".")[0] in taken]:
        file = getattr(sys.modules[name], "__file__", None)
        if file:
            del sys.modules[name]


if __name__ == "__main__":
    main()
