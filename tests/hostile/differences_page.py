"""The page docs/containment-runsc.md: what hostile behaviours do otherwise on gVisor than on runc, and why."""

from collections.abc import Mapping, Sequence
from typing import Final

from tests.hostile.behaviour import Behaviour
from tests.hostile.known_differences import DEPENDS_ON_SPEED, DIFFERENCES, EVERYDAY
from tests.hostile.trial import Trial

HEAD: Final = """\
# What differs on {name}

<!-- Written by `make gvisor` from a run; not by hand. -->

The hostile suite of [containment](containment.md) on an engine whose runtime is gVisor's `{name}`
({arguments}). Observed on {measured_on}.

{same} of {all} behaviours end and answer there as the suite asks of runc. The others are below, each with its reason.
After every one of all {all}, host and next job were unharmed, as on runc. What a runtime does otherwise without being
on this list, or otherwise than this list says, makes the suite fail.

What a trial found not enforced under it: {unenforced}. The sandbox tries them out before the first job and says
so in `refute doctor` and in the outcome; it claims nothing that is not enforced.
"""
EVERYDAY_HEAD: Final = """
## Everyday programs

What `make conformance` asks of ordinary Python, and does not get there:

| program | why |
|---|---|
"""


def write(
    name: str,
    groups: Mapping[str, Sequence[Behaviour]],
    trials: Mapping[str, Trial],
    *,
    on_runc: Mapping[str, str],
    facts: Mapping[str, str],
) -> str:
    """The page.

    Args:
        name: of the runtime.
        groups: heading → behaviours.
        trials: behaviour → what came of it there.
        on_runc: behaviour → what was observed on runc.
        facts: `arguments`, `measured_on`, `unenforced`, in words.
    """
    differs = {one for one, trial in trials.items() if trial.differs}
    parts = [HEAD.format(name=name, all=len(trials), same=len(trials) - len(differs), **facts)]
    for heading, behaviours in groups.items():
        rows = [one for one in behaviours if one.name in differs]
        if rows:
            parts.append(
                f"\n## {heading}\n\n| behaviour | what it does | on runc | on {name} | why |\n|---|---|---|---|---|\n"
            )
        for one in rows:
            cells = (one.name, one.does, on_runc[one.name], trials[one.name].observed, DIFFERENCES[name][one.name].why)
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    parts.append(EVERYDAY_HEAD)
    parts += [f"| {program} | {why} |\n" for program, why in EVERYDAY[name].items()]
    return "".join(parts)


def listed(page: str) -> dict[str, list[str]]:
    """The tables of a page: first cell → the other cells, as text."""
    lines = [line.replace("\\|", "\N{BROKEN BAR}") for line in page.splitlines() if line.startswith("| ")]
    rows = [[cell.replace("\N{BROKEN BAR}", "|") for cell in line.strip("| ").split(" | ")] for line in lines]
    return {row[0].removesuffix(" \\*"): row[1:] for row in rows if row[0] not in {"behaviour", "program"}}


def no_longer_different(name: str, trials: Mapping[str, Trial]) -> list[str]:
    """Behaviours that are on the list and did as on runc."""
    listed_here = DIFFERENCES.get(name, {}).keys() - DEPENDS_ON_SPEED
    return sorted(one for one in listed_here if one in trials and not trials[one].differs)
