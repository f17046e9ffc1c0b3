"""A data set: JSON Lines with a right and a wrong version of code for the same claims, made into tickets."""

import hashlib
import json
import random
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refute.errors import UsageError
from refute.ticket.record import TicketId

NUMBERED: Final = 3
"""Faults told at once."""
SCRIPT: Final = "set -euo pipefail\npython -c 'import {module}'\n"
Text = Annotated[str, Field(min_length=1)]


class Program(BaseModel):
    """One line of a data set. `hidden_test` only checks the labels: nobody who writes tests sees it."""

    model_config = ConfigDict(frozen=True)

    id: Text
    entry_point: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]
    claims: Annotated[tuple[Text, ...], Field(min_length=1)]
    correct: Text
    wrong: Text
    hidden_test: str = ""
    previous: str = ""
    """An earlier version: both tickets then claim to answer as it does."""


class Pair(BaseModel):
    """The two tickets of a program, with names that do not tell which is which."""

    model_config = ConfigDict(frozen=True)

    program: Program
    right: TicketId
    wrong: TicketId


def read_dataset(path: Path, *, limit: int | None = None, seed: int = 0) -> tuple[Pair, ...]:
    """Read a data set.

    Args:
        path: JSON Lines.
        limit: draw at most so many programs.
        seed: of the draw; the programs keep their order.

    Raises:
        UsageError: the file cannot be read, or a line is no program.
    """
    try:
        lines = path.read_text("utf-8").split("\n")  # a text may hold what `str.splitlines` takes for a break
    except UnicodeDecodeError as error:
        raise UsageError(f"data set {path}: cannot be read: it is not UTF-8") from error
    except OSError as error:
        raise UsageError(f"data set {path}: cannot be read: {error.strerror}") from error
    programs, faults = [], []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                programs.append(Program.model_validate_json(line))
            except ValidationError as error:
                fields = ", ".join(".".join(map(str, fault["loc"])) or "JSON" for fault in error.errors())
                faults.append(f"line {number}: {fields}")
    if faults or not programs:
        told = "; ".join(faults[:NUMBERED]) or "no program"
        raise UsageError(
            f"data set {path}: {told}", hint="Each line: id, entry_point, claims[], correct, wrong, hidden_test."
        )
    if len({program.id for program in programs}) != len(programs):
        raise UsageError(f"data set {path}: ids are used twice")
    if limit is not None and limit < len(programs):
        drawn = set(random.Random(seed).sample(range(len(programs)), limit))  # noqa: S311  # reproducible, not secret
        programs = [program for place, program in enumerate(programs) if place in drawn]
    return tuple(_pair(program) for program in programs)


def write_tickets(pairs: Sequence[Pair], folder: Path, *, only: Container[str] | None = None) -> None:
    """Write both tickets of every program, each in a directory of its own.

    Args:
        pairs: the programs.
        folder: where to.
        only: ids of the tickets that are to be written; None: all.
    """
    for pair in pairs:
        for ticket_id, code in ((pair.right, pair.program.correct), (pair.wrong, pair.program.wrong)):
            if only is None or ticket_id in only:
                _write(pair.program, code, folder / ticket_id, ticket_id)


def digest(pairs: Sequence[Pair]) -> str:
    """SHA-256 over the programs, in hex."""
    data = json.dumps([pair.program.model_dump(mode="json", exclude_defaults=True) for pair in pairs], sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()


def _pair(program: Program) -> Pair:
    return Pair(program=program, right=_id(program, program.correct), wrong=_id(program, program.wrong))


def _id(program: Program, code: str) -> TicketId:
    """A name made of what the ticket holds, so that it tells nothing else."""
    held = f"{program.id}\x00{code}"
    return TicketId(f"bench-{hashlib.sha256(held.encode()).hexdigest()[:16]}")


def _write(program: Program, code: str, folder: Path, ticket_id: TicketId) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    module = program.entry_point
    (folder / f"{module}.py").write_text(f"{code.rstrip()}\n", encoding="utf-8")
    (folder / "verify.sh").write_text(SCRIPT.format(module=module), encoding="utf-8")
    claims: list[dict[str, Any]] = [{"text": text} for text in program.claims]
    earlier = {}
    if program.previous:
        (folder / "previous.py").write_text(f"{program.previous.rstrip()}\n", encoding="utf-8")
        claims.append({"text": f"`{module}` answers as before.", "unchanged": [module]})
        earlier = {"previous": "previous.py"}
    ticket = {
        "id": ticket_id,
        "title": program.entry_point,
        "workspace": ".",
        "implementation_files": [f"{module}.py"],
        "verification_script": "verify.sh",
        "claims": [{"id": f"C{n}", **claim} for n, claim in enumerate(claims, start=1)],
        **earlier,
    }
    (folder / "ticket.yaml").write_text(yaml.safe_dump(ticket, allow_unicode=True, sort_keys=False), encoding="utf-8")
