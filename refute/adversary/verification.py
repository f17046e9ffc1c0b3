"""The author's own verification script: how it is run, and what its end means for the ticket."""

import sys
from collections.abc import Sequence
from typing import assert_never

from refute.adversary.import_failure import find_import_failure, find_syntax_error, is_declared
from refute.outcome import Status, Stop
from refute.sandbox.job import Exited, JobResult, LimitReached, TimedOut
from refute.scan.decode import languages_of
from refute.scan.rules import Language
from refute.ticket.record import LeftOut, Ticket

NO_LIBRARY = "cannot open shared object file"
"""The dynamic linker's words for a library of the system that a compiled module needs (glibc, dl-load.c)."""
SHOWN_LINES = 8
SHOWN_CHARS = 800


def script_command(path: str, script: bytes) -> tuple[str, str]:
    """How a verification script is run: with bash, or with Python where its name or first line says so.

    It is what the scanner reads the script as, so that nothing runs in another language than it was scanned in.
    """
    languages = languages_of(path, script)
    return ("python" if languages == (Language.PYTHON,) else "bash", f"./{path}")


def judge_verification(
    result: JobResult, ticket: Ticket, *, provided: frozenset[str] = frozenset(), left_out: Sequence[LeftOut] = ()
) -> Stop | None:
    """Whether a verification's end decides the ticket; None where the script passed.

    Whatever it printed or however it exited, damage outside its workspace copy comes first.

    Args:
        result: how the job ended.
        ticket: whose script it was.
        provided: top-level modules that the image has because the ticket requires them.
        left_out: files of the workspace that the snapshot does not hold.
    """
    script = ticket.verification_script
    if result.canary_files_touched:
        touched = ", ".join(result.canary_files_touched[:3])
        reason = f"{script} changed or destroyed files outside its workspace copy (inside the container): {touched}"
        return Stop(status=Status.BLOCKED_DANGEROUS_OPERATION, reason=reason)
    match result.end:
        case TimedOut(limit_s=limit_s):
            reason = f"verification: {script} did not end within {limit_s:g} s; {last_words(result)}"
            return Stop(status=Status.FAILED_TIMEOUT, reason=reason)
        case LimitReached(limit=limit, detail=detail):
            reason = f"verification: {script} hit its {limit} limit ({detail}); {last_words(result)}"
            return Stop(status=Status.FAILED_RESOURCES, reason=reason)
        case Exited(code=0):
            return None
        case Exited(code=code):
            return _failed(result, ticket, code, provided, left_out)
        case _:
            assert_never(result.end)


def _is_ours(module: str, ticket: Ticket) -> bool:
    """Whether a missing module is named like a file or folder of the implementation, or is of Python's own library."""
    parts = {part.removesuffix(".py") for path in ticket.implementation_files for part in path.split("/")}
    return module.partition(".")[0] in parts | sys.stdlib_module_names


def last_words(result: JobResult) -> str:
    """The end of what a job printed, standard error first; several lines."""
    text = result.stderr.strip() or result.stdout.strip()
    if not text:
        return "it printed nothing"
    lines = text.splitlines()[-SHOWN_LINES:]
    return "it printed last:\n" + "\n".join(lines)[-SHOWN_CHARS:]


def _failed(
    result: JobResult, ticket: Ticket, code: int, provided: frozenset[str], left_out: Sequence[LeftOut]
) -> Stop:
    printed = f"{result.stderr}\n{result.stdout}"
    failure = find_syntax_error(printed, ticket.implementation_files)
    failure = failure or find_import_failure(result.stdout, result.stderr, exit_code=code)
    script = ticket.verification_script
    if failure is None:
        reason = f"{script} exited with {code}; {last_words(result)}"
        return Stop(status=Status.FAILED_VERIFICATION, reason=reason)
    if ticket.requirements and NO_LIBRARY in failure.message:
        reason = f"the sandbox image lacks a library: {failure.message} ({failure.place})"
        return Stop(status=Status.ERROR, reason=f"{reason}; this says nothing about the code")
    there = failure.module.split(".")[0] in provided  # then the code asks it for something that it does not have
    if failure.module and not there and is_declared(failure.module, ticket.requirements):
        reason = f"the sandbox image lacks {failure.module}, which the ticket's requirements declare ({failure.place})"
        return Stop(status=Status.ERROR, reason=f"{reason}; this says nothing about the code")
    reason = f"{script} exited with {code} on an uncaught import error at {failure.place}: {failure.message}"
    file = f"/{failure.module.replace('.', '/')}.py"
    without = next((one for one in left_out if f"/{one.path}".endswith(file)), None)
    if without is not None and failure.module:
        reason += f"; {without.path} is not in the snapshot ({without.reason}): name it under `include` in the ticket"
    elif failure.is_metadata:
        reason += "; nothing is installed in the container: add a folder NAME.dist-info with a METADATA file (or the"
        reason += " project's *.egg-info) beside the package, named under `include` where git ignores it"
    elif failure.is_missing and not there and not _is_ours(failure.module, ticket):
        reason += "; if that is a package which the code needs, name it under `requirements` in the ticket"
    return Stop(status=Status.FAILED_IMPORT, reason=reason)
