"""The sample tickets are sound as tickets; that each gets its verdict is shown on the real engine by the demo."""

from pathlib import Path

import pytest
import yaml

from refute.outcome import Status
from refute.settings import Settings
from refute.ticket.integration import find_mocked_integration
from refute.ticket.parse import each_ticket, load_ticket
from refute.ticket.rules import check_verification_script
from refute.ticket.snapshot import take_snapshot
from refute.ticket.store import SnapshotStore

SAMPLES = Path(__file__).resolve().parents[3] / "examples" / "tickets"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/ticket.yaml"))


def test_there_are_enough_and_each_is_called_like_its_directory() -> None:
    assert len(NAMES) >= 8
    assert [ticket.id for ticket in each_ticket(SAMPLES)] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_says_which_verdict_it_must_get(name: str) -> None:
    expected = yaml.safe_load((SAMPLES / name / "expected.yaml").read_text())
    assert expected.keys() - {"settings"} == {"status", "refuted", "why"}
    Settings(**expected.get("settings", {}))
    assert bool(expected["refuted"]) == (Status(expected["status"]) is Status.FAILED_ADVERSARIAL)
    assert set(expected["refuted"]) <= {claim.id for claim in load_ticket(SAMPLES / name).claims}


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_realistic_keeps_the_rules_unless_it_must_not_and_only_one_mocks_everything(name, tmp_path):
    ticket = load_ticket(SAMPLES / name)
    store = SnapshotStore(tmp_path)
    files = store.contents(take_snapshot(ticket, store=store, max_bytes=100_000, max_files=20))
    code = sum(files[path].count(b"\n") for path in ticket.implementation_files)
    assert 40 <= code <= 150
    breaches = check_verification_script(ticket, files)
    assert bool(breaches) == (name == "log-rotation-dangerous"), breaches
    exposed = {evidence.claim_id for evidence in find_mocked_integration(ticket, files)}
    assert exposed == ({"C2"} if name == "release-notes-mocked" else set())
