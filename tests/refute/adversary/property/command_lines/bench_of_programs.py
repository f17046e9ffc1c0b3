"""Runs what the property tester writes about programs, as a person would: in the workspace, by plain Python."""

import contextlib
import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from refute.adversary.attack import Attack, Brief
from refute.adversary.property import PropertyTester
from refute.adversary.screening.screen import screen
from refute.ticket.record import Claim, Kind
from tests.refute.adversary.property import workbench


def brief_of(files: Mapping[str, str], claims: Sequence[str | Claim], programs: Sequence[str] = ()) -> Brief:
    """A brief over programs; by default every `.py` file is one."""
    paths = tuple(programs) or tuple(path for path in files if path.endswith(".py"))
    importable = (path.removesuffix(".py") for path in paths if path.endswith(".py") and "__main__" not in path)
    code = {path.replace("/", "."): files[f"{path}.py"] for path in importable if path.replace("/", "_").isidentifier()}
    brief = workbench.brief_of(code, claims, kind=Kind.CLI)
    ticket = replace(brief.ticket, implementation_files=paths)
    return replace(brief, ticket=ticket, workspace_paths=(*files, "verify.sh"))


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
        failed = workbench.failing(attack)
    assert {os.fspath(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file()} == set(before)
    assert all((workspace / path).read_bytes() == content for path, content in before.items())
    return failed
