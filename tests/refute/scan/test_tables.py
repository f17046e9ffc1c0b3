"""The tables' own examples, both ways, and an operator's rows."""

from pathlib import Path

import pytest

from refute.errors import UsageError
from refute.scan.core.paths import fill, is_place
from refute.scan.core.tables import knowledge, read_table
from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import check_examples, scan_python, scan_text


def _blocks(text: str, language: Language, tables: Path | None = None) -> bool:
    findings = scan_text("example", text.encode(), language=language, tables=tables)
    assert "unanalysable" not in {finding.rule_id for finding in findings}
    return any(finding.severity >= Severity.HIGH for finding in findings)


@pytest.mark.parametrize(
    ("table", "key", "language"), [("commands", "command", Language.SHELL), ("python", "call", Language.PYTHON)]
)
def test_a_row_does_what_its_examples_say(table: str, key: str, language: Language) -> None:
    rows = read_table(table)[key]
    assert [text for row in rows for text in row.get("refuses", ()) if not _blocks(text, language)] == []
    assert [text for row in rows for text in row.get("spares", ()) if _blocks(text, language)] == []


@pytest.mark.parametrize(("kind", "row"), read_table("places").items(), ids=read_table("places"))
def test_a_place_is_what_its_examples_say(kind: str, row: dict[str, list[str]]) -> None:
    assert [path for path in row["examples"] if not is_place(kind, fill(path))] == []
    assert [path for path in row["others"] if is_place(kind, fill(path))] == []


OWN = """
[[command]]
names = ["deployctl", "rollctl"]
when = [{ args = 'status' }]
flag = "system-control"
refuses = ["deployctl up"]
spares = ["rollctl status"]

[[command]]
names = "fetchit"
options = { o = "out" }
operands = "url*"

[[command]]
names = "within"
values = "-n"
stops = true
operands = "skip command*"

[[call]]
names = "ours.run"
operands = "eval"

[hosts]
public = ["git.example.com"]
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    return path


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("deployctl up", True),
        ("deployctl status", False),
        ("fetchit -o x.sh http://localhost/x; sh x.sh", True),
        ("within -n 3 5 rm -rf /", True),
        ("curl -LO https://git.example.com/a.tgz", False),
        ("curl -LO https://other.example.com/a.tgz", True),
        ("rm -rf /", True),
    ],
)
def test_rows_of_an_operator_count_beside_ours(own: Path, text: str, *, blocks: bool) -> None:
    assert _blocks(text, Language.SHELL, own) == blocks


def test_rows_of_an_operator_count_for_python(own: Path) -> None:
    source = "import ours\nours.run('rm -rf /')\n"
    assert scan_python("x.py", source) == ()
    assert {finding.rule_id for finding in scan_python("x.py", source, tables=own)} == {"delete-outside"}


def test_rows_of_an_operator_reach_the_child_that_reads_hostile_input(own: Path) -> None:
    assert _blocks("deployctl up\n# " + "x" * 9_000, Language.SHELL, own)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[command]]\nvalues = '-a'", "a row without `names`"),
        ("[[command]]\nnames = 'x'\noperands = 'reads'", "row `x`: unknown role `reads`; expected one of cd, command"),
        ("[[command]]\nnames = 'x'\nprints = 'y'", "row `x`: unknown `prints` `y`; expected one of changed"),
        ("[[command]]\nnames = 'x'\nwhen = [{ flag = 'no-rule' }]", "row `x`: unknown rule `no-rule`"),
        ("[[command]]\nnames = 'x'\nwhen = [{ arg = '.' }]", "row `x`: unknown field of `when` `arg`"),
        ("[[command]]\nnames = 'x'\nwhen = [{ args = '(' }]", "row `x`: missing )"),
        ("[[command]]\nnames = 'x'\nhandler = 'curl'", "`handler` names code of refute itself"),
        ("[commands]\nnames = 'x'", "unknown table `commands`"),
        ("[[command", "Expected"),
    ],
)
def test_a_wrong_row_is_named_with_what_is_expected(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        knowledge(path)
    assert told in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("refuses = ['fetchit x']", "row `fetchit`: example 'fetchit x': expected to block, got nothing"),
        ("flag = 'setuid'\nspares = ['fetchit x']", "row `fetchit`: example 'fetchit x': expected nothing, got setuid"),
    ],
)
def test_rows_are_held_to_their_own_examples(own: Path, row: str, told: str) -> None:
    check_examples(own)
    wrong = own.with_name("wrong.toml")
    wrong.write_text(f"[[command]]\nnames = 'fetchit'\n{row}\n")
    with pytest.raises(UsageError) as caught:
        check_examples(wrong)
    assert told in caught.value.message


def test_tables_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        knowledge(tmp_path / "none.toml")
