"""What a hostile program tries, as data: the suite runs it, the page `docs/containment.md` lists it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from refute.sandbox.job import Exited, JobResult, LimitReached, TimedOut

PRELUDE = """\
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def name(number):
    return errno.errorcode.get(number, str(number))
def attempt(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        print(name(error.errno), flush=True)
    else:
        print("allowed", flush=True)
def syscall(number, *arguments):
    words = [a if isinstance(a, (bytes, type(None))) else ctypes.c_long(a) for a in arguments]
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(number), *words)
    if answer == 0 and number == 56:
        os._exit(0)
    print(name(ctypes.get_errno()) if answer < 0 else "allowed", flush=True)
def write(path, text):
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, text.encode())
"""
"""What Python programs of the suite start with. Numbers of system calls are those of x86-64."""
MAX_SHOWN = 3
SILENCE = ("",)
"""As `answers`: the program says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One thing that a hostile program does, and what has to come of it."""

    name: str
    """Unique, a file name's worth: `fork-bomb`."""
    does: str
    """For people, without a full stop."""
    python: str = ""
    """The program, after `PRELUDE`; or else:"""
    bash: str = ""
    ends: tuple[str, ...] = ("exit 0",)
    """How the job may end, in the words of `end_in_words`."""
    answers: tuple[str, ...] = ()
    """What every line of its output has to be one of, mostly names of errors; nothing said about output where empty."""
    reports: tuple[str, ...] | None = None
    """Which paths of the workspace must be reported as changed; None where it does not matter."""
    destroys_canary_files: bool = False
    collects: Mapping[str, bytes] | None = None
    """What must be collected where `results.json` and `plan.json` are asked for under `/attack`."""
    shares: bool = False
    """Whether it may run in a container with others: it leaves nothing of its own running, ends by itself, and what it
    asks of the kernel does not depend on who asked before."""
    exhausts_user: bool = False
    """Whether it takes all of something that the kernel counts by user: tests of what needs some wait meanwhile."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """On top of a time limit of 60 s, which is for busy machines: nothing here needs more than 5."""

    def expected(self) -> str:
        """For the page: what has to come of it."""
        parts = [" or ".join(self.ends)]
        if self.answers:
            parts.append(" or ".join(repr(answer).strip("'\"") for answer in self.answers))
        if self.destroys_canary_files:
            parts.append("canary files destroyed")
        if self.collects is not None:
            parts.append(f"collected: {', '.join(sorted(self.collects)) or 'nothing'}")
        return "; ".join(parts)

    def observed(self, result: JobResult) -> str:
        """For the page: what came of it."""
        parts = [end_in_words(result)]
        if self.answers:
            parts.append(_shown(answers_of(result)))
        if result.canary_files_touched:
            parts.append("canary files destroyed")
        if self.collects is not None:
            parts.append(f"collected: {', '.join(sorted(result.collected)) or 'nothing'}")
        return "; ".join(parts)

    def faults(self, result: JobResult) -> list[str]:
        """What was not as it had to be; empty where the behaviour was contained."""
        found = []
        if end_in_words(result) not in self.ends:
            found.append(f"ended by {end_in_words(result)}, expected {' or '.join(self.ends)}")
        if self.answers and answers_of(result) - set(self.answers):
            found.append(f"said {_shown(answers_of(result))}, expected {' or '.join(self.answers)}")
        if self.reports is not None and set(self.reports) != set(result.changed_paths):
            found.append(f"reported {result.changed_paths}, expected {self.reports}")
        if bool(result.canary_files_touched) is not self.destroys_canary_files:
            found.append(f"canary files touched: {result.canary_files_touched}")
        if self.collects is not None and dict(self.collects) != dict(result.collected):
            found.append(f"collected {dict(result.collected)}, expected {dict(self.collects)}")
        if found:
            found.append(f"it also said {result.stderr[-600:]!r}")
        return found


def end_in_words(result: JobResult) -> str:
    """`exit 0`, `timed out`, or the limit: `memory`."""
    match result.end:
        case Exited(code=code):
            return f"exit {code}"
        case TimedOut():
            return "timed out"
        case LimitReached(limit=limit):
            return limit.value


def answers_of(result: JobResult) -> set[str]:
    """The different lines of a program's output; an empty one alone where there are none."""
    return {line for line in result.stdout.split("\n") if line} or set(SILENCE)


def _shown(answers: set[str]) -> str:
    shown = [repr(answer).strip("'\"")[:60] for answer in sorted(answers)]
    rest = f" and {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else ""
    return (", ".join(shown[:MAX_SHOWN]) or "nothing") + rest
