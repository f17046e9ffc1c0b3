"""Writes docs/containment.md from a run of the hostile suite: `make containment`, or `python -m tests.hostile.page`.

With `REFUTE_RUNTIME=runsc` it writes what differs there to docs/containment-runsc.md (`make gvisor`). Exit code 1, and
no page, where anything was not contained, or a known difference is none any more.
"""

import contextlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from refute.sandbox.connection import connect
from refute.sandbox.runtime import in_words
from tests.hostile import differences_page
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
OTHERS: Final = """
## Other runtimes

The suite runs on another runtime with `REFUTE_RUNTIME`. What is known to end and answer otherwise there stands, with
what was observed and why, in a page for each; host and next job have to be unharmed all the same.

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
    return "".join(parts) + others()


def others() -> str:
    """The page's last part, which needs no run."""
    return OTHERS + "".join(f"- [{name}]({page_of(name).name})\n" for name in DIFFERENCES)


def page_of(name: str) -> Path:
    """Where the page of a runtime stands; of the engine's default, where it is empty."""
    return PAGE.with_name(f"containment-{name}.md") if name else PAGE


def row(behaviour: Behaviour, observed: str) -> str:
    """One line of the table."""
    cells = (behaviour.name + " \\*" * behaviour.shares, behaviour.does, behaviour.expected(), observed)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def run() -> tuple[dict[str, Trial], dict[str, str]]:
    """Try everything: behaviour → what came of it, and, in words, what it ran on."""
    image_id = build()
    trials: dict[str, Trial] = {}
    with tempfile.TemporaryDirectory() as folder, make_sandbox() as sandbox, Host(Path(folder)) as host:
        facts = sandbox.facts()
        unenforced = sandbox.unenforced(image_id)

        def attempt(block: Block) -> None:
            for name, trial in try_block(block, sandbox=sandbox, host=host, image_id=image_id).items():
                print(told(name, trial), flush=True)  # noqa: T201
                trials[name] = trial

        # Where nothing limits a job, one that takes all there is would be felt by those beside it.
        with ThreadPoolExecutor(1 if unenforced else AT_ONCE) as threads:
            list(threads.map(attempt, [block for group in GROUPS.values() for block in blocks(group)]))
    kernel = Path("/proc/sys/kernel/osrelease").read_text().strip()
    day = f"{datetime.now(UTC):%-d %B %Y}"
    version, arguments = registered(runtime())
    place = f"{facts.name} with {version or facts.runtime}, kernel {kernel}, {day}"
    return trials, {"measured_on": place, "arguments": arguments, "unenforced": in_words(unenforced) or "none"}


def told(name: str, trial: Trial) -> str:
    """A line for whoever waits."""
    notes = [f"  FAULTS: {trial.faults}"] * bool(trial.faults) + [f"  differs: {trial.differs}"] * bool(trial.differs)
    return f"{name}: {trial.observed}{''.join(notes)}"


def registered(name: str) -> tuple[str, str]:
    """What a runtime says its version is, and the arguments that the engine has for it; empty for the default."""
    if not name:
        return "", ""
    with contextlib.closing(connect()) as client:
        found = client.info()["Runtimes"][name]
    said = subprocess.run([found["path"], "--version"], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0], " ".join(f"`{word}`" for word in found.get("runtimeArgs") or ())


def main() -> int:
    """Run, and write the page where everything was contained."""
    name = runtime()
    trials, facts = run()
    stale = differences_page.no_longer_different(name, trials)
    if stale:
        print(f"no longer different on {name}: {', '.join(stale)}")  # noqa: T201
    if stale or any(trial.faults for trial in trials.values()):
        return 1
    if name:
        seen = {one: cells[-1] for one, cells in differences_page.listed(PAGE.read_text(encoding="utf-8")).items()}
        text = differences_page.write(name, GROUPS, trials, on_runc=seen, facts=facts)
    else:
        text = write(trials, measured_on=facts["measured_on"])
    page_of(name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
