"""Filling a container: one stream through the job's own exec, unpacked inside by the unprivileged user.

Unpacking inside costs no further exec and never makes the engine write files as root on the host, as `docker cp`
does. The stream's parts follow each other without separators; their lengths are arguments of the script.
"""

from typing import Final

from refute.sandbox.decoys import pack_decoys
from refute.sandbox.job import Job
from refute.sandbox.profile import ATTACK, HOMES, WORKSPACE, environment
from refute.sandbox.tree import pack_files

FILLED: Final = b"\0refute:filled\0\n"
"""Ends the fill on stdout; what comes before it is the fill's own messages, what comes after is the job's."""

# Signals that the engine was started with ignored (nohup, a CI runner) stay ignored in what it starts, unless reset.
FILL: Final = r"""
set -e
umask 022
while [ "$1" != -- ]; do
    head -c "$2" | {
        status=0
        tar -xpf - --warning=no-timestamp -C "$1" 2>&1 || status=$?
        cat >/dev/null
        exit "$status"
    }
    shift 2
done
shift
cd /workspace
printf '\0refute:filled\0\n'
exec env --default-signal -i "$@" </dev/null
"""


def fill_parts(job: Job) -> dict[str, bytes]:
    """Mount point → tar that is unpacked there before the command starts."""
    parts = {WORKSPACE: job.workspace, HOMES: pack_decoys(HOMES)}
    if job.attack_files:
        parts[ATTACK] = pack_files(job.attack_files)
    return {target: content for target, content in parts.items() if content}


def fill_command(job: Job, parts: dict[str, bytes]) -> list[str]:
    """The exec's command: unpack `parts` from stdin, then become the job's command with its environment and no stdin.

    Raises:
        ValueError: the command is empty or would be read as a variable.
    """
    if not job.command or "=" in job.command[0]:
        raise ValueError(f"command of job {job.name!r}: got {job.command!r}, expected a program without '=' first")
    targets = [word for target, content in parts.items() for word in (target, str(len(content)))]
    variables = [f"{name}={value}" for name, value in sorted(environment(job).items())]
    return ["/bin/sh", "-c", FILL, "fill", *targets, "--", *variables, *job.command]
