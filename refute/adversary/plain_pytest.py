"""The tests under pytest alone, in one process with the code, where nothing of the driver is there to be seen.

A pass there means little, as the code could forge it; it has passed in the driver before. A failure is nobody's
forgery: code that is right only where it sees the driver, its descriptors or its streams fails here.
"""

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from refute.adversary.attack import Attack, TestEnd, TestRun
from refute.sandbox.job import Job, JobResult
from refute.ticket.record import Ticket

PYTEST: Final = (
    "python3", "-P", "-m", "pytest", "-q", "--noconftest", "-c", "/dev/null", "--import-mode=importlib", "--tb=short",
    "--no-header", "--color=no", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "--hypothesis-profile=ci",
)  # fmt: skip
SCRIPT: Final = """\
mkdir -p "$TMPDIR"
for library in /usr/lib/*/faketime/libfaketimeMT.so.1; do
    [ -e "$library" ] && [ {days} != 0 ] && export LD_PRELOAD="$library" FAKETIME=+{days}d DONT_FAKE_MONOTONIC=1
done
{runs}
exit 0
"""
ERROR: Final = re.compile(r"(?P<kind>[A-Za-z_][\w.]*)(?::|\Z)", re.ASCII)
"""How the message of an error starts; that of an `assert` that pytest explains has no name in front."""
FRAME: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*):\d+: in ", re.MULTILINE)
MESSAGE_CHARS: Final = 2_000


def plain_job(
    outline: Job, ticket: Ticket, attack: Attack, groups: Sequence[Sequence[str]], *, requirements_root: str = ""
) -> Job:
    """The job that runs each group of an attack's tests in a process of its own.

    Args:
        outline: run, image, workspace, limits and surroundings.
        ticket: whose import roots the code is found in.
        attack: holds the tests.
        groups: names of tests, a process each, in turns.
        requirements_root: where the image holds what the ticket requires.
    """
    surroundings = outline.surroundings
    file = f"{surroundings.tests}/{attack.file_name}"
    report = f"{surroundings.tests}/{{}}.xml"
    runs = [
        shlex.join([*PYTEST, f"--junitxml={report.format(index)}", *(f"{file}::{name}" for name in names)])
        for index, names in enumerate(groups)
    ]
    roots = [posixpath.normpath(posixpath.join(surroundings.workspace, root)) for root in ticket.import_roots]
    return replace(
        outline,
        command=("bash", "-c", SCRIPT.format(days=surroundings.days_ahead, runs="\n".join(runs))),
        attack_files={attack.file_name: attack.source.encode()},
        environment={
            "HOME": posixpath.dirname(surroundings.scratch),
            "TMPDIR": surroundings.scratch,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPATH": ":".join(filter(None, [*roots, requirements_root])),
        },
        collect=tuple(f"{index}.xml" for index in range(len(groups))),
    )


def read_plain_runs(job: Job, result: JobResult, groups: Sequence[Sequence[str]]) -> list[TestRun]:
    """What became of each test of each group, in order; a test of which no report tells is missing.

    Args:
        job: as made by `plain_job`.
        result: how it ended; hostile.
        groups: as they were given to `plain_job`.
    """
    runs = []
    for index, names in enumerate(groups):
        cases = _cases(result.collected.get(f"{index}.xml", b""))
        for name in names:
            case = cases.get(name)
            untold = TestRun(name=name, end=TestEnd.MISSING, error_message="pytest left no report of it")
            runs.append(untold if case is None else _test_run(name, case, job))
    return runs


def _cases(report: bytes) -> dict[str, Element]:
    try:
        root = fromstring(report.decode("utf-8", "replace"), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        return {}
    return {case.get("name", ""): case for case in root.iter("testcase")}


def _test_run(name: str, case: Element, job: Job) -> TestRun:
    problem = next((part for part in case if part.tag in {"failure", "error"}), None)
    if problem is None:
        skipped = case.find("skipped") is not None
        return TestRun(name=name, end=TestEnd.SKIPPED if skipped else TestEnd.PASSED, reached_implementation=True)
    message, text = problem.get("message", "")[:MESSAGE_CHARS], problem.text or ""
    said = ERROR.match(message)
    workspace = job.surroundings.workspace  # a frame's file is told relative to the working directory, or whole
    files = (posixpath.normpath(posixpath.join(workspace, match["path"])) for match in FRAME.finditer(text))
    return TestRun(
        name=name,
        end=TestEnd.FAILED if problem.tag == "failure" else TestEnd.BROKEN,
        error_type=said["kind"] if said else "AssertionError",
        error_message=message[said.end() :].strip() if said else message,
        traceback=text[-MESSAGE_CHARS:],
        reached_implementation=True,
        raised_in_implementation=any(file.startswith(f"{workspace}/") for file in files),
    )
