"""`refute ticket new`: what is written, that it parses once it is filled in, and what is refused."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from refute.errors import TicketInvalid, UsageError
from refute.ticket.parse import load_ticket
from refute.ticket.scaffold import scaffold_ticket
from tests.refute.ticket.conftest import Git


def filled_in(directory: Path) -> None:
    """Does what an author does: replaces every placeholder."""
    file = directory / "ticket.yaml"
    file.write_text(re.sub(r"REPLACE ME[^\"\n]*", "Something true.", file.read_text()))


def new(folder: Path, files: dict[str, str], **options: Any) -> tuple[str, str]:
    """What ticket and script are written beside these files."""
    for name, text in files.items():
        (folder / name).write_text(text)
    ticket, script = scaffold_ticket(folder, from_git=None, **options)
    return ticket.read_text(), script.read_text()


@pytest.fixture
def checkout(tmp_path: Path, git: Git) -> Path:
    """A branch that adds, changes, renames and deletes files since `main`, some of it not committed."""
    top = tmp_path / "checkout"
    for name in ("src/pkg/__init__.py", "src/pkg/changed.py", "src/pkg/old.py", "src/pkg/gone.py", "README.md"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(f"'''{name}'''\n" * 5)
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "start")
    git(top, "checkout", "-qb", "feature/PAY-12-round-half-even")
    docstring = "Half of\n    :class:`x`. It takes\n    these:\n    :param x: more"
    (top / "src/pkg/changed.py").write_text(f'def half(x: float) -> float:\n    """{docstring}"""\n')
    git(top, "mv", "src/pkg/old.py", "src/pkg/renamed.py")
    git(top, "rm", "-q", "src/pkg/gone.py")
    (top / "tests").mkdir()
    (top / "tests/test_changed.py").write_text("")
    (top / "tests/testhalf.py").write_text("")  # as unittest finds it
    (top / "docs").mkdir()
    (top / "docs/conf.py").write_text("")
    git(top, "add", ".")
    git(top, "commit", "-qm", "Round half to even")
    (top / "src/pkg/uncommitted.py").write_text("class Thing:\n    '''A thing.'''\n")
    git(top, "checkout", "-q", "main")
    (top / "src/pkg/elsewhere.py").write_text("")
    git(top, "add", "src/pkg/elsewhere.py")
    git(top, "commit", "-qm", "main moved on")
    git(top, "checkout", "-q", "feature/PAY-12-round-half-even")
    return top


def test_a_new_ticket_says_what_to_replace(tmp_path):
    ticket_file, script = scaffold_ticket(tmp_path / "new", from_git=None)
    with pytest.raises(TicketInvalid) as caught:
        load_ticket(ticket_file)
    said = str(caught.value)
    assert "title (line 5): is still the scaffold's placeholder" in said
    assert "claims[0].text (line 23): is still the scaffold's placeholder" in said
    assert "implementation_files" in said
    assert os.access(script, os.X_OK)


def test_a_new_ticket_beside_code_names_it_and_parses_once_filled_in(tmp_path):
    code = 'def allow(key: str) -> bool:\n    """Whether the key may call."""\n'
    code += 'def listed(keys):\n    """:param keys: Without a summary."""\n'
    ticket, script = new(tmp_path, {"limiter.py": code, "tests.py": "def test_it():\n    assert True\n"})
    assert "`allow`: Whether the key may call." in ticket
    assert "REPLACE ME: what listed gives" in ticket
    assert "python -m pytest -q -p no:cacheprovider tests.py" in script
    filled_in(tmp_path)
    assert load_ticket(tmp_path).implementation_files == ("limiter.py",)


def test_a_new_ticket_names_what_the_code_imports_from_elsewhere(tmp_path):
    code = "import json, six\nimport near\nfrom bs4.element import Tag\ntry:\n    import icu\nexcept ImportError: ...\n"
    ticket, _ = new(tmp_path, {"near.py": "X = 1\n", "tool.py": code})
    assert "wheels the code needs, as it imports bs4, six:" in ticket


def test_claims_that_are_given_stand_in_a_new_ticket(tmp_path):
    claims = ['It says "yes": always.', "It is quick."]
    ticket, _ = new(tmp_path, {"limiter.py": "def allow():\n    return True\n"}, claims=tuple(claims))
    assert yaml.safe_load(ticket)["claims"] == claims


def test_the_script_is_sound_bash_and_holds_the_rules(tmp_path):
    _, script = scaffold_ticket(tmp_path / 'it\'s "odd" $(touch pwned)', from_git=None)
    subprocess.run(["bash", "-n", str(script)], check=True)
    text = script.read_text()
    for rule in ("try/except", "--help", "integration", "Nothing is needed but the workspace", "# expect-fail: "):
        assert rule in text


@pytest.mark.slow
def test_the_script_runs_as_it_was_written_for_code_with_tests(tmp_path):
    (tmp_path / "limiter.py").write_text("def allow():\n    return True\n")
    (tmp_path / "test_limiter.py").write_text("from limiter import allow\n\ndef test_it():\n    assert allow()\n")
    _, script = scaffold_ticket(tmp_path, from_git=None)
    subprocess.run(["bash", str(script)], check=True, cwd="/", capture_output=True)


def test_the_script_needs_no_plugin_that_the_project_asks_for(tmp_path):
    asked = {"pytest.ini": "[pytest]\naddopts = --cov=limiter\n"}
    _, script = new(tmp_path, {"test_limiter.py": "def test_it():\n    assert True\n", **asked})
    assert "no:cacheprovider -o addopts= test_limiter.py" in script


@pytest.mark.parametrize("name", ["ticket.yaml", "verify.sh"])
def test_nothing_is_ever_overwritten(tmp_path, name):
    (tmp_path / name).symlink_to("dangling")
    with pytest.raises(UsageError, match="exists, expected a directory without a ticket"):
        scaffold_ticket(tmp_path, from_git=None)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_ticket_from_git_is_about_what_changed_since_the_branch_left(checkout):
    scaffold_ticket(checkout / "tickets/new", from_git="main")
    filled_in(checkout / "tickets/new")
    ticket = load_ticket(checkout / "tickets/new")
    assert ticket.workspace == checkout
    assert ticket.implementation_files == ("src/pkg/changed.py", "src/pkg/renamed.py", "src/pkg/uncommitted.py")
    assert (ticket.id, ticket.title) == ("PAY-12", "Round half to even")
    assert (ticket.verification_script, ticket.import_roots) == ("tickets/new/verify.sh", ("src",))
    script = (checkout / "tickets/new/verify.sh").read_text()
    assert "python -c 'import pkg.changed'" in script
    assert "tests/test_changed.py tests/testhalf.py" in script
    assert 'cd "$(dirname "$0")/../.."' in script
    assert "export PYTHONPATH=src" in script


def test_a_ticket_from_git_suggests_claims_from_docstrings_and_names_its_base(checkout):
    scaffold_ticket(checkout / "new", from_git="main")
    text = (checkout / "new/ticket.yaml").read_text()
    assert '# half(x: float)\n  - "`half`: Half of :class:`x`."' in text
    assert '- "`Thing`: A thing."' in text
    assert load_ticket(checkout / "new").kind == "python"
    assert re.search(r'^base: "[0-9a-f]{12}"', text, re.MULTILINE)


def test_claims_are_suggested_for_what_changed_and_has_behaviour(checkout, git):
    file = checkout / "src/pkg/elsewhere.py"
    git(checkout, "checkout", "-q", "main")
    box = "class Box:\n    def fill(self{0}):\n        'Fills.'\n    def size(self):\n        'Tells.'\n"
    many = "@overload\ndef many(n: int): ...\n@overload\ndef many(n: str): ...\ndef many(n): return n\n"
    told = "def told(n):\n    '''Tells{0}.'''\n    return n\n"
    file.write_text(many + "def kept(n): ...\ndef touched(): ...\n" + box.format("") + told.format(""))
    git(checkout, "commit", "-qam", "start")
    git(checkout, "checkout", "-qb", "more")
    changed = "def kept(n: int): ...\ndef touched(n): ...\ndef main(): ...\nclass Lost(KeyError): ...\n"
    full = "    @property\n    def full(self):\n        'Is full.'\n"
    file.write_text(many + changed + box.format(", n").replace("Tells", "Tells more") + full + told.format(" more"))
    scaffold_ticket(checkout / "new", from_git="main")
    text = (checkout / "new/ticket.yaml").read_text()
    assert re.findall(r"^  # (.*)", text, re.MULTILINE) == ["touched(n)", "Box.fill(self, n)", "Box.full", "Thing"]


def test_of_many_changes_what_is_new_is_drafted_and_the_rest_named(checkout: Path, git: Git) -> None:
    file = checkout / "src/pkg/elsewhere.py"
    git(checkout, "checkout", "-q", "main")
    old = [f"def f{at}(n): ..." for at in range(9)]
    file.write_text("\n".join(old))
    git(checkout, "commit", "-qam", "start")
    git(checkout, "checkout", "-qb", "more")
    file.write_text("\n".join([*old, "def new(n): ..."]).replace("...", "return n"))
    scaffold_ticket(checkout / "new", from_git="main")
    names = re.findall(r"^  # (.*)", (checkout / "new/ticket.yaml").read_text(), re.MULTILINE)
    assert (len(names), "new(n)" in names, names[-1][:30]) == (9, True, "3 more changed, and no claim s")


def test_public_modules_come_before_private_ones(tmp_path):
    ticket, _ = new(tmp_path, {f"{name}.py": f"def of_{name}():\n    pass\n" for name in ("_inner", "a", "b")})
    assert re.findall(r"# (of_\w+)\(\)", ticket) == ["of_a", "of_b", "of__inner"]


def test_what_several_files_define_is_called_by_its_module(tmp_path):
    code = 'def parse(x):\n    """Of {0}."""\n\ndef only_{0}(x):\n    """Alone."""\n'
    ticket, _ = new(tmp_path, {f"{name}.py": code.format(name) for name in ("one", "two")})
    assert all(f"`{name}`" in ticket for name in ("one.parse", "two.parse", "only_one", "only_two"))


def test_a_program_becomes_a_ticket_about_its_command_line(tmp_path):
    code = "import argparse\ndef main(): ...\nif __name__ == '__main__':\n    main()\n"
    _, script = new(tmp_path, {"tool.py": code})
    filled_in(tmp_path)
    ticket = load_ticket(tmp_path)
    (claim,) = ticket.claims
    run = "tool.py Something true.: exit 0, stdout 'Something true.'"
    assert (ticket.kind, claim.text, str(claim.run)) == ("cli", "Something true.", run)
    assert "python tool.py --help" in script


@pytest.mark.parametrize(
    ("code", "test", "kind"),
    [
        ("import argparse\n", "", "cli"),
        ("import argparse\n", "import roman\nassert roman.main([]) == 0\n", "cli"),
        ("import argparse\n", "from roman import to_roman as f\nassert f(1) == 'I'\n", "python"),
        ("", "", "python"),
    ],
)
def test_what_tests_import_or_reads_arguments_only_when_started_is_a_library(code, test, kind, tmp_path):
    code += "def to_roman(n):\n    return 'I' * n\ndef main():\n    import argparse\n"
    code += "if __name__ == '__main__':\n    main()\n"
    ticket, _ = new(tmp_path, {"roman.py": code, "test_roman.py": test})
    assert yaml.safe_load(ticket)["kind"] == kind


def test_a_branch_without_a_key_gives_the_commits_words_and_the_repository(checkout, git):
    git(checkout, "checkout", "-qb", "round-money")
    git(checkout, "commit", "-q", "--allow-empty", "-m", 'Say "hello": [world]\n\nbody')
    scaffold_ticket(checkout / "new", from_git="main")
    filled_in(checkout / "new")
    assert load_ticket(checkout / "new").title == 'Say "hello": [world]'
    assert load_ticket(checkout / "new").id == "checkout-Say-hello-world"


@pytest.mark.parametrize("base", ["nowhere", "--output=pwned", "", "main:README.md"])
def test_a_base_that_is_no_commit_is_refused(checkout, base):
    with pytest.raises(UsageError, match="expected a commit, branch or tag"):
        scaffold_ticket(checkout / "new", from_git=base)
    assert not (checkout / "new").exists()
    assert not (checkout / "pwned").exists()


def test_no_checkout_and_no_change_are_said(tmp_path, checkout, git):
    with pytest.raises(UsageError, match="got no git checkout"):
        scaffold_ticket(tmp_path / "new", from_git="main")
    git(checkout, "checkout", "-q", "main")
    (checkout / "src/pkg/uncommitted.py").unlink()
    with pytest.raises(UsageError, match="got no changed Python file since HEAD"):
        scaffold_ticket(checkout / "new", from_git="HEAD")


def test_a_directory_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        scaffold_ticket(tmp_path / "file" / "new", from_git=None)
