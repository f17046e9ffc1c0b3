"""Run external commands for the deploy tool, with a timeout, captured output and a dry run."""

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence


class CommandError(RuntimeError):
    """A command that failed or took too long."""


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.code == 0


def run_command(
    argv: Sequence[str],
    *,
    timeout_s: float = 30.0,
    extra_env: Optional[Mapping[str, str]] = None,
    check: bool = False,
) -> Finished:
    """Run a command and capture its output.

    Args:
        argv: Program and arguments.
        timeout_s: Seconds after which the command is killed.
        extra_env: Variables added to the environment.
        check: Raise if the command fails.

    Raises:
        CommandError: If the command is not found, takes too long, or fails while `check` is set.

    Example:
        >>> run_command(["echo", "hello"]).stdout
        'hello\\n'
    """
    if not argv:
        raise CommandError("no command given")
    command = " ".join(argv)
    environment = {**os.environ, **(extra_env or {})}
    try:
        done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise CommandError(f"{argv[0]}: took longer than {timeout_s} s") from error
    if done.returncode == 127:
        raise CommandError(f"{argv[0]}: not found")
    if check and done.returncode != 0:
        raise CommandError(f"{argv[0]}: exit code {done.returncode}: {done.stderr.strip()}")
    return Finished(done.returncode, done.stdout, done.stderr)


def describe(argv: Sequence[str]) -> str:
    """One line for the log."""
    return "$ " + " ".join(argv)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Entry point: run the command that follows the options."""
    parser = argparse.ArgumentParser(prog="runner", description="Run a command with a timeout.")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds")
    parser.add_argument("--dry-run", action="store_true", help="only show the command")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    print(describe(options.command))
    if options.dry_run:
        return 0
    try:
        finished = run_command(options.command, timeout_s=options.timeout)
    except CommandError as error:
        print(f"runner: {error}", file=sys.stderr)
        return 1
    print(finished.stdout, end="")
    return finished.code


if __name__ == "__main__":
    sys.exit(main())
