"""Import roots and module names of the layouts that people use."""

from pathlib import Path

import pytest

from refute.errors import TicketInvalid
from refute.ticket.modules import implementation_modules
from refute.ticket.parse import load_ticket
from refute.ticket.record import Module, Ticket
from tests.fakes.tickets import write_ticket


def ticket(directory: Path, *files: str, implementation: list[str], **fields: object) -> Ticket:
    for name in (*files, *implementation):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
    texts = dict.fromkeys((*implementation, *files), "")
    return load_ticket(write_ticket(directory, texts, "", implementation_files=implementation, **fields))


def only_module(ticket: Ticket) -> Module:
    (module,) = implementation_modules(ticket)
    return module


@pytest.mark.parametrize(
    ("files", "path", "root", "name"),
    [
        ([], "thing.py", ".", "thing"),
        (["pkg/__init__.py"], "pkg/thing.py", ".", "pkg.thing"),
        (["pkg/__init__.py", "pkg/sub/__init__.py"], "pkg/sub/thing.py", ".", "pkg.sub.thing"),
        ([], "pkg/__init__.py", ".", "pkg"),
        (["src/pkg/__init__.py"], "src/pkg/thing.py", "src", "pkg.thing"),
        ([], "src/thing.py", "src", "thing"),
        ([], "src/namespace/thing.py", "src", "namespace.thing"),
        (["backend/src/pkg/__init__.py"], "backend/src/pkg/thing.py", "backend/src", "pkg.thing"),
        (["src/__init__.py"], "src/thing.py", ".", "src.thing"),
        ([], "tools/thing.py", "tools", "thing"),
    ],
)
def test_the_import_root_is_detected(tmp_path: Path, files: list[str], path: str, root: str, name: str) -> None:
    made = ticket(tmp_path, *files, implementation=[path])
    module = only_module(made)
    assert (module.path, made.import_roots, module.name) == (path, (root,), name)


@pytest.mark.parametrize(
    "line", ["from src.tools.thing import f", "import src.tools.thing as t", "from src.tools import other, thing"]
)
def test_an_author_who_imports_by_the_path_from_the_workspace_is_believed(tmp_path: Path, line: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_thing.py").write_text(line)
    module = only_module(ticket(tmp_path, implementation=["src/tools/thing.py"]))
    assert module.name == "src.tools.thing"


def test_given_import_roots_are_law_and_the_deepest_counts(tmp_path: Path) -> None:
    made = ticket(tmp_path, "lib/x/a.py", implementation=["lib/x/thing.py"], import_roots=[".", "lib"])
    assert only_module(made).name == "x.thing"


def test_files_that_cannot_be_imported_are_left_out_beside_those_that_can(tmp_path: Path) -> None:
    made = ticket(
        tmp_path,
        "pkg/__init__.py",
        implementation=["thing.py", "pkg/0001_initial.py", "pkg/class.py", "pkg/__main__.py", "data.json"],
    )
    assert [module.name for module in implementation_modules(made)] == ["thing"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("rate-limit.py", "no Python name"),
        ("__init__.py", "expected an import root above it"),
        ("a.sh", "no .py file"),
        ("__main__.py", "run the program"),
    ],
)
def test_a_python_ticket_with_nothing_to_import_is_refused(tmp_path: Path, path: str, said: str) -> None:
    with pytest.raises(TicketInvalid, match=said):
        ticket(tmp_path, implementation=[path])


def test_a_file_outside_the_given_roots_is_explained(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    with pytest.raises(TicketInvalid, match="under no import root"):
        ticket(tmp_path, implementation=["thing.py"], import_roots=["lib"])


def test_a_command_line_ticket_needs_no_module(tmp_path: Path) -> None:
    assert implementation_modules(ticket(tmp_path, implementation=["tool-name"], kind="cli")) == ()
