"""`refute` in this process, as a person calls it: one of its own imports Prefect for three seconds of a core first."""

import contextlib
import gc
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from flows.program import run


def run_here(
    arguments: Sequence[str | Path], *, environment: Mapping[str, str], cwd: Path | None = None, answer: str = ""
) -> CompletedProcess[str]:
    """Run it to its end.

    Args:
        arguments: after the program's name.
        environment: what is set beside this process's.
        cwd: where it runs; here, if it is not given.
        answer: what stdin gives; it is no terminal.
    """
    with contextlib.ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        given.write(answer)
        given.seek(0)
        for name, value in environment.items():
            patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        patch.setattr(gc, "freeze", lambda: None)  # it is for a process that ends
        patch.setattr(sys, "argv", ["refute", *map(str, arguments)])
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            run()
        told = []
        for stream in (out, err):
            stream.seek(0)
            told.append(stream.read())
    return CompletedProcess(arguments, int(ended.value.code or 0), *told)
