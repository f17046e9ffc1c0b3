"""A worker: runs some tests of the generated file in this process and reports; the implementation is in another.

Forked from a fork server, or started by a benchmark, with three descriptors: events go to the first, the stacks of all
threads to the second whenever SIGUSR1 arrives; the third is for the subject's stacks. What to run, the test file's
source with it, comes as JSON on standard input, so that the subject finds none of it on disk.
"""

import builtins
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

PR_SET_DUMPABLE = 4
"""From linux/prctl.h (https://man7.org/linux/man-pages/man2/prctl.2.html, 2026-11)."""
OUR_FRAMES = 200
"""Frames of pytest and Hypothesis below a test: added to the recursion limit so that the code has its usual depth."""


def main() -> int:
    """Run the job on standard input; returns pytest's exit code."""
    protect_driver()
    descriptors = forked() if sys.argv[1] == "forkserver" else tuple(int(one) for one in sys.argv[1:4])
    if descriptors is None:
        return 0
    events, stacks, subject_stacks = descriptors
    job = json.loads(sys.stdin.buffer.read())
    faulthandler.enable(file=stacks)
    faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
    send = sender(events, job["key"])
    link, plugins = open_subject(job, subject_stacks, send)

    import pytest

    if "hypothesis" in job["source"]:
        prepare_hypothesis(shrinks=job["shrinks"])
    link.listen()
    guard(job, link.objects.lose)
    sys.setrecursionlimit(job["recursion_limit"] + OUR_FRAMES)
    send("ready", {"subject": link.pid})
    code = pytest.main(arguments(job), plugins=plugins())
    link.outlets.pass_on()
    send("done", {})
    return int(code)


def forked() -> tuple[int, int, int] | None:
    """Import what every worker needs, then go on as one of the workers that are forked from this process.

    Returns:
        The worker's descriptors; None in the fork server itself, at its end.
    """
    root = str(Path(__file__).resolve().parents[2])
    sys.path.insert(0, root)
    from refute.driver import error_transport, modules, reporter, subject_client  # noqa: F401  # for the workers
    from refute.driver.child import await_fork_request

    sys.path.remove(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Hypothesis warns of whatever uses it before a test run
        if sys.argv[3] == "1":
            prepare_hypothesis()
        import_pytest()
    gc.freeze()
    return await_fork_request(socket.socket(fileno=int(sys.argv[2])))


def import_pytest() -> None:
    """Import pytest with the parts of it that it would import when it runs."""
    import _hypothesis_pytestplugin  # type: ignore[import-untyped]
    from _pytest import config

    # It imports all of Hypothesis at each session's end (0.1 s), for what nobody reads.
    del _hypothesis_pytestplugin.pytest_terminal_summary

    for name in getattr(config, "default_plugins", ()):
        with contextlib.suppress(ImportError):
            importlib.import_module(f"_pytest.{name}")


def protect_driver() -> None:
    """Close this process to others of its user, offer it to the OOM killer after the subject, and bear stray signals.

    Raises:
        OSError: the kernel refused.
    """
    # First, since a process that is closed to others cannot write below its own /proc either.
    Path("/proc/self/oom_score_adj").write_text("500")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) was refused")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for stray in (signal.SIGHUP, signal.SIGTERM, signal.SIGUSR2):
        signal.signal(stray, _bear)  # `SIG_IGN` would be inherited by every program that the code or a test starts


def _bear(number: int, frame: object) -> None:
    """Do nothing about a signal."""


def sender(descriptor: int, key: str) -> Callable[[str, dict[str, Any]], None]:
    """A function that writes one event; the key tells our events from what the implementation may write there."""
    write, dump, process = os.write, json.dumps, os.getpid()

    def send(event: str, data: dict[str, Any]) -> None:
        if os.getpid() != process:  # a child that the implementation forked must not speak for us
            os._exit(70)
        line = memoryview(dump({"key": key, "event": event, **data}).encode() + b"\n")
        while line:
            line = line[write(descriptor, line) :]

    return send


def open_subject(
    job: dict[str, Any], stacks: int, send: Callable[[str, dict[str, Any]], None]
) -> tuple[Any, Callable[[], list[object]]]:
    """Start the subject.

    Returns:
        The link to it, and what makes pytest's plugins. Our package is forgotten at once, so that a ticket may bring
        a module of the same name.
    """
    root = str(Path(__file__).resolve().parents[2])
    sys.path.insert(0, root)
    from refute.driver.error_transport import keep_apart
    from refute.driver.exceptions import Territory
    from refute.driver.modules import Importer
    from refute.driver.reporter import Collector, Reporter, hide_names
    from refute.driver.subject_client import SubjectClient

    sys.path.remove(root)
    importer = Importer(job["import_roots"], job["modules"], job["workspace"])
    link = SubjectClient(job, stacks, send)
    keep_apart(job["test_file"])

    def plugins() -> list[object]:
        hide_names()
        importer.install()
        for name in [name for name in sys.modules if name.split(".")[0] == "refute"]:
            del sys.modules[name]
        territory = Territory(job["workspace"], job["test_file"])
        collector = Collector(job["source"].encode(), importer.builtins_of_tests(), link.noted)
        return [Reporter(send, job["tests"], territory, link), collector]

    return link, plugins


def prepare_hypothesis(*, shrinks: bool = True) -> None:
    """Defaults for generated tests; what a test sets itself wins.

    Args:
        shrinks: look for the smallest input on which a test fails, which may take seconds.
    """
    from hypothesis import Phase, settings

    settings.register_profile(
        "refute",
        database=None,
        deadline=None,
        derandomize=True,
        report_multiple_bugs=False,
        phases=[phase for phase in Phase if phase is not Phase.explain and (shrinks or phase is not Phase.shrink)],
    )
    settings.load_profile("refute")


def guard(job: dict[str, Any], note: Callable[[str], None]) -> None:
    """Let no code of the implementation into this process, by whatever way a test may take to it."""
    workspace = job["workspace"].rstrip(os.sep) + os.sep
    paths = {str(path) for path in (*sys.path, Path(os.__file__).parent, Path(__file__).parent) if path}
    own = tuple(path + os.sep for path in paths | {os.path.realpath(path) for path in paths})
    allowed = frozenset({"collections", "copyreg", "datetime", "decimal", "fractions", "uuid", "pathlib"})
    types = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type)) - {"type", "super"}

    def cannot(reason: str) -> None:
        reason = f"needs the implementation in the test's process: {reason} there"
        note(reason)
        raise ImportError(reason)

    def refuse(event: str, details: tuple[Any, ...]) -> None:
        if event == "exec":
            path = details[0].co_filename
            # What Python and its libraries make up in memory is called `<…>`; every other file must be one of theirs.
            if not (path.startswith(("<", *own)) or path == job["test_file"]) or path.startswith(workspace):
                cannot(f"runs {path}")
        elif event in {"import", "ctypes.dlopen"}:
            path = details[1] if event == "import" else details[0]
            if isinstance(path, str) and path.startswith(workspace):
                cannot(f"loads {path}")
        elif event == "pickle.find_class" and not (
            details[0].partition(".")[0] in allowed
            or details == ("_codecs", "encode")  # bytes in the first protocols
            or (details[0] == "builtins" and details[1] in types)
        ):
            cannot(f"unpickles {details[0]}.{details[1]}")

    sys.addaudithook(refuse)
    if job["import_roots"] != [job["workspace"]]:  # for programs that a test starts
        os.environ["PYTHONPATH"] = os.pathsep.join(job["import_roots"])


def arguments(job: dict[str, Any]) -> list[str]:
    """The arguments of pytest: nothing that was submitted configures it."""
    plain = ["--noconftest", "-c", os.devnull, "--rootdir", job["attack_dir"], "--import-mode=importlib"]
    plugins = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "_hypothesis_pytestplugin"]
    # Output goes straight to the supervisor, which bounds it; capturing would fill the container's /tmp.
    return [*plain, *plugins, "-qq", "-rN", "-s", "--tb=short", "--no-header", "--color=no", job["test_file"]]


if __name__ == "__main__":
    sys.exit(main())
