"""The subject: imports the implementation and answers over its connection. Nothing here is trusted, or secret.

Started by the driver's worker with three descriptors: its connection, the one over which further connections are
handed, and where the stacks of its threads go. It imports neither pytest nor Hypothesis.
"""

import faulthandler
import gc
import mmap
import os
import resource
import signal
import site
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])
OUR_FRAMES = 30
"""Frames of ours below a call."""


def main() -> None:
    """Serve until the driver closes the connection."""
    sys.path.insert(0, ROOT)
    from refute.driver.awaiting import STARTED, Awaiting, OwnLoops, running_loop
    from refute.driver.carriage import SubjectGone
    from refute.driver.extending import leave_data, told_members
    from refute.driver.mirror import classes, enums  # noqa: F401  # nothing of ours is imported later
    from refute.driver.mirror.functions import ask_of_generators
    from refute.driver.mirror.roots import Current
    from refute.driver.objects import Objects
    from refute.driver.operations import subject_operations
    from refute.driver.peer import Peer
    from refute.driver.streams import Input, Output
    from refute.driver.surroundings import SubjectSurroundings
    from refute.driver.switchboard import Switchboard
    from refute.driver.wire import Wire

    sys.path.remove(ROOT)
    connection, control, stacks = (int(one) for one in sys.argv[1:4])
    wire = Wire(socket.socket(fileno=connection))
    try:
        _, job = wire.receive()
    except SubjectGone:
        return
    restrain(job["memory_bytes"])
    ask_of_generators()
    faulthandler.enable(file=stacks)
    faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)

    objects = Objects(1, lambda _: None)
    surroundings = SubjectSurroundings()
    Wire.strayed = mmap.mmap(-1, 1)

    def tell() -> dict[str, Any]:
        note_strayed(Wire.strayed, objects)
        return surroundings.tell()

    operations = subject_operations(objects)
    operations |= own_operations(objects)
    board = Switchboard(socket.socket(fileno=control), lambda end: peer.serve_forever(end), Wire)  # noqa: PLW0108  # there is no peer yet
    peer = Peer(objects, operations, board.connect, tell, surroundings.hear)
    side = SubjectSide(peer, lambda operation: operation in STARTED and running_loop() is not None)
    side.told_members, side.leave_data = told_members, leave_data
    Current.link = objects.link = side
    loops = OwnLoops()
    side.awaiting = Awaiting(peer.request, operations, loops)
    operations["in_loop"] = lambda token, name, args, kwargs: loops.inside(
        token, lambda: operations[name](*args, **kwargs)
    )
    surroundings.notify, surroundings.packed = peer.notify, objects.packed
    settle(job)
    sys.meta_path.append(TestFinder(job["module"], objects))
    sys.stdout = sys.__stdout__ = Output(1, surroundings.write)  # type: ignore[assignment,misc]
    sys.stderr = sys.__stderr__ = Output(2, surroundings.write)  # type: ignore[assignment,misc]
    sys.stdin = sys.__stdin__ = Input(lambda how, size: peer.request("read_input", how, size))  # type: ignore[assignment,misc]
    board.listen()
    for name in [name for name in sys.modules if name.split(".")[0] == "refute"]:
        del sys.modules[name]  # a ticket may bring a module of this name
    peer.serve_forever(wire)


def own_operations(objects: Any) -> dict[str, Callable[..., Any]]:
    """What only this process can do, by name."""
    return {
        "weaken": objects.weaken,
        "collect": gc.collect,
        "print": print_out,
        "call_lent": lambda oid, /, *args, **kwargs: objects.own(oid)(*args, **kwargs),
    }


def print_out(number: int, text: str | bytes) -> None:
    """Write what a test prints to the standard stream that the implementation has put in place."""
    stream: Any = sys.stdout if number == 1 else sys.stderr
    (stream if isinstance(text, str) else stream.buffer).write(text)


def note_strayed(strayed: Any, objects: Any) -> None:
    """Have it noted beside the test's result that a forked child tried to reach what the test has."""
    if strayed[0]:
        strayed[0] = 0
        objects.lose("needs the implementation in the test's process: calls back in a process of its own")


class TestFinder:
    """Finds the test file's module nowhere, and has it noted: it is what pickles of the test's functions name.

    Args:
        name: of the module.
        objects: note it.
    """

    def __init__(self, name: str, objects: Any) -> None:
        self._name = name
        self._objects = objects

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Of importlib's protocol."""
        del path, target
        if name == self._name:
            self._objects.lose("needs the implementation in the test's process: imports or pickles of the test file")


class SubjectSide:
    """What mirrored objects of the driver ask for.

    Args:
        peer: to ask.
        is_in_loop: whether an operation is one that calls, in a thread where a loop runs.
    """

    told_members: Callable[..., Any]
    """Lists what a class is made of."""
    leave_data: Callable[..., None]
    """Takes from a class what is asked for over there."""

    def __init__(self, peer: Any, is_in_loop: Callable[[str], bool]) -> None:
        self._peer = peer
        self.objects = peer.objects
        self._is_in_loop = is_in_loop
        self.awaiting: Any = None

    def request(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Have the driver do something; in the thread of its loop, where this one is a loop's."""
        if self._is_in_loop(operation):
            return self._peer.request("in_loop", operation, list(args), kwargs)
        return self._peer.request(operation, *args, **kwargs)

    def dies(self, one: Any) -> None:
        """Weak references to an object of the driver's find it as long as it lives there."""
        oid = self._peer.objects.weakly_known(one)
        if oid is not None:
            self._peer.objects.keep(oid, one)
            self._peer.objects.weakened.append(oid)

    def judged(self) -> None:
        """Nothing: the driver's objects may decide."""

    def call(self, oid: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the driver's."""
        return self.request("call_lent", oid, *args, **kwargs)

    async def call_later(self, oid: int, /, *args: Any, **kwargs: Any) -> Any:
        """Await, in the driver, what a coroutine function gives."""
        return await self.awaiting.later("call_lent", oid, *args, **kwargs)

    async def later(self, operation: str, /, *args: Any, **kwargs: Any) -> Any:
        """Await, in the driver, what an operation gives."""
        return await self.awaiting.later(operation, *args, **kwargs)

    def extend(self, kind: type, namespace: dict[str, Any]) -> None:
        """Have a class that derives from classes of the driver's alone made there as well: its objects are there."""
        keywords, bases = namespace.pop("_refute_keywords_"), kind.__bases__
        if all(self.objects.oid_of(base) is not None for base in bases):
            place = (kind.__name__, kind.__qualname__, kind.__module__)
            cid = self.request("extend", place, bases, self.told_members(namespace), keywords)
            self.objects.bind_class(cid, kind)
            self.leave_data(kind, namespace)


def restrain(memory_bytes: int) -> None:
    """Bound this process's memory, so that an allocation fails in its test, and offer it first to the OOM killer."""
    os.environ.pop("MALLOC_ARENA_MAX", None)  # subject_start.py; the C library has read it
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Path("/proc/self/oom_score_adj").write_text("1000")


def settle(job: dict[str, Any]) -> None:
    """Make the implementation importable."""
    sys.path[:] = [*job["import_roots"], *(path for path in job["path"] if path not in job["import_roots"])]
    sys.argv = [""]
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
