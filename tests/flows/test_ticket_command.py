"""`refute ticket lint` from the command line: which claims nothing can execute, and what to paste."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flows.commands.ticket import ticket
from refute.errors import TicketInvalid
from tests.fakes.tickets import write_ticket

CHECK = {"given": {"n": "int"}, "check": "parse(str(n)) == int(str(n))"}
"""Independent evidence."""


def _lint(folder: Path, *claims: object, options: tuple[str, ...] = ()) -> Result:
    code = "def parse(text):\n    return int(text)\n"
    write_ticket(folder, {"thing.py": code}, "python -c 'import thing'\n", claims=list(claims))
    return CliRunner().invoke(ticket, ["lint", str(folder), *options], standalone_mode=False)


def test_a_claim_without_a_field_is_named_with_the_one_that_suits_and_exits_1(tmp_path):
    result = _lint(
        tmp_path, "parse() raises ValueError for no number.", {"text": "It reads numbers.", "property": CHECK}
    )
    assert result.output == 'C1 has no executable field; add  raises: {ValueError: "parse(...)"}\n'
    assert result.return_value == 1


def test_a_ticket_whose_claims_can_all_be_executed_exits_0(tmp_path):
    result = _lint(tmp_path, {"text": "parse() reads numbers.", "property": CHECK})
    assert (result.stdout, result.return_value) == ("", 0)
    assert result.stderr == f"Every claim can be executed. Next: refute verify {tmp_path}\n"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"examples": ["parse('1') == 1"]}, "it has only examples"),
        ({"property": {"given": {"s": "st.just('1')"}, "check": "parse(s) == int(s)"}}, "draws s by a strategy"),
    ],
)
def test_a_claim_that_only_its_author_s_tests_attack_is_told_with_the_reason_and_exits_0(tmp_path, fields, reason):
    result = _lint(tmp_path, {"text": "parse() gives numbers, and ValueError for words.", **fields})
    assert result.stdout.startswith("C1 can be refuted, and stays PASS_WEAK without tests by a model: ")
    assert (reason in result.stdout, result.return_value) == (True, 0)


def test_a_claim_whose_field_makes_no_test_is_told_with_the_reason_and_exits_1(tmp_path):
    result = _lint(tmp_path, {"text": "It reads numbers.", "examples": ["nowhere('1') == 1"]})
    assert result.output.startswith("C1 is not tested: the example \"nowhere('1') == 1\" uses `nowhere`")
    assert result.return_value == 1


def test_as_json_for_programs(tmp_path):
    result = _lint(tmp_path, "parse() gives numbers.", options=("--format", "json"))
    expected = {
        "claim_id": "C1",
        "field": "property",
        "template": 'property: {given: {text: ...}, check: "parse(text) == ..."}',
    }
    assert (json.loads(result.output), result.return_value) == ([expected], 1)


def test_a_ticket_that_is_wrong_is_refused(tmp_path):
    assert isinstance(_lint(tmp_path, {"text": "t", "raises": 3}).exception, TicketInvalid)
