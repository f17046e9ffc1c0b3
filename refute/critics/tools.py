"""The critics that need no model: well-kept tools, run in the sandbox from an image layer of their own.

What they say is advice. On code whose label is known, bandit flags 12 of 25 unsafe programs and 5 of 25 safe ones:
nobody should fail by that.
"""

import ast
import contextlib
import functools
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.change import changed_lines
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, verdict_of
from refute.guardrails.plain_text import printable
from refute.places import cache_dir
from refute.python_syntax import parsed_or_none
from refute.sandbox.job import Exited, Job, JobResult, Limits, Sandbox
from refute.sandbox.requirements_layer import SEARCH_PATH

LOCK: Final = Path(__file__).resolve().parents[2] / "deployments" / "critics" / "requirements.lock"
TIMEOUT_S: Final = 60.0
MAX_FAILURES: Final = 5
"""Of one focus; who wants all runs the tool."""
MAX_TEXT: Final = 300
RULES: Final[Mapping[Focus, Sequence[str]]] = {
    Focus.CORRECTNESS: ("F", "B", "PLE", "RUF006"),
    Focus.SECURITY: ("S",),
    Focus.PERFORMANCE: ("ASYNC", "C901", "PERF"),
}
"""Focus → ruff's rules that it reads."""
IGNORED: Final = ("S101", "S311", "F401", "B011", "PERF203")
"""Say little about code that is not refute's own: asserts, `random`, unused imports."""
RUFF, BANDIT, MYPY = "ruff", "bandit", "mypy"
MARK: Final = "==== "
"""Before the name of the tool whose report follows."""
COMMANDS: Final = """\
files=({files})
rules=(--select {select} --ignore {ignore})
ruff check --isolated --no-cache -e --output-format json "${{rules[@]}}" "${{files[@]}}" >/tmp/ruff &
bandit -q -ll -f json "${{files[@]}}" >/tmp/bandit 2>/tmp/said &
{mypy} >/tmp/mypy 2>&1 &
wait
for tool in ruff bandit mypy; do echo "{mark}$tool"; cat /tmp/$tool; echo; done
"""
TYPES: Final = "types.tgz"
"""mypy's cache of the standard library's types, beside the ticket's files: mypy reads it in a third of a second, and
the library itself in a second of a core."""
MYPY_COMMAND: Final = "mypy --cache-dir /tmp/types --ignore-missing-imports --no-error-summary -O json"
TYPED: Final = f'{{ tar -C /tmp -xzf /attack/{TYPES}; {MYPY_COMMAND} "${{files[@]}}"; }}'
MAKE_TYPES: Final = f"cd /tmp && {MYPY_COMMAND} /attack/used.py && tar -czf /attack/{TYPES} types"
USED: Final = (
    b"import abc, argparse, asyncio, collections, contextlib, copy, csv, dataclasses, datetime, decimal, enum,"
    b" functools, hashlib, itertools, json, logging, math, operator, os, pathlib, random, re, shutil, string,"
    b" subprocess, sys, tempfile, threading, time, typing, urllib.request, uuid\n"
)
"""Modules whose types are kept."""
NO_FILES: Final = bytes(10_240)
"""A tar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    focus: Focus
    path: str
    line: int
    text: str


@functools.cache
def tool_requirements() -> tuple[str, ...]:
    """The tools with their hashes, as a ticket lists what it requires."""
    lines = LOCK.read_text("utf-8").replace("\\\n", " ").splitlines()
    return tuple(" ".join(line.split()) for line in lines if line.strip() and not line.startswith("#"))


def tools_job(brief: Brief, *, run_id: str, archive: bytes, image_id: str) -> Job:
    """The job that has the tools read a ticket's files; none of these is imported or run. mypy reads typed code alone.

    Args:
        brief: of the ticket whose implementation files are read.
        run_id: of this run.
        archive: the snapshot's tar.
        image_id: of an image with the tools.
    """
    files = shlex.join(f"./{path}" for path in brief.ticket.implementation_files)
    script = COMMANDS.format(
        select=",".join(rule for rules in RULES.values() for rule in rules),
        ignore=",".join(IGNORED),
        files=files,
        mypy=TYPED if any(_is_typed(one.source) for one in brief.modules) else "true",
        mark=MARK,
    )
    return Job(
        name="critics",
        run_id=run_id,
        ticket_id=brief.ticket.id,
        image_id=image_id,
        command=("bash", "-c", script),
        workspace=archive,
        limits=Limits(timeout_s=TIMEOUT_S),
        environment={"PATH": SEARCH_PATH},
    )


def run_tools(job: Job, sandbox: Sandbox) -> JobResult:
    """Run a job of `tools_job`: where mypy reads something, beside `TYPES`, made once for an image and kept.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: as of `Sandbox.run`.
    """
    kept = cache_dir() / "types" / f"{job.image_id.removeprefix('sha256:')}.tgz"
    if TYPES in job.command[-1]:
        with contextlib.suppress(OSError):
            if not kept.is_file() and (made := sandbox.run(_types_job(job)).collected.get(TYPES)):
                kept.parent.mkdir(parents=True, exist_ok=True)
                partial = kept.with_name(f"{uuid4().hex}.partial")
                partial.write_bytes(made)
                partial.replace(kept)
            job = replace(job, attack_files={TYPES: kept.read_bytes()})
    return sandbox.run(job)


def _types_job(job: Job) -> Job:
    """The job that makes `TYPES` for a job's image; it sees no file of a ticket."""
    files = {"used.py": USED}
    return replace(job, command=("bash", "-c", MAKE_TYPES), workspace=NO_FILES, attack_files=files, collect=(TYPES,))


def _is_typed(source: str) -> bool:
    tree = parsed_or_none(source)
    nodes = ast.walk(tree) if tree is not None else ()
    return any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.returns is not None for one in nodes)


def read_tools(result: JobResult, focuses: Sequence[Focus], brief: Brief) -> tuple[Review, ...]:
    """A review of each focus that the tools know, of minor failures only.

    Args:
        result: of `tools_job`; what it left may be anything.
        focuses: those asked for.
        brief: only findings in its files count, and in lines that changed where it brings the version before.
    """
    reports = _reports(result.stdout)
    ruff = _parsed(reports.get(RUFF, ""))
    if result.end != Exited(code=0) or not isinstance(ruff, list):
        return tuple(_unavailable(focus) for focus in focuses if focus in RULES)
    everything = [*_ruff(ruff), *_bandit(_parsed(reports.get(BANDIT, ""))), *_mypy(reports.get(MYPY, ""))]
    changed = {one.module.path: changed_lines(_before(brief, one), one.source) for one in brief.modules}
    found = [one for one in everything if one.line in changed.get(one.path, ())]
    return tuple(_review(focus, [one for one in found if one.focus is focus]) for focus in focuses if focus in RULES)


def _before(brief: Brief, one: SourceModule) -> str:
    """A file before the change: empty where it is new or nothing is known, and as now where others changed alone."""
    return brief.earlier.get(one.module.path, one.source if brief.earlier else "")


def _review(focus: Focus, found: Sequence[_Finding]) -> Review:
    failures = tuple(
        ReviewFailure(
            severity=Severity.MINOR, description=one.text, evidence=f"{one.path}:{one.line}", reason="by a tool"
        )
        for one in found[:MAX_FAILURES]
    )
    more = f"; {len(found) - MAX_FAILURES} more" if len(found) > MAX_FAILURES else ""
    note = f"no model asked: ruff, bandit and mypy read the code{more}"
    return Review(critic_id=f"tools-{focus}", focus=focus, verdict=verdict_of(failures), failures=failures, note=note)


def _unavailable(focus: Focus) -> Review:
    note = "the tools left no report: they hit a limit, or cannot read these files"
    return Review(critic_id=f"tools-{focus}", focus=focus, verdict=ReviewVerdict.UNAVAILABLE, note=note)


def _reports(output: str) -> dict[str, str]:
    parts = output.split(MARK)[1:]
    return {name: report for name, _, report in (part.partition("\n") for part in parts)}


def _parsed(report: str) -> Any:
    try:
        return json.loads(report)
    except (ValueError, RecursionError):
        return None


def _ruff(report: Sequence[Any]) -> Iterator[_Finding]:
    for one in report:
        match one:
            case {"code": str(code), "message": str(text), "filename": str(path), "location": {"row": int(line)}}:
                focus = next((name for name, rules in RULES.items() if code.startswith(tuple(rules))), None)
                if focus is not None:
                    yield _finding(focus, path, line, f"{text} (ruff {code})")


def _bandit(report: Any) -> Iterator[_Finding]:
    results = report.get("results") if isinstance(report, dict) else None
    for one in results if isinstance(results, list) else []:
        match one:
            case {"test_id": str(code), "issue_text": str(text), "filename": str(path), "line_number": int(line)}:
                yield _finding(Focus.SECURITY, path, line, f"{text} (bandit {code})")


def _mypy(report: str) -> Iterator[_Finding]:
    for line in report.splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        match one:
            case {"severity": "error", "file": str(path), "line": int(number), "message": str(text), "code": str(code)}:
                yield _finding(Focus.CORRECTNESS, path, number, f"{text} (mypy {code})")


def _finding(focus: Focus, path: str, line: int, text: str) -> _Finding:
    below = path.partition("/workspace/")[2] or path.removeprefix("./")
    return _Finding(focus=focus, path=below, line=line, text=printable(text, max_chars=MAX_TEXT, keep_newlines=False))
