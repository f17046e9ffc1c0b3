"""Runs what the property tester writes, in this process: for harmless code of the tests' own."""

import contextlib
import linecache
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from hypothesis.errors import Unsatisfiable

from refute.adversary.attack import Attack, Brief, SourceModule
from refute.adversary.property import PropertyTester
from refute.ticket.record import Claim, ClaimId, Kind, Module
from tests.fakes.tickets import fake_ticket
from tests.schedule import uncovered

TWINS = {
    "pkg": "",
    "pkg.a": """
        def parse(text: str) -> str:
            return text.upper()
        """,
    "pkg.b": """
        def parse(text: str) -> str:
            '''Lower.

            >>> parse('A')
            'a'
            '''
            return text.lower()
        """,
}
"""A package of which two modules have a function of one name."""


def cases(name: str) -> list[dict[str, Any]]:
    """The rows of a YAML file beside the tests."""
    rows: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return rows


def brief_of(
    code: str | Mapping[str, str],
    claims: Sequence[str | Claim],
    *,
    kind: Kind = Kind.PYTHON,
    max_tests: int = 40,
    max_bytes: int = 60_000,
) -> Brief:
    """A brief over one module `subject`, or over several by dotted name."""
    sources = {"subject": code} if isinstance(code, str) else code
    modules = [
        SourceModule(module=Module(path=f"{name.replace('.', '/')}.py", name=name), source=textwrap.dedent(text))
        for name, text in sources.items()
    ]
    written = tuple(
        Claim(id=ClaimId(f"C{number}"), text=textwrap.dedent(claim)) if isinstance(claim, str) else claim
        for number, claim in enumerate(claims, 1)
    )
    paths = tuple(source.module.path for source in modules)
    ticket = fake_ticket(ticket_id="TCK-1", implementation_files=paths, claims=written, kind=kind)
    return Brief(ticket=ticket, modules=tuple(modules), workspace_paths=paths, max_tests=max_tests, max_bytes=max_bytes)


def attack_on(code: str | Mapping[str, str], *claims: str | Claim) -> Attack:
    """What the tester writes."""
    return PropertyTester().write_tests(brief_of(code, claims))


def failures(attack: Attack, code: str | Mapping[str, str]) -> dict[str, BaseException]:
    """Run every test of an attack; the failing ones with their errors."""
    sources = {"subject": code} if isinstance(code, str) else code
    # None of our code runs there, and coverage doubles what Hypothesis costs.
    with _imported({name: textwrap.dedent(text) for name, text in sources.items()}), uncovered(when=True):
        return failing(attack)


def failing(attack: Attack) -> dict[str, BaseException]:
    """Run every test of an attack on what can be imported now; the failing ones with their errors."""
    failed: dict[str, BaseException] = {}
    namespace: dict[str, object] = {"__name__": "generated"}
    # Hypothesis reads the source of filters.
    linecache.cache[attack.file_name] = (
        len(attack.source),
        None,
        attack.source.splitlines(keepends=True),
        attack.file_name,
    )
    exec(compile(attack.source, attack.file_name, "exec"), namespace)  # noqa: S102  # what these tests are about
    for test in attack.tests:
        function = namespace[test.name]
        assert callable(function)
        try:
            function()
        except Unsatisfiable:
            continue  # triage calls such a test invalid: it says nothing
        except BaseException as error:  # noqa: BLE001  # pytest's Failed is no Exception
            failed[test.name] = error
    return failed


@contextlib.contextmanager
def _imported(sources: Mapping[str, str]) -> Iterator[None]:
    """The sources as importable modules, for as long as the tests run."""
    made: dict[str, types.ModuleType] = {}
    for name, text in sources.items():
        module = types.ModuleType(name)
        made[name] = sys.modules[name] = module
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)  # noqa: S102  # harmless code of the tests' own
        parent, _, child = name.rpartition(".")
        if parent in made:
            setattr(made[parent], child, module)
    try:
        yield
    finally:
        for name in made:
            sys.modules.pop(name, None)
