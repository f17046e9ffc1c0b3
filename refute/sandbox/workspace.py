"""Filling a container: one stream into a shell that waits in it, unpacked inside by the unprivileged user.

The shell is the exec that becomes the job's command. It is started with the container, so that where a container was
prepared ahead nothing is left to be started but the command itself. Unpacking inside never makes the engine write
files as root on the host, as `docker cp` does.

The stream is a list of parts, each a line `TARGET SIZE` and as many bytes: a tar to unpack in TARGET, or, last, `run`
and a script that sets the words of the command.
"""

import functools
import shlex
from collections.abc import Iterator
from typing import Final

from refute.sandbox.canary_files import pack_canary_files
from refute.sandbox.job import Job
from refute.sandbox.profile import HOMES, environment
from refute.sandbox.tree import pack_files

WAITING: Final = b"\0refute:waiting\0\n"
"""The shell's first words: without them it was never started, and what is said instead is the engine's own."""
FILLED: Final = b"\0refute:filled\0\n"
"""Ends the fill on stdout; what comes before it is the fill's own messages, what comes after is the job's."""

# Signals that the engine was started with ignored (nohup, a CI runner) stay ignored in what it starts, unless reset.
FILL: Final = r"""
set -e
printf '\0refute:waiting\0\n'
umask 022
while IFS=' ' read -r target size && [ "$target" != run ]; do
    head -c "$size" | {
        status=0
        tar -xpf - --warning=no-timestamp -C "$target" 2>&1 || status=$?
        cat >/dev/null
        exit "$status"
    }
done
[ "$target" = run ]
eval "$(head -c "$size")"
[ "$arrived" = whole ]
cd "$workspace"
if [ -n "$new" ]; then find . -exec touch {} +; fi
printf '\0refute:filled\0\n'
exec env --default-signal -i "$@" </dev/null
"""
FILL_COMMAND: Final = ("/bin/sh", "-c", FILL)


@functools.cache
def homes_part() -> bytes:
    """The part that every container gets, whatever its job: the canary files."""
    return b"".join(_part(HOMES, pack_canary_files(HOMES)))


def job_parts(job: Job) -> list[bytes]:
    """The rest of the stream, to be sent in this order: the job's files, then its command with its whole environment.

    Raises:
        ValueError: the command is empty, would be read as a variable, or is no text that a program can be given.
    """
    if not job.command or "=" in job.command[0]:
        raise ValueError(f"command of job {job.name!r}: got {job.command!r}, expected a program without '=' first")
    variables = [f"{name}={value}" for name, value in sorted(environment(job).items())]
    words = [*variables, *job.command]
    if any("\0" in word for word in words):
        raise ValueError(f"command of job {job.name!r}: got {job.command!r}, expected no NUL in it")
    workspace = job.surroundings.workspace
    tests = pack_files(job.attack_files) if job.attack_files else b""
    tars = {workspace: job.workspace, job.surroundings.tests: tests}
    parts = [piece for target, content in tars.items() if content for piece in _part(target, content)]
    new = "yes" if job.surroundings.files_are_new else ""
    script = f"set -- {shlex.join(words)}\nworkspace={workspace}\nnew={new}\narrived=whole\n"
    return [*parts, *_part("run", script.encode("utf-8", "surrogateescape"))]


def _part(target: str, content: bytes) -> Iterator[bytes]:
    yield f"{target} {len(content)}\n".encode()
    yield content
