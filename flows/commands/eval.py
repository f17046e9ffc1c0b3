"""`refute eval`: what attacks get through the gates, and what harmless things they stop."""

import importlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from flows.commands.options import FILE, results
from flows.commands.output import check_writable, deliver, in_color
from refute.errors import UsageError
from refute.evaluation.gates import Trial
from refute.guardrails.injection import suspicion

SUITES: Final = ("gates", "trials", "assistant")
"""Modules of `refute.evaluation` whose `trials` need neither network nor model."""
CORPUS: Final = "corpus"


@click.group(name="eval")
def evaluate() -> None:
    """Measure refute's own defences."""


@evaluate.command(short_help="Try every gate with attacks and harmless cases.")
@click.option("--deterministic", is_flag=True, help="No network, no models (the default, and all there is today).")
@click.option(
    "--corpus",
    type=FILE,
    metavar="FILE",
    help="Also score these texts: JSON Lines of {id, kind, text}; attacks are of kind `attack`, others harmless.",
)
@results("table", "json", "markdown")
def guardrails(*, deterministic: bool, corpus: Path | None, form: str, output: Path | None) -> int:
    """Try every gate with attacks and harmless cases, each mode by itself.

    `observe` and `vulnerable` show what would happen without the gates. Exit code 1 where an attack gets through
    `enforce` or `defended`, or something harmless is stopped. Words alone find few attacks: what --corpus adds is
    shown, and never fails the command.
    """
    del deterministic  # said for the day when there is another way
    return _tried(SUITES, corpus, form, output)


@evaluate.command(short_help="Try the assistant's routes, answers and changes.")
@click.option("--deterministic", is_flag=True, help="No network, no models (the default, and all there is today).")
@results("table", "json", "markdown")
def assistant(*, deterministic: bool, form: str, output: Path | None) -> int:
    """Send questions through the keyword router, ask some, and try to change a WAF in memory without consent.

    Exit code 1 where a question goes to the wrong specialist, an answer lacks what it must hold, or something is
    changed, or said to be, that must not.
    """
    del deterministic
    return _tried(("assistant",), None, form, output)


def _tried(suites: Iterable[str], corpus: Path | None, form: str, output: Path | None) -> int:
    from reports.guardrails import failures, render_trials

    check_writable("--output", output)
    trials = [trial for suite in suites for trial in _suite(suite)]
    failed = failures(trials)
    if corpus is not None:
        trials += _corpus(corpus)
    text = render_trials(trials, form, color=in_color(output))
    deliver(text, output, kept="Give the command again.")
    for one in failed:
        click.echo(
            f"FAILED {one.suite}/{one.case} ({one.mode}): {'got through' if one.attack else 'stopped'}", err=True
        )
    return 1 if failed else 0


def _suite(name: str) -> Iterator[Trial]:
    yield from importlib.import_module(f"refute.evaluation.{name}").trials()


def _corpus(path: Path) -> list[Trial]:
    """A trial for each text: an attack fails the gate where it is not flagged, another text where it is."""
    found: list[Trial] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--corpus {path}: cannot be read: {error}", hint="Expected JSON Lines in UTF-8.") from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            name, attack, text = str(row["id"]), row["kind"] == "attack", str(row["text"])
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"--corpus {path}: line {number}: expected an object with id, kind and text",
                hint='For example: {"id": "1", "kind": "attack", "text": "Ignore previous instructions"}',
            ) from error
        failed = suspicion(text).flagged != attack
        found.append(Trial(suite=CORPUS, case=name, mode="words alone", attack=attack, failed=failed))
    return found
