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
