"""Reading tickets: what is accepted, and that everything wrong is said at once and understandably."""

import dataclasses
import errno
import json
import os
import time
from pathlib import Path

import pytest

from refute.errors import TicketInvalid, TicketNotFound, UsageError
from refute.sandbox.image_recipe import SUITES
from refute.ticket import sources
from refute.ticket.fields import PYTHON_VERSIONS
from refute.ticket.parse import each_ticket, load_ticket
from refute.ticket.record import Kind, Run, Text
from tests.refute.ticket.conftest import FIELDS

DIGEST = "a" * 64


def problems_of(path: Path) -> str:
    with pytest.raises(TicketInvalid) as caught:
        load_ticket(path)
    return "\n".join(caught.value.problems)


def written(workspace: Path, text: str | bytes, name: str = "ticket.yaml") -> Path:
    path = workspace / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


MINIMAL = """\
id: TCK-1
title: A thing
implementation_files: [thing.py]
verification_script: verify.sh
claims:
  - thing() returns 1.
"""


def test_a_minimal_ticket_gets_its_defaults(workspace):
    ticket = load_ticket(written(workspace, MINIMAL))
    assert (ticket.id, ticket.python, ticket.kind, ticket.import_roots) == ("TCK-1", "3.11", Kind.PYTHON, (".",))
    assert ticket.workspace == workspace.resolve()
    assert [(claim.id, claim.text) for claim in ticket.claims] == [("C1", "thing() returns 1.")]


def test_a_file_elsewhere_names_its_workspace_relative_to_itself(workspace, tmp_path):
    path = written(tmp_path, json.dumps(FIELDS | {"workspace": "workspace"}), "elsewhere.json")
    assert load_ticket(path).workspace == workspace.resolve()


@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b"---\n", b"# a comment\r\n"])
def test_a_byte_order_mark_a_document_start_and_windows_line_ends_are_fine(workspace, prefix):
    ticket = load_ticket(written(workspace, prefix + MINIMAL.replace("\n", "\r\n").encode()))
    assert ticket.claims[0].text == "thing() returns 1."


def test_the_python_versions_of_tickets_are_those_of_sandbox_images():
    assert set(PYTHON_VERSIONS) == set(SUITES)


def test_claims_without_an_id_are_called_by_position_and_never_clash(make_ticket):
    claims = ["one", {"id": "C1", "text": "two"}, "three", {"id": "C4", "text": "four"}]
    ticket = load_ticket(make_ticket(claims=claims))
    assert [claim.id for claim in ticket.claims] == ["C5", "C1", "C3", "C4"]


def test_a_property_is_read_whole(make_ticket):
    stated = {"given": {"n": "int"}, "assume": "n > 0", "check": "thing() <= n"}
    claim = load_ticket(make_ticket(claims=[{"text": "t", "property": stated, "examples": ["thing() == 1"]}])).claims[0]
    assert dataclasses.asdict(claim.property) == stated
    assert claim.examples == ("thing() == 1",)


def test_examples_of_a_program_are_commands_with_their_output(make_ticket):
    examples = ["thing.py add 2 3 -> 5", "thing.py --bad exits 2", "$ thing.py\nhello"]
    (claim,) = load_ticket(make_ticket(kind="cli", claims=[{"text": "It adds.", "examples": examples}])).claims
    assert claim.examples == tuple(examples)
    with pytest.raises(TicketInvalid, match=r"expected a command with its output, such as 'python tool\.py"):
        load_ticket(make_ticket(kind="cli", claims=[{"text": "It adds.", "examples": ["thing.py add 2 3"]}]))


def test_a_field_left_empty_counts_as_left_out(workspace):
    assert load_ticket(written(workspace, MINIMAL + "labels:\nprevious: ~\n")).labels == ()


def test_all_faults_are_said_at_once_each_with_field_line_got_and_expected(workspace):
    text = "id: bad id\ntitle: 42\nworkspce: .\nimplementation_files: thing.py\nclaims:\n  - ''\nkind: rust\n"
    said = problems_of(written(workspace, text))
    assert "id (line 1): got 'bad id', expected" in said
    assert "title (line 2): got '42' (a number), expected" in said
    assert "workspce (line 3): unknown field, did you mean workspace?" in said
    assert "implementation_files (line 4): got 'thing.py', expected a list" in said
    assert "claims[0].text (line 6): got '', expected some text" in said
    assert "kind (line 7): got 'rust', expected 'python' or 'cli'" in said
    assert "verification_script: missing" in said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"id": "-x"}, "id"),
        ({"title": " "}, "title"),
        ({"title": "a\x1b[31mb"}, "control character U+001B"),
        ({"claims": []}, "claims"),
        ({"claims": [5]}, "claims[0] (line 1): got '5' (a number), expected a sentence"),
        ({"claims": [{"Returns": "x"}]}, "needs quotes"),
        ({"claims": ["REPLACE ME: a sentence"]}, "placeholder"),
        ({"implementation_files": ["/etc/passwd"]}, "not an absolute one"),
        ({"implementation_files": ["../thing.py"]}, "without '..'"),
        ({"implementation_files": ["a\\b.py"]}, "forward slashes"),
        ({"implementation_files": ["a\0b"]}, "without NUL"),
        ({"implementation_files": ["absent.py"]}, "expected an existing file"),
        ({"implementation_files": ["."]}, "directory"),
        ({"implementation_files": ["verify.sh"]}, "no .py file"),
        ({"verification_script": "gone.sh"}, "expected an existing file"),
        ({"previous": "gone.py"}, "expected an existing file"),
        ({"import_roots": ["lib"]}, "expected a directory"),
        ({"workspace": "nowhere"}, "does not exist"),
        ({"workspace": "thing.py"}, "is no directory"),
        ({"workspace": "x" * 5000}, "does not exist"),
        ({"include": ["../*.csv"]}, "without '..'"),
        ({"include": ["!secret.csv"]}, "a glob of files to add"),
        ({"workspace": ""}, "a directory, relative to the ticket file"),
        ({"implementation_files": ["x" * 300 + ".py"]}, "expected an existing file"),
        ({"references": ["https://[::1"]}, "references[0]"),
        ({"references": ["https://a b"]}, "references[0]"),
        ({"requirements": [f"!! --hash=sha256:{DIGEST}"]}, "requirements[0]"),
        (
            {"claims": [{"text": "t", "property": {"given": {"n": "int"}, "check": "n", "zzz": "x"}}]},
            "given, check, assume",
        ),
        ({"zzz": 1}, "expected one of id, title"),
        ({"python": True}, "a Python version"),
        ({"python": "3.12"}, "got '3.12', expected a Python version that there is a sandbox image for"),
        ({"python": "2.7"}, "'3.11' or '3.13'"),
        (
            {"kind": "cli", "claims": [{"text": "t", "same_as": {"f": "sum"}}]},
            "with 'f', expected `run`, or `examples` of runs",
        ),
        (
            {"claims": [{"text": "t", "run": "x.py", "exit": 0}]},
            "'x.py', expected none: only a ticket with `kind: cli`",
        ),
        ({"labels": ["two words"]}, "labels[0]"),
        ({"references": ["ftp://example.com"]}, "references[0]"),
        ({"references": ["https://user:secret@example.com"]}, "user name or password"),
        ({"requirements": ["requests==2.0"]}, "--hash=sha256"),
        ({"requirements": [f"requests>=2 --hash=sha256:{DIGEST}"]}, "one exact version"),
        ({"requirements": [f"requests==2.0 --hash=sha256:{DIGEST} --index-url=x"]}, "--hash=sha256"),
    ],
)
def test_a_faulty_field_is_named_with_what_was_expected(make_ticket, fields, said):
    assert said in problems_of(make_ticket(**fields))


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("f(1", "was never closed at line 1, column 2"),
        ("f(1) -> 2", "write f(1) == 2"),
        ("f(1 raises ValueError", "was never closed"),
        ("f(1) => 2", "write f(1) == 2"),
        ("f(1) -> ValueError", "write f(1) raises ValueError"),
        ("assert f(1) == 2", "without 'assert'"),
        ("def g(n) -> int: return n\nassert f(g) == 2", "what takes several statements is a `>>>` session"),
        (">>> f(1)", "expected a `>>>` session with what it shows below"),
        (">>>f(1)\n1", "expected a `>>>` session with what it shows below, or an `assert`: "),
        ("", "a Python expression"),
        ("(" * 5000 + ")" * 5000, "Python expression"),
        ("-" * 9_999 + "1", "nested so deeply"),
        ("1+" * 6000 + "1", "at most 10,000 characters"),
    ],
)
def test_an_example_must_be_an_expression(make_ticket, example, said):
    assert said in problems_of(make_ticket(claims=[{"text": "t", "examples": [example]}]))


def test_an_example_may_raise_and_a_session_may_assert(make_ticket):
    written = [
        "f('') raises ValueError",
        "pkg.f(1)\nraises pkg.errors.Wrong",
        ">>> with pytest.raises(E):\n...     f(1)",
        ">>> assert f(2) == 4",
    ]
    assert load_ticket(make_ticket(claims=[{"text": "t", "examples": written}])).claims[0].examples == tuple(written)


def test_a_claim_id_that_occurs_twice_names_both_even_beside_other_faults(make_ticket):
    said = problems_of(make_ticket(title=None, claims=[{"id": "C1", "text": "a"}, {"id": "C1", "text": "b"}]))
    assert "claims[1].id" in said
    assert "which claims[0] has already" in said
    assert "title: missing" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINIMAL + "title: again\n", "title (line 2): is given twice, in lines 2 and 7"),
        ("a: &x [1]\nb: *x\n", "anchor"),
        ("b: *x\n", "alias"),
        ("id: !!python/object/apply:os.system ['true']\n", "got the tag"),
        ("[" * 100_000, "nesting"),
        ("id: a\n---\nid: b\n", "second document"),
        ("id: [\n", "line 2"),
        ("id: 'a\tb\n\x01'", "expected YAML"),
        ("", "a mapping with the fields of a ticket"),
        ("- a\n- b\n", "got a list of 2"),
        ("? [a]\n: b\n", "list or mapping as a name"),
        (b"id: \xff\n", "0xff, expected UTF-8"),
        (b"\xff\xfei\0d\0", "expected UTF-8"),
        (b"id: a\0b\n", "NUL"),
        (b"# " + b"x" * 1_000_000, "at most 1,000,000"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_yaml_that_no_ticket_needs_is_refused(workspace, text, said):
    assert said in problems_of(written(workspace, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "id": "b"}', "id: is given more than once"),
        ('{"id": }', "line 1, column 8"),
        ("[" * 100_000, "nesting"),
        ("[" * 50 + "]" * 50, "nesting"),
        ('{"title": NaN}', "title: got 'NaN' (a number)"),
        ('{"title": true}', "title: got 'true' (a truth value)"),
        ('{"python": 3.10, "title": "\\ud800"}', "U+D800"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_faulty_json_is_refused(workspace, text, said):
    assert said in problems_of(written(workspace, text, "ticket.json"))


def test_json_lines_hold_one_ticket_each(workspace):
    lines = [json.dumps(FIELDS | {"id": name}) for name in ("A", "B")]
    path = written(workspace, "\n".join([lines[0], "", lines[1], ""]), "batch.jsonl")
    assert [(ticket.id, ticket.source) for ticket in each_ticket(path)] == [("A", f"{path}:1"), ("B", f"{path}:3")]


def test_a_faulty_line_is_named_with_its_number(workspace):
    path = written(workspace, json.dumps(FIELDS) + "\n{broken\n", "batch.jsonl")
    with pytest.raises(TicketInvalid, match=r"batch\.jsonl:2") as caught:
        load_ticket(path)
    assert "line 2, column 2" in str(caught.value)


def test_the_faults_of_all_tickets_of_a_batch_are_said_together(workspace):
    path = written(workspace, '{"id": "A"}\n{"id": "B"}\n', "batch.jsonl")
    with pytest.raises(TicketInvalid) as caught:
        load_ticket(path)
    assert {problem.split(": ")[0] for problem in caught.value.problems} == {f"{path}:1", f"{path}:2"}


TWO = "\n".join(json.dumps(FIELDS | {"id": name}) for name in "AB")


@pytest.mark.parametrize(
    ("name", "text", "error", "said"),
    [
        ("batch.jsonl", "\n\n", TicketNotFound, "got no line with a ticket"),
        ("batch.jsonl", TWO, UsageError, r"got 2 tickets \(A, B\), expected one"),
        ("ticket.txt", MINIMAL, UsageError, r"expected \.yaml"),
    ],
)
def test_what_is_not_one_ticket_is_told(workspace, name, text, error, said):
    with pytest.raises(error, match=said):
        load_ticket(written(workspace, text, name))


def test_a_directory_of_directories_is_a_batch_but_not_one_ticket(workspace, tmp_path):
    written(workspace, MINIMAL)
    assert [ticket.id for ticket in each_ticket(tmp_path)] == ["TCK-1"]
    with pytest.raises(TicketNotFound, match=r"no ticket\.yaml"):
        load_ticket(tmp_path)


def test_a_path_that_is_not_utf8_is_refused_by_name_and_hides_no_other_ticket(workspace, tmp_path):
    written(workspace, MINIMAL)
    odd = Path(os.fsdecode(os.fsencode(tmp_path / "tickets") + b"/caf\xe9"))
    odd.parent.mkdir()
    workspace.rename(odd)
    with pytest.raises(UsageError, match="is not UTF-8"):
        load_ticket(odd)
    (refused,) = each_ticket(odd.parent)
    assert isinstance(refused, TicketInvalid)
    assert str(refused).encode(), "a record of it can be written"
    assert "rename it" in str(refused)


def test_what_stands_in_a_ticket_file_s_place_is_named(tmp_path):
    (tmp_path / "ticket.yaml").mkdir()
    with pytest.raises(TicketNotFound, match=r"ticket\.yaml is there, and is no regular file"):
        load_ticket(tmp_path)


def test_two_ticket_files_in_one_directory_are_ambiguous(workspace):
    written(workspace, MINIMAL)
    written(workspace, "{}", "ticket.json")
    with pytest.raises(UsageError, match="expected one of them"):
        load_ticket(workspace)


def test_a_placeholder_of_the_terminal_never_appears_raw_in_a_message(workspace):
    said = problems_of(written(workspace, json.dumps(FIELDS | {"id": "\x1b[2J\u202e"}), "ticket.json"))
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_pipe_is_no_ticket_and_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "ticket.yaml")
    with pytest.raises(TicketNotFound):
        load_ticket(tmp_path)
    with pytest.raises(TicketNotFound, match="no regular file"):
        load_ticket(tmp_path / "ticket.yaml")


def test_a_batch_that_is_too_large_is_refused_before_it_is_parsed(workspace, monkeypatch):
    monkeypatch.setattr(sources, "_MAX_LINES_BYTES", 10)
    with pytest.raises(TicketInvalid, match="expected at most 10"):
        load_ticket(written(workspace, json.dumps(FIELDS), "batch.jsonl"))


def test_a_tree_without_end_is_not_searched_for_tickets(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MAX_SEARCHED_DIRECTORIES", 3)
    for number in range(5):
        (tmp_path / str(number)).mkdir()
    with pytest.raises(UsageError, match="more than 3 directories"):
        list(each_ticket(tmp_path))


def test_a_ticket_that_cannot_be_read_is_said(workspace, monkeypatch):
    path = written(workspace, MINIMAL)

    def denied(*_arguments: object) -> None:  # root, as which CI runs, reads everything
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UsageError, match="cannot be read"):
        load_ticket(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        "".join(f"k{number}: 1\n" for number in range(40_000)),
        "labels: [" + "1," * 60_000 + "]",
        'requirements: ["' + " " * 900_000 + '"]',
        json.dumps({"claims": [{"text": "t", "examples": [" " * 9_000 + "->" + " " * 900] * 50}]}),
        '{"' + '": 1, "'.join(["x"] * 50_000) + '": 1}',
        json.dumps({"id": "x" * 900_000, "title": "\u202e" * 100_000}),
    ],
    ids=["unknown fields", "wrong entries", "blanks", "almost arrows", "repeated keys", "long texts"],
)
def test_a_hostile_document_costs_little(workspace, document):
    path = written(workspace, document, "ticket.json" if document.startswith("{") else "ticket.yaml")
    started = time.process_time()
    with pytest.raises(TicketInvalid) as caught:
        load_ticket(path)
    assert time.process_time() - started < 10
    assert len(caught.value.problems) <= 120
    assert len(str(caught.value)) < 100_000


@pytest.mark.parametrize("first_line", ["#!/bin/bash -eu", "#!/usr/bin/env -S A=b bash -x", "#!/usr/bin/env python3"])
def test_a_script_for_a_shell_or_python_is_taken(workspace, make_ticket, first_line):
    (workspace / "verify.sh").write_text(f"{first_line}\ntrue\n")
    assert load_ticket(make_ticket()).verification_script == "verify.sh"


@pytest.mark.parametrize(
    ("first_line", "name"),
    [("#!/usr/bin/perl -w", "perl"), ("\ufeff#!/usr/bin/env -S ruby -x", "ruby"), ("#!/usr/bin/make -f\r", "make")],
)
def test_a_script_for_another_interpreter_is_refused(workspace, make_ticket, first_line, name):
    (workspace / "verify.sh").write_text(f"{first_line}\ntrue\n")
    with pytest.raises(TicketInvalid, match=f"a script for '{name}' by its first line, expected bash, sh or python"):
        load_ticket(make_ticket())


def test_the_fields_of_a_claim_are_read(make_ticket, workspace):
    (workspace / "old").mkdir()
    stated = {"same_as": {"fast_sum": "math.fsum"}, "unchanged": {"thing": "n > 0", "other": ""}}
    raises = {"ValueError": ["thing('')", {"call": "thing(None)"}]}
    raises |= {"KeyError": {"given": {"n": "int"}, "assume": "n < 0", "call": "thing(n)"}}
    stated |= {"text": "It is right.", "raises": raises}
    (claim,) = load_ticket(make_ticket(claims=[stated], base="old")).claims
    assert [(one.error, one.call, one.given, one.assume) for one in claim.raises] == [
        ("ValueError", "thing('')", {}, None),
        ("ValueError", "thing(None)", {}, None),
        ("KeyError", "thing(n)", {"n": "int"}, "n < 0"),
    ]
    assert (claim.same_as, claim.unchanged) == (stated["same_as"], stated["unchanged"])
    assert claim.code() == ("thing('')", "thing(None)", "thing(n)", "fast_sum", "thing", "other")


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"raises": {"Value Error": "f()"}}, "got 'Value Error', expected a name such as"),
        ({"raises": {"ValueError": {"given": {"n": "int"}}}}, "missing, expected a Python expression that raises"),
        ({"raises": {"ValueError": {"call": "f(", "cal": "f()"}}}, "unknown field, did you mean call?"),
        ({"raises": {"ValueError": []}}, "got an empty list, expected at least one entry"),
        ({"raises": {"ValueError": ["f()", 7]}}, "raises.ValueError[1] (line"),
        ({"raises": ["f()"]}, "got a list of 1, expected a mapping of error to call"),
        ({"same_as": {"f": 3}}, "expected text: write it in quotes"),
        ({"same_as": ["sum"]}, "got a list of 1, expected a mapping of function to function"),
        ({"unchanged": "f"}, "got 'f', expected a list of functions, or a mapping of each to a condition"),
        ({"unchanged": ["f()"]}, "got 'f()', expected a name such as parse"),
        ({"unchanged": [3]}, "expected a list of functions"),
        ({"unchanged": {"f": "n >"}}, "got 'n >', expected a Python expression"),
        ({"property": {"given": {}, "check": "True"}}, "a mapping of variable name"),
        ({"property": {"given": {"1n": "int"}, "check": "True"}}, "claims[0].property.given.1n"),
        ({"property": {"given": {"n": "list["}, "check": "True"}}, "claims[0].property.given.n"),
        ({"property": {"given": {"n": "int"}, "assume": "n >", "check": "True"}}, "claims[0].property.assume"),
        ({"property": {"given": {"n": "int"}, "check": "x = 1"}}, "claims[0].property.check"),
        ({"unchanged": ["f"]}, "expected it beside `base` or `previous`, the version to compare with"),
    ],
)
def test_what_is_wrong_with_a_field_of_a_claim_is_told(make_ticket, stated, told):
    assert told in problems_of(make_ticket(claims=[{"text": "It is right.", **stated}]))


def test_the_run_of_a_program_is_read_whole(make_ticket):
    stated = {
        "text": "It adds.",
        "run": "N=1 thing.py 'a b' \"c\" \\*",
        "stdin": "1\n",
        "exit": "nonzero",
        "stdout": "5",
    }
    stated |= {"stderr": {"contains": "oh"}}
    stated |= {"files": {"before": {"./in.txt": "x"}, "after": {"out.txt": {"contains": ["y", "z"]}}}}
    (claim,) = load_ticket(make_ticket(kind="cli", claims=[stated])).claims
    assert claim.run == Run(
        words=("N=1", "thing.py", "a b", "c", "*"),
        stdin="1\n",
        files={"in.txt": "x"},
        fails=True,
        stdout=Text(exact="5"),
        stderr=Text(contains=("oh",)),
        files_after={"out.txt": Text(contains=("y", "z"))},
    )
    given = "N=1 thing.py 'a b' c '*' with stdin '1\\n', in.txt 'x'"
    ends = "exit not 0, stdout '5', stderr contains 'oh', out.txt contains 'y', out.txt contains 'z'"
    assert claim.code() == (f"{given}: {ends}",)


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"run": "a.py | sort", "exit": 0}, "'|' needs a shell, and none is used: quote it, or give `stdin`"),
        ({"run": "a.py *.txt", "exit": 0}, "'*' needs a shell"),
        ({"run": 'a.py "$HOME"', "exit": 0}, "'$H' needs a shell"),
        ({"run": "a.py 'x", "exit": 0}, 'the quote at "\'x" is not closed'),
        ({"run": "a.py REPLACE ME", "exit": 0}, "is still the scaffold's placeholder"),
        ({"run": "a.py", "stdout": "REPLACE ME"}, "claims[0].stdout (line 1): is still the scaffold's placeholder"),
        ({"run": [], "exit": 0}, "expected a program with its arguments, such as 'tool.py add 2 3'"),
        ({"run": "a.py"}, "expected it beside what it does: `exit`, `stdout`"),
        ({"run": "a.py", "stdout": {}}, "expected it beside what it does"),
        ({"stdout": "5"}, "expected it beside `run`, the command that does it"),
        ({"run": "a.py", "exit": 256}, "got '256' (a number), expected an exit code from 0 to 255, or nonzero"),
        ({"run": "a.py", "stdout": 5}, "got '5' (a number), expected the exact text in quotes, or {contains"),
        ({"run": "a.py", "stdout": {"contain": "x"}}, "unknown field, did you mean contains?"),
        ({"run": "a.py", "files": {"befor": {}}}, "unknown field, did you mean before?"),
        ({"run": "a.py", "files": {"after": {"../x": "y"}}}, "a path that stays inside the workspace"),
    ],
)
def test_what_is_wrong_with_a_run_is_told(make_ticket, stated, told):
    assert told in problems_of(make_ticket(kind="cli", claims=[{"text": "It is right.", **stated}]))
