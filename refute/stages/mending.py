"""Carrying out `critics.rework_command` on a copy of a ticket's files: in the sandbox, or on this machine."""

import io
import os
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from refute.critics.record import ReworkEnd
from refute.critics.rework import VARIABLE, Unfit, unfit
from refute.guardrails.plain_text import printable
from refute.ports import Ports
from refute.sandbox.job import Exited, Job, JobResult, LimitReached, TimedOut
from refute.sandbox.requirements_layer import SEARCH_PATH
from refute.sandbox.surroundings import FIRST
from refute.stages.jobs import verification_limits
from refute.ticket.record import Snapshot, SnapshotFile, Ticket

Contents = Mapping[str, bytes]
TOLD: Final = "failures.json"
MENDED: Final = "mended.tar"
SCRIPT: Final = (
    'paths=("${@:2:$1}"); shift $(($1 + 1)); "$@"; code=$?; '
    f'tar -C {FIRST.workspace} -cf {FIRST.tests}/{MENDED} -- "${{paths[@]}}" 2>/dev/null; exit $code'
)
"""Takes the number of files, the files, and the command, which it runs; then it packs the files."""
WORDS_BYTES: Final = 2_000
WORDS_CHARS: Final = 300


def mend(ports: Ports, ticket: Ticket, snapshot: Snapshot, failures: bytes) -> Contents | Unfit:
    """The implementation files as the command leaves them, or why that is no rework.

    Args:
        ports: effects and settings.
        ticket: names the files that it may change.
        snapshot: what it gets a copy of.
        failures: the JSON that it is told.

    Raises:
        InfrastructureError: the sandbox did not do its part.
    """
    run = _on_host if ports.settings.critics.rework_on_host else _in_sandbox
    return run(ports, ticket, snapshot, failures)


def _in_sandbox(ports: Ports, ticket: Ticket, snapshot: Snapshot, failures: bytes) -> Contents | Unfit:
    result = ports.sandbox.run(_job(ports, ticket, snapshot, failures))
    if fault := _fault(result):
        return Unfit(end=ReworkEnd.FAILED, reason=fault)
    wrong = unfit(result.changed_paths, ticket.implementation_files)
    return wrong or _mended(dict(_unpacked(result.collected.get(MENDED, b""))), ticket)


def _job(ports: Ports, ticket: Ticket, snapshot: Snapshot, failures: bytes) -> Job:
    settings = ports.settings
    files = [f"./{path}" for path in ticket.implementation_files]
    arguments = (str(len(files)), *files, *settings.critics.rework_command)
    path = {"PATH": SEARCH_PATH} if ports.derived_image(ticket) else {}
    job = Job(
        name="rework",
        run_id=ports.run_id,
        ticket_id=ticket.id,
        image_id=ports.image_id(ticket),
        command=("bash", "-c", SCRIPT, "rework", *arguments),
        workspace=ports.workspace(snapshot),
        limits=replace(verification_limits(settings), timeout_s=settings.critics.rework_timeout_s),
        attack_files={TOLD: failures},
        environment={VARIABLE: f"{FIRST.tests}/{TOLD}", **path},
        collect=(MENDED,),
    )
    return ports.with_network(job)


def _fault(result: JobResult) -> str:
    """Why a job made no rework, in words; empty where it did."""
    if result.canary_files_touched:
        return f"rework_command touched files outside its copy: {', '.join(result.canary_files_touched[:3])}"
    match result.end:
        case TimedOut(limit_s=limit_s):
            return _late(limit_s)
        case LimitReached(detail=detail):
            return f"rework_command hit its limit ({detail})"
        case Exited(code=0):
            return ""
        case Exited(code=code):
            return _exited(code, result.stderr or result.stdout)


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Regular files of a tar that hostile code may have written; nothing is extracted."""
    with suppress(tarfile.TarError), tarfile.open(fileobj=io.BytesIO(data)) as packed:
        for member in packed:
            content = packed.extractfile(member) if member.isreg() else None
            if content is not None:
                yield member.name.removeprefix("./"), content.read()


def _mended(files: Contents, ticket: Ticket) -> Contents | Unfit:
    missing = [path for path in ticket.implementation_files if path not in files]
    if missing:
        reason = f"rework_command left no regular file {missing[0]}"
        return Unfit(end=ReworkEnd.REFUSED, reason=reason)
    return {path: files[path] for path in ticket.implementation_files}


def _on_host(ports: Ports, ticket: Ticket, snapshot: Snapshot, failures: bytes) -> Contents | Unfit:
    settings = ports.settings.critics
    before = ports.contents(snapshot)
    with tempfile.TemporaryDirectory(prefix="refute-rework-") as place, tempfile.TemporaryFile() as output:
        copy, told = Path(place) / "files", Path(place) / TOLD
        write_files(copy, snapshot.files, before)
        told.write_bytes(failures)
        environment = {**os.environ, VARIABLE: str(told)}
        fault = _ran(settings.rework_command, copy, environment, settings.rework_timeout_s, output)
        if fault:
            return Unfit(end=ReworkEnd.FAILED, reason=fault)
        after, odd = _read(copy, ports.settings.max_snapshot_bytes)
    changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    return unfit([*sorted(changed), *odd], ticket.implementation_files) or _mended(after, ticket)


def _ran(command: Sequence[str], cwd: Path, environment: Mapping[str, str], limit_s: float, output: IO[bytes]) -> str:
    """Run the command with all that it starts; why it failed, in words, empty where it did not."""
    try:
        process = subprocess.Popen(  # noqa: S603  # the operator's own command, on the host by explicit setting
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    except OSError as error:
        return f"rework_command {command[0]}: {error.strerror}"
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return _late(limit_s)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if code == 0:
        return ""
    output.seek(max(0, output.seek(0, os.SEEK_END) - WORDS_BYTES))
    return _exited(code, output.read().decode("utf-8", "replace"))


def _read(folder: Path, max_bytes: int) -> tuple[dict[str, bytes], list[str]]:
    """Regular files of a folder, and names of what is none, or too much; links are not followed."""
    files, odd, left = dict[str, bytes](), list[str](), max_bytes
    for place, _, names in os.walk(folder):
        for path in (Path(place) / name for name in names):
            name = path.relative_to(folder).as_posix()
            size = path.lstat().st_size
            if path.is_symlink() or not path.is_file() or size > left:
                odd.append(name)
            else:
                files[name], left = path.read_bytes(), left - size
    return files, odd


def write_files(folder: Path, files: Sequence[SnapshotFile], contents: Contents) -> None:
    """Write a snapshot's files below a folder that is made."""
    folder.mkdir(parents=True)
    for one in files:
        path = folder / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[one.path])
        path.chmod(0o755 if one.executable else 0o644)


def _late(limit_s: float) -> str:
    return f"rework_command did not end within {limit_s:g} s (critics.rework_timeout_s)"


def _exited(code: int, said: str) -> str:
    last = printable(said.strip()[-WORDS_CHARS:], keep_newlines=False)
    return f"rework_command exited with {code}" + (f"; it printed last: {last}" if last else "")
