"""What an evaluation of the guardrails found, as a terminal table, Markdown or JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import pandas as pd

from refute.evaluation.gates import Trial
from reports.rendering import REPORT, rendered
from reports.sections import Grid, Section, markdown_table, on_terminal

TRIALS_VERSION: Final = 1
GUARDED: Final = ("enforce", "defended")
"""Modes in which no attack may get through, and nothing harmless be stopped."""
COLUMNS: Final = ("suite", "mode", "attacks", "got through", "harmless", "stopped or flagged")


def failures(trials: Sequence[Trial]) -> list[Trial]:
    """What the gates let through, or stopped, that they must not."""
    return [trial for trial in trials if trial.failed and trial.mode in GUARDED]


def summed(trials: Sequence[Trial]) -> pd.DataFrame:
    """A row for each suite and mode: attacks, those that got through, harmless cases, those that were stopped."""
    frame = pd.DataFrame(
        {
            "suite": [one.suite for one in trials],
            "mode": [str(one.mode) for one in trials],
            "attacks": [int(one.attack) for one in trials],
            "got_through": [int(one.attack and one.failed) for one in trials],
            "harmless": [int(not one.attack) for one in trials],
            "stopped": [int(not one.attack and one.failed) for one in trials],
        }
    )
    return frame.groupby(["suite", "mode"], as_index=False).sum()


def render_trials(trials: Sequence[Trial], form: str, *, color: bool = False) -> str:
    """The trials as `table`, `markdown` or `json`; ends with a newline."""
    rows = summed(trials).to_dict(orient="records")
    if form == "json":
        cases = [asdict(one) for one in trials]
        return json.dumps({"version": TRIALS_VERSION, "rows": rows, "cases": cases}, indent=2) + "\n"
    cells = [
        (
            *(row["suite"], row["mode"]),
            *(str(row["attacks"]), _of(row["got_through"], row["attacks"])),
            *(str(row["harmless"]), _of(row["stopped"], row["harmless"])),
        )
        for row in rows
    ]
    if form == "markdown":
        return markdown_table(COLUMNS, cells) + "\n"
    failed = {(one.suite, one.mode) for one in failures(trials)}
    styles = ["yellow" if one[1] not in GUARDED else "red" if one[:2] in failed else "green" for one in cells]
    section = Section(title="Guardrails", parts=[Grid(headings=COLUMNS, rows=cells, styles=styles, styled=1)])
    return rendered(on_terminal([section]), REPORT, color=color, width=None)


def _of(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "–"
