"""A gate's policy: read with every fault told, and never a way to make a run weaker."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from refute.adversary.strength.record import Strength
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewVerdict
from refute.errors import SettingsInvalid, TicketInvalid
from refute.governance.policy import Policy, breaches, load_policy, tightened
from refute.governance.ticketless import write_ticket
from refute.outcome import Provenance
from refute.settings import Settings
from refute.settings_fields import AttackPolicy
from refute.ticket.parse import load_ticket
from tests.fakes.outcomes import fake_outcome, fake_test


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    return path


def test_every_fault_of_a_policy_is_told_at_once(tmp_path):
    path = written(tmp_path, "requir_tester: gemini\nstrength_floor: high\nno_network: 1\ncritics: [style]\n")
    with pytest.raises(SettingsInvalid) as caught:
        load_policy(path)
    told = str(caught.value)
    assert "requir_tester: no field has this name, did you mean require_tester?" in told
    assert all(f"{name}: got" in told for name in ("strength_floor", "no_network", "critics.0"))


@pytest.mark.parametrize("text", ["", "- a list\n", "a: b: c\n", "strength_floor: 1.5\n", "schema_version: 2\n"])
def test_what_is_no_policy_is_refused(tmp_path, text):
    with pytest.raises(SettingsInvalid, match=r"policy .*policy\.yaml"):
        load_policy(written(tmp_path, text))


def test_a_policy_tightens_settings_and_never_loosens_them(ticket):
    strict = Settings(strength_floor=0.9, max_cost_usd=Decimal("0.10"), attack_policy=AttackPolicy.MANDATORY)
    weak = Policy(strength_floor=0.5, max_cost_usd=Decimal(5), critics=(Focus.SECURITY,))
    found = tightened(strict, weak, ticket)
    assert (found.strength_floor, found.max_cost_usd) == (0.9, Decimal("0.10"))
    assert found.attack_policy is AttackPolicy.MANDATORY
    assert set(found.critics.focus_areas) == {Focus.CORRECTNESS, Focus.SPEC_COMPLIANCE, Focus.SECURITY}
    assert tightened(Settings(), Policy(strength_floor=0.8), ticket).strength_floor == 0.8


def test_a_label_of_the_policy_has_its_tickets_attacked(ticket):
    lax = Settings(attack_policy=AttackPolicy.LABEL)
    assert tightened(lax, Policy(attack_labels=("security-relevant",)), ticket).attack_policy is AttackPolicy.MANDATORY
    assert tightened(lax, Policy(attack_labels=("other",)), ticket).attack_policy is AttackPolicy.LABEL


TEST = fake_test()
STRENGTH = Strength(n=10, killed=9, killed_by_claims_only=9, low=0.7, high=0.95, floor=0.6, drawn=10)
REVIEW = Review(critic_id="security-1", focus=Focus.SECURITY, verdict=ReviewVerdict.PASS)
NETWORK = Provenance(refute_version="0", tester="gemini", allowed_hosts=("example.org",))
CASES = [
    ("require_tester", "gemini", {"tests": (TEST,)}, {"tests": (replace(TEST, tester="replay"),)}),
    ("require_tester", "gemini", {"tests": (TEST,)}, {"tests": (replace(TEST, verdict=None),)}),
    ("strength_floor", 0.7, {"strength": STRENGTH}, {"strength": replace(STRENGTH, low=0.69)}),
    ("strength_floor", 0.7, {"strength": STRENGTH}, {"strength": None}),
    ("critics", (Focus.SECURITY,), {"reviews": (REVIEW,)}, {"reviews": ()}),
    (
        "critics",
        (Focus.SECURITY,),
        {"reviews": (REVIEW,)},
        {"reviews": (replace(REVIEW, verdict=ReviewVerdict.UNAVAILABLE),)},
    ),
    ("no_network", True, {}, {"provenance": NETWORK}),
    ("max_cost_usd", Decimal("0.20"), {"cost_usd": Decimal("0.20")}, {"cost_usd": Decimal("0.21")}),
    ("max_cost_usd", Decimal("0.20"), {"cost_usd": Decimal(0)}, {"cost_usd": None}),
]


@pytest.mark.parametrize(("field", "value", "meets", "breaks"), CASES)
def test_each_requirement_is_met_or_told_as_not_met(field, value, meets, breaks):
    policy = Policy(**{field: value})
    assert breaches(policy, fake_outcome(**meets), ()) == ()
    assert [one.field for one in breaches(policy, fake_outcome(**breaks), ())] == [field]


def test_what_is_named_becomes_a_ticket_of_the_working_directory(ticket, settings, monkeypatch):
    monkeypatch.chdir(ticket.workspace)
    claims = ["It is: 42.", {"id": "K", "text": "It is whole.", "examples": ["answer() == 42"]}]
    made = load_ticket(write_ticket(settings, ["answer.py"], claims, ticket.workspace / "verify.sh"))
    assert (made.id, made.workspace) == ("answer", ticket.workspace)
    assert [(claim.id, claim.text) for claim in made.claims] == [("C1", "It is: 42."), ("K", "It is whole.")]
    assert made.verification_script == "verify.sh"


@pytest.mark.parametrize(
    ("files", "claims", "told"),
    [
        ([], ["c"], "implementation_files: got an empty list"),
        (["answer.py"], [], "claims: got an empty list"),
        (["../x.py"], ["c"], "stays inside the workspace"),
        (["/etc/passwd"], ["c"], "stays inside the workspace"),
    ],
)
def test_what_cannot_be_verified_is_refused_as_in_a_ticket_file(ticket, settings, files, claims, told):
    path = write_ticket(settings, files, claims, "verify.sh", workspace=ticket.workspace)
    with pytest.raises(TicketInvalid, match=told):
        load_ticket(path)
