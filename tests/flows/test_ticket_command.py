"""`refute ticket lint` from the command line: which claims nothing can execute, and what to paste."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from flows.commands.ticket import ticket
from refute.errors import TicketInvalid


def _lint(folder: Path, *claims: object, options: tuple[str, ...] = ()) -> Result:
    (folder / "thing.py").write_text("def parse(text):\n    return int(text)\n")
    (folder / "verify.sh").write_text("python -c 'import thing'\n")
    fields = {"id": "T-1", "title": "t", "implementation_files": ["thing.py"], "verification_script": "verify.sh"}
    (folder / "ticket.yaml").write_text(json.dumps({**fields, "claims": claims}))
    return CliRunner().invoke(ticket, ["lint", str(folder), *options], standalone_mode=False)


def test_a_claim_without_a_field_is_named_with_the_one_that_suits_and_exits_1(tmp_path: Path) -> None:
    result = _lint(tmp_path, "parse() raises ValueError for no number.", "parse('1') == 1")
    assert result.output == 'C1 has no executable field; add  raises: {ValueError: "parse(...)"}\n'
    assert result.return_value == 1


def test_a_ticket_whose_claims_can_all_be_executed_exits_0(tmp_path: Path) -> None:
    result = _lint(tmp_path, {"text": "It refuses words.", "raises": {"ValueError": "parse('a')"}})
    assert (result.output, result.return_value) == ("", 0)


def test_as_json_for_programs(tmp_path: Path) -> None:
    result = _lint(tmp_path, "parse() gives numbers.", options=("--format", "json"))
    expected = {
        "claim_id": "C1",
        "field": "property",
        "template": 'property: {given: {text: ...}, check: "parse(text) == ..."}',
    }
    assert (json.loads(result.output), result.return_value) == ([expected], 1)


def test_a_ticket_that_is_wrong_is_refused(tmp_path: Path) -> None:
    assert isinstance(_lint(tmp_path, {"text": "t", "raises": 3}).exception, TicketInvalid)
