import pytest

from refute.outcome import ClaimResult, ClaimVerdict
from refute.stages.evidence import Triage
from refute.stages.false_claims import expose_false_claims
from refute.ticket.record import Ticket
from tests.fakes.tickets import fake_ticket

FILES = {
    "verify.sh": b"python -m pytest -q test_tool.py\n",
    "tool.py": b"import subprocess\n\ndef version():\n    return subprocess.run(['git', '--version'])\n",
    "test_tool.py": b"from unittest.mock import patch\nimport tool\n\ndef test_version():\n"
    b"    with patch('tool.subprocess.run') as run:\n        assert tool.version() is run.return_value\n",
}


def ticket(*texts: str) -> Ticket:
    return fake_ticket(*texts, implementation_files=("tool.py",))


def triage(one: Ticket) -> Triage:
    results = tuple(
        ClaimResult(claim_id=claim.id, text=claim.text, verdict=ClaimVerdict.UNTESTED, reason="")
        for claim in one.claims
    )
    return Triage(claims=results)


def test_a_claim_whose_tests_mock_the_integration_is_refuted_by_them():
    one = ticket("version() is integration tested with the real git.", "version() returns what git says.")
    exposed = expose_false_claims(triage(one), one, FILES)
    assert [claim.verdict for claim in exposed.claims] == [ClaimVerdict.REFUTED, ClaimVerdict.UNTESTED]
    (failure,) = exposed.failures
    assert failure.error_type == "FalseTestingClaim"
    assert "test_tool.py:5" in failure.error_message
    compile(failure.reproducer, "reproduce.py", "exec")


def test_other_claims_are_left_as_they_are():
    one = ticket("version() returns what git says.")
    before = triage(one)
    assert expose_false_claims(before, one, FILES) is before


def test_the_reproducer_shows_the_lines_that_python_numbers(tmp_path, monkeypatch, capsys):
    files = {**FILES, "test_tool.py": b'NOTE = """\x0c\xe2\x80\xa8"""\r\n' + FILES["test_tool.py"]}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    one = ticket("version() is integration tested with the real git.")
    (failure,) = expose_false_claims(triage(one), one, files).failures
    program = compile(failure.reproducer, "reproduce.py", "exec")
    (tmp_path / "elsewhere").mkdir()
    for place, code in ((tmp_path / "elsewhere", 2), (tmp_path, 1)):
        monkeypatch.chdir(place)
        with pytest.raises(SystemExit) as ended:
            exec(program, {})  # noqa: S102  # written by refute
        assert ended.value.code == code
    assert "test_tool.py:6: with patch('tool.subprocess.run') as run:" in capsys.readouterr().out
