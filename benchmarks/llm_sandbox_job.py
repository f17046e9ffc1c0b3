"""The job of `benchmarks/sandbox.py` in llm-sandbox (PyPI), as its documentation does it: one session, one run.

Runs in a virtual environment of its own; started by that benchmark with the image as argument, obeys its lines.
"""

import json
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from llm_sandbox import SandboxSession

FILES = {f"module_{number:02}.py": f"VALUE = {number}\n" for number in range(19)}
FILES["test_modules.py"] = "import module_03\n\n\ndef test_value():\n    assert module_03.VALUE == 3\n"
COMMAND = "python3 -m pytest -q -p no:cacheprovider --junitxml=/sandbox/results.xml /sandbox"


def job(image: str) -> None:
    """One session: 20 files in, pytest, one file out."""
    options = {"network_mode": "none", "user": "root"}
    with (
        tempfile.TemporaryDirectory() as folder,
        SandboxSession(
            lang="python", image=image, runtime_configs=options, skip_environment_setup=True, keep_template=True
        ) as session,
    ):
        for name, text in FILES.items():
            Path(folder, name).write_text(text)
            session.copy_to_runtime(str(Path(folder, name)), f"/sandbox/{name}")
        done = session.execute_command(COMMAND)
        assert done.exit_code == 0, done
        session.copy_from_runtime("/sandbox/results.xml", str(Path(folder, "results.xml")))
        assert b'tests="1"' in Path(folder, "results.xml").read_bytes()


def main() -> None:
    """Obey one line at a time: `once`, `many COUNT CONCURRENCY`, `usage`."""
    used_s, done = 0.0, 0
    for line in sys.stdin:
        words, began, before = line.split(), time.perf_counter(), os.times()
        answer: dict[str, float] = {}
        if words[0] == "once":
            job(sys.argv[1])
            after = os.times()
            used_s, done = used_s + after.user + after.system - before.user - before.system, done + 1
        elif words[0] == "many":
            with ThreadPoolExecutor(int(words[2])) as executor:
                list(executor.map(lambda _: job(sys.argv[1]), range(int(words[1]))))
        else:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            answer = {"cpu_s": used_s / max(done, 1), "peak_mb": peak / 1024}
        print(json.dumps(answer or {"seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main()
