"""What an evaluation of the guardrails found, as a terminal table, Markdown or JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import pandas as pd

from refute.guardrails.trials import Trial

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
    match form:
        case "json":
            return _json(trials)
        case "markdown":
            lines = (COLUMNS, ("---",) * len(COLUMNS), *_cells(trials))
            return "".join(f"| {' | '.join(line)} |\n" for line in lines)
        case _:
            return _table(trials, color=color)


def _json(trials: Sequence[Trial]) -> str:
    import json  # beside its only use

    rows = summed(trials).to_dict(orient="records")
    cases = [asdict(one) for one in trials]
    return json.dumps({"version": TRIALS_VERSION, "rows": rows, "cases": cases}, indent=2) + "\n"


def _cells(trials: Sequence[Trial]) -> list[tuple[str, ...]]:
    return [
        (
            *(row["suite"], row["mode"]),
            *(str(row["attacks"]), _of(row["got_through"], row["attacks"])),
            *(str(row["harmless"]), _of(row["stopped"], row["harmless"])),
        )
        for row in summed(trials).to_dict(orient="records")
    ]


def _of(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "–"


def _table(trials: Sequence[Trial], *, color: bool) -> str:
    from rich.console import Console  # slow to import
    from rich.table import Table
    from rich.text import Text

    console = Console(width=100, force_terminal=color, no_color=not color, highlight=False)
    failed = {(one.suite, one.mode) for one in failures(trials)}
    table = Table(*COLUMNS)
    for cells in _cells(trials):
        style = "yellow" if cells[1] not in GUARDED else "red" if cells[:2] in failed else "green"
        table.add_row(*(Text(cell, style=style) for cell in cells))
    with console.capture() as captured:
        console.print(table)
    return captured.get()
