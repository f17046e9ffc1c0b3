"""Runs what the property tester writes about programs, as a person would: in the workspace, by plain Python."""

import contextlib
import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from refute.adversary.attack import Attack, Brief, SourceModule
from refute.adversary.property import PropertyTester
from refute.adversary.screening.screen import screen
from refute.ticket.record import Claim, ClaimId, Kind, Module, Ticket, TicketId
from tests.refute.adversary.property.workbench import failing


def brief_of(files: Mapping[str, str], claims: Sequence[str | Claim], programs: Sequence[str] = ()) -> Brief:
    """A brief over programs; by default every `.py` file is one."""
    paths = tuple(programs) or tuple(path for path in files if path.endswith(".py"))
    modules = tuple(
        SourceModule(
            module=Module(path=path, name=path.removesuffix(".py").replace("/", ".")),
            source=textwrap.dedent(files[path]),
        )
        for path in paths
        if path.endswith(".py") and path.removesuffix(".py").replace("/", "_").isidentifier() and "__main__" not in path
    )
    ticket = Ticket(
        id=TicketId("TCK-1"),
        title="A program",
        workspace=Path("/nowhere"),
        implementation_files=paths,
        claims=tuple(
            Claim(id=ClaimId(f"C{number}"), text=textwrap.dedent(claim)) if isinstance(claim, str) else claim
            for number, claim in enumerate(claims, 1)
        ),
        verification_script="verify.sh",
        source="ticket.yaml",
        kind=Kind.CLI,
    )
    return Brief(ticket=ticket, modules=modules, workspace_paths=(*files, "verify.sh"))


def attack_on(files: Mapping[str, str], *claims: str | Claim, programs: Sequence[str] = ()) -> Attack:
    """What the tester writes, once the screen has let all of it through."""
    brief = brief_of(files, claims, programs)
    attack = PropertyTester().write_tests(brief)
    screening = screen(attack, brief)
    assert not screening.rejected, [(one.test.name, one.reason) for one in screening.rejected]
    return attack


def failures(attack: Attack, files: Mapping[str, str], folder: Path) -> dict[str, BaseException]:
    """Run every test of an attack over the files; the failing ones with their errors."""
    workspace = folder / "workspace"
    for path, text in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(textwrap.dedent(text), encoding="utf-8")
    before = {path: (workspace / path).read_bytes() for path in files}
    with contextlib.chdir(workspace):
        failed = failing(attack)
    assert {os.fspath(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file()} == set(before)
    assert all((workspace / path).read_bytes() == content for path, content in before.items())
    return failed
