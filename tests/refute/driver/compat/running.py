"""Runs suites by plain pytest, with everything in one process.

`python -m tests.refute.driver.compat.running` holds what the cases say of right and wrong code against it. That is for
whoever writes a case: what a case says does not change by itself, and the driver's own tests are held against it.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.refute.driver.compat.case_file import read_cases
from tests.refute.driver.driving import FILE, lay_out

LINE = re.compile(r"^(PASSED|FAILED|ERROR) \S+?\.py::([\w:]+)", re.MULTILINE)


def run_plain(folder: Path, files: Mapping[str, str], source: str) -> dict[str, str]:
    """What plain pytest makes of a suite: test → `passed` or `failed`; one parameter set that fails fails the test."""
    workspace, attack = lay_out(folder, files, source)
    scratch = folder / "scratch"
    scratch.mkdir()
    options = f"-q -rA --tb=no --noconftest -c {os.devnull} -p no:cacheprovider --import-mode=importlib".split()
    ended = subprocess.run(
        [sys.executable, "-P", "-B", "-m", "pytest", *options, str(attack / FILE)],
        cwd=workspace,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(workspace), "TMPDIR": str(scratch), "HOME": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
        # Under `nohup` a hang-up is ignored, by what is started too; the suite is to meet it as at a terminal.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    ends: dict[str, str] = {}
    for end, name in LINE.findall(ended.stdout):
        ends[name] = "passed" if end == "PASSED" and ends.get(name, "passed") == "passed" else "failed"
    if not ends:
        raise AssertionError(f"plain pytest ran nothing:\n{ended.stdout[-4000:]}\n{ended.stderr[-2000:]}")
    return ends


def main() -> int:
    """Print the tests that end otherwise than their case says."""
    wrongly: set[str] = set()
    for case in read_cases():
        for files, caught in ((case.files, frozenset[str]()), (case.wrong_files, case.caught)):
            with tempfile.TemporaryDirectory() as folder:
                ends = run_plain(Path(folder), files, case.test)
            failed = {name for name, end in ends.items() if end != "passed"}
            wrongly |= (failed ^ caught) | (set(case.tests) - set(ends))
    sys.stdout.write("\n".join(sorted(wrongly)) + "\n")
    return int(bool(wrongly))


if __name__ == "__main__":
    sys.exit(main())
