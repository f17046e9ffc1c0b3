"""The driver's entry: `python3 -I run_suite.py /attack/plan.json` runs a plan and leaves `results.json`.

Exit code 0 means that the results were written by this process; 70 that no worker could be started, which says
nothing about the code; with any other code there are no results to trust.
What an implementation may still do to single tests stands in docs/threat-model.md; limits, repetition and results are
out of its reach.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from refute.driver.plan import read_plan
from refute.driver.processes import kill_descendants, protect_supervisor
from refute.driver.supervisor import Supervisor
from refute.driver.watch import WorkerBroken

BROKEN = 70
"""EX_SOFTWARE of sysexits.h."""


def main() -> int:
    """Run the plan named on the command line."""
    protect_supervisor()
    plan = read_plan(Path(sys.argv[1]))
    # Held open from the start: what stands behind the path later does not matter.
    folder = os.open(plan.attack_dir, os.O_RDONLY | os.O_DIRECTORY)
    supervisor = Supervisor(plan, plan.test_path.read_bytes())
    try:
        results = supervisor.run()
    except WorkerBroken as error:
        print(error, file=sys.stderr)
        return BROKEN
    if not kill_descendants():
        results.tampering.append("processes that the attack started could not be stopped")
    supervisor.clear_attack()
    write(plan.results_file, folder, results.to_json())
    return 0


def write(name: str, folder: int, content: bytes) -> None:
    """Create a file in an open folder; never through a link, never over something that is there."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


if __name__ == "__main__":
    sys.exit(main())
