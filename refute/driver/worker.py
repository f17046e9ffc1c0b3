"""A worker: runs some tests of the generated file in this process, next to the implementation, and reports.

Started by `run_suite.py` with the numbers of two descriptors: events go to the first, the stacks of all threads to
the second whenever SIGUSR1 arrives. What to run comes as JSON on standard input.
"""

import contextlib
import faulthandler
import importlib.util
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUR_FRAMES = 200
"""Frames of pytest and Hypothesis below a test: added to the recursion limit so that the code has its usual depth."""


def main() -> int:
    """Run the job on standard input; returns pytest's exit code."""
    events, stacks = int(sys.argv[1]), int(sys.argv[2])
    job = json.loads(sys.stdin.buffer.read())
    restrain(job)
    faulthandler.enable(file=stacks)
    faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
    send = sender(events, job["key"])
    reporter = make_reporter(job, send)

    import pytest

    prepare_hypothesis(warm=job["draws_text"])
    open_workspace(job)
    sys.setrecursionlimit(job["recursion_limit"] + OUR_FRAMES)
    send("ready", {})
    code = pytest.main(arguments(job), plugins=[reporter])
    send("done", {})
    return int(code)


def restrain(job: dict[str, Any]) -> None:
    """Bound this process's memory, so that an allocation fails in its test, and offer it first to the OOM killer."""
    limit = job["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Path("/proc/self/oom_score_adj").write_text("1000")


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


def make_reporter(job: dict[str, Any], send: Callable[[str, dict[str, Any]], None]) -> object:
    """The plugin; its package is forgotten at once, so that a ticket may bring a module of the same name."""
    root = str(Path(__file__).resolve().parents[2])
    sys.path.insert(0, root)
    from refute.driver.exceptions import Territory
    from refute.driver.reporter import Reporter

    sys.path.remove(root)
    for name in [name for name in sys.modules if name.split(".")[0] == "refute"]:
        del sys.modules[name]
    return Reporter(send, job["tests"], Territory(job["workspace"], job["test_file"]))


def prepare_hypothesis(*, warm: bool) -> None:
    """Defaults for generated tests; what a test sets itself wins.

    Args:
        warm: make the tables of characters now (2 s once), so that no test's time pays for them.
    """
    from hypothesis import settings

    if warm:
        with contextlib.suppress(ImportError, AttributeError):  # internals that another version may not have
            from hypothesis.internal import charmap

            charmap.charmap()
            charmap.intervals_from_codec("utf-8")
    settings.register_profile("refute", database=None, deadline=None, derandomize=True, report_multiple_bugs=False)
    settings.load_profile("refute")


def open_workspace(job: dict[str, Any]) -> None:
    """Make the implementation importable, also where it is named like a module that is loaded already."""
    sys.path[:0] = job["import_roots"]
    if job["import_roots"] != [job["workspace"]]:  # for programs that a test starts
        os.environ["PYTHONPATH"] = os.pathsep.join(job["import_roots"])
    importlib.invalidate_caches()
    ours = {"pytest", "_pytest", "pluggy", "hypothesis", "_hypothesis_pytestplugin", *sys.builtin_module_names}
    taken = {name.split(".")[0] for name in job["modules"]} - ours
    for name in [name for name in sys.modules if name.split(".")[0] in taken]:
        del sys.modules[name]


def arguments(job: dict[str, Any]) -> list[str]:
    """The arguments of pytest: nothing that was submitted configures it."""
    plain = ["--noconftest", "-c", os.devnull, "--rootdir", job["attack_dir"], "--import-mode=importlib"]
    plugins = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "_hypothesis_pytestplugin"]
    # Output goes straight to the supervisor, which bounds it; capturing would fill the container's /tmp.
    return [*plain, *plugins, "-q", "-s", "--tb=short", "--no-header", "--color=no", job["test_file"]]


if __name__ == "__main__":
    sys.exit(main())
