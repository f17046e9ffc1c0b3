"""Reads `.case` files: an implementation, an ordinary pytest file for it, and wrong variants that it must catch.

A file is a line of description, then sections that start with `--- `:
`--- impl PATH` is a file of the implementation, `--- test` the pytest file, `--- wrong PATH: test_a test_b` two texts
parted by a line `===`; with the first replaced by the second, exactly these tests fail.
A comment at a test's `def` says what is special about it: `# unattested` (decided by an operator of an object that
stays in the subject), `# either` (attested or not), `# cannot` (is not to be carried to another process: invalid or a
matter for a person, never a refutation and never a pass).

Forgeries use the same files, with `# honest` for a test that must go on telling the truth beside them, `# dodge` for a
failure that triage may not put aside as nobody's, and `--- plan` for limits of their own, as JSON.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases")
MARKED = re.compile(r"def (test_\w+)\(.*#\s*(unattested|either|cannot|honest|dodge)\b")


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """One way in which the implementation may be wrong."""

    path: str
    right: str
    wrong: str
    caught_by: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class CaseFile:
    """One case."""

    name: str
    files: dict[str, str]
    test: str
    wrongs: tuple[Wrong, ...]
    plan: dict[str, Any]
    """Fields of the driver's plan that differ."""

    @cached_property
    def tree(self) -> ast.Module:
        """The pytest file, parsed."""
        return ast.parse(self.test)

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """The test functions in their order; a method is called `Class::test_a`."""
        return tuple(_tests(self.tree.body))

    @cached_property
    def marks(self) -> dict[str, str]:
        """Test → its mark, for those that have one."""
        return dict(MARKED.findall(self.test))

    @cached_property
    def by_process(self) -> frozenset[str]:
        """Tests that start the implementation as a program instead of calling it."""
        functions = (node for node in self.tree.body if isinstance(node, ast.FunctionDef))
        return frozenset(function.name for function in functions if "subprocess.run" in ast.unparse(function))

    @property
    def modules(self) -> list[str]:
        """Dotted names of the implementation's modules."""
        paths = [Path(path) for path in self.files if path.endswith(".py")]
        return [".".join((*path.parent.parts, path.stem)).removesuffix(".__init__") for path in paths]

    @property
    def caught(self) -> frozenset[str]:
        """Tests that fail with every wrong variant in place."""
        return frozenset().union(*(wrong.caught_by for wrong in self.wrongs))

    @property
    def wrong_files(self) -> dict[str, str]:
        """The implementation with every wrong variant in place."""
        files = dict(self.files)
        for wrong in self.wrongs:
            if files[wrong.path].count(wrong.right) != 1:
                raise ValueError(f"{self.name}: expected once in {wrong.path}: {wrong.right!r}")
            files[wrong.path] = files[wrong.path].replace(wrong.right, wrong.wrong)
        return files


def _tests(body: Sequence[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body, f"{node.name}::")


def read_cases(folder: Path = CASES) -> list[CaseFile]:
    """All cases of a folder, by name."""
    return [parse(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.case"))]


def parse(name: str, text: str) -> CaseFile:
    """One case.

    Raises:
        ValueError: a section is of no known kind.
    """
    _, *sections = re.split(r"^--- ", text, flags=re.MULTILINE)
    files: dict[str, str] = {}
    wrongs: list[Wrong] = []
    plan: dict[str, Any] = {}
    test = ""
    for section in sections:
        head, _, body = section.partition("\n")
        kind, _, rest = head.partition(" ")
        if kind == "impl":
            files[rest.strip()] = body
        elif kind == "test":
            test = body
        elif kind == "plan":
            plan = json.loads(body)
        elif kind == "wrong":
            path, _, caught_by = rest.partition(":")
            right, _, wrong = body.partition("\n===\n")
            caught = frozenset(caught_by.split())
            wrongs.append(Wrong(path=path.strip(), right=right.strip("\n"), wrong=wrong.strip("\n"), caught_by=caught))
        else:
            raise ValueError(f"{name}: section {head!r}, expected impl, test, plan or wrong")
    return CaseFile(name=name, files=files, test=test, wrongs=tuple(wrongs), plan=plan)
