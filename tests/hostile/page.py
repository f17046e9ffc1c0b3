"""Writes docs/containment.md from a run of the hostile suite: `make containment`, or `python -m tests.hostile.page`.

Exit code 1, and no page, where anything was not contained.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.hostile.behaviour import Behaviour
from tests.hostile.block import Block, blocks
from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.host import Host
from tests.hostile.known_differences import DIFFERENCES
from tests.hostile.stage import build, make_sandbox, runtime
from tests.hostile.trial import Trial, try_block

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "containment.md"
AT_ONCE: Final = 2

INTRODUCTION: Final = """\
# Containment

<!-- Written by `make containment` from a run; not by hand. -->

What hostile programs tried inside the sandbox's containers, what had to come of it, and what came of it, on the real
engine. Each ran in a container of its own, except for those marked *: they only ask the kernel for something and end,
and ran one after another, each a process of its own, in one container for each table. After each container the suite
asserted that a canary file, a loopback port and an abstract socket of the host, the kernel's settings and the clock
were untouched; after every few, that no container, volume or process was left, and that an ordinary job which ran next
succeeded and found no trace. The programs stand in
`tests/hostile/catalogue/`; `make test-engine` runs them all. Why the profile is as it is: [ADR 4](adr/0004-sandbox.md);
what is left: [threat model](threat-model.md).
"""
DIFFERENCES_HEAD: Final = """
## Known differences of other runtimes

The suite runs on another runtime with `REFUTE_RUNTIME`. What is listed here may end and answer otherwise there; host
and next job have to be unharmed all the same.
"""


def write(trials: dict[str, Trial], *, measured_on: str) -> str:
    """The page.

    Args:
        trials: behaviour → what came of it.
        measured_on: engine, runtime, kernel and day, in words.
    """
    parts = [INTRODUCTION, f"\n{len(trials)} behaviours, observed on {measured_on}.\n"]
    for heading, behaviours in GROUPS.items():
        parts.append(f"\n## {heading}\n\n| behaviour | what it does | expected | observed |\n|---|---|---|---|\n")
        parts += [row(behaviour, trials[behaviour.name].observed) for behaviour in behaviours]
    return "".join(parts) + differences()


def differences() -> str:
    """The page's last part, which needs no run."""
    parts = [DIFFERENCES_HEAD]
    for name, reasons in DIFFERENCES.items():
        parts.append(f"\n| on {name} | why |\n|---|---|\n")
        parts += [
            f"| {', '.join(sorted(each for each in reasons if reasons[each] == reason))} | {reason} |\n"
            for reason in dict.fromkeys(reasons.values())
        ]
    return "".join(parts)


def row(behaviour: Behaviour, observed: str) -> str:
    """One line of the table."""
    cells = (behaviour.name + " \\*" * behaviour.shares, behaviour.does, behaviour.expected(), observed)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def run() -> tuple[dict[str, Trial], str]:
    """Try everything: behaviour → what came of it, and what it ran on."""
    image_id = build()
    trials: dict[str, Trial] = {}
    with tempfile.TemporaryDirectory() as folder, make_sandbox() as sandbox, Host(Path(folder)) as host:
        facts = sandbox.facts()

        def attempt(block: Block) -> None:
            for name, trial in try_block(block, sandbox=sandbox, host=host, image_id=image_id).items():
                print(f"{name}: {trial.observed}{'  FAULTS: ' if trial.faults else ''}{trial.faults or ''}")  # noqa: T201
                trials[name] = trial

        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(attempt, [block for group in GROUPS.values() for block in blocks(group)]))
    kernel = Path("/proc/sys/kernel/osrelease").read_text().strip()
    day = f"{datetime.now(UTC):%-d %B %Y}"
    return trials, f"{facts.name} with {runtime() or facts.runtime}, kernel {kernel}, {day}"


def main() -> int:
    """Run, and write the page where everything was contained."""
    trials, measured_on = run()
    if any(trial.faults for trial in trials.values()):
        return 1
    PAGE.write_text(write(trials, measured_on=measured_on), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
