"""A small ticket, verified: its snapshot in a store, an outcome of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refute.governance.gate import GateDocument, gate_document
from refute.governance.policy import LoadedPolicy
from refute.outcome import Outcome, Status
from refute.ports import Ports
from refute.settings import Settings
from refute.stages.admission import take_snapshot
from refute.ticket.parse import load_ticket
from refute.ticket.record import Ticket
from tests.fakes.outcomes import CLAIM, fake_outcome

CODE = "import os\n\n\ndef answer():\n    return 42 if os.getuid() else 0\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=tmp_path / "state")


@pytest.fixture
def ticket(tmp_path: Path) -> Ticket:
    home = tmp_path / "ticket"
    home.mkdir()
    files = {
        "answer.py": CODE,
        "verify.sh": "python -c 'import answer'\n",
        "ticket.yaml": "id: T-1\ntitle: t\nimplementation_files: [answer.py]\nverification_script: verify.sh\n"
        "claims: [The user gets 42.]\nlabels: [security-relevant]\n",
    }
    for name, text in files.items():
        (home / name).write_text(text)
    return load_ticket(home)


@pytest.fixture
def made(ticket: Ticket, settings: Settings) -> Callable[..., GateDocument]:
    """Makes the gate's document of an outcome with these fields."""
    digest = take_snapshot(Ports(settings, "run-1"), ticket).digest

    def make(policy: LoadedPolicy | None = None, **fields: Any) -> GateDocument:
        outcome: Outcome = fake_outcome(**{"status": Status.PASS, "claims": (CLAIM,), **fields})
        outcome = replace(outcome, provenance=replace(outcome.provenance, snapshot_digest=digest))
        return gate_document(ticket, outcome, policy or LoadedPolicy(), settings)

    return make
