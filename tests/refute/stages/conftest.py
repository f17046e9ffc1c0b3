"""A ticket about `impl.py` in a folder, and the effects of a run of it that asks no engine."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from refute.ports import Ports
from refute.settings import Settings
from refute.ticket.parse import load_ticket
from refute.ticket.record import Ticket


def ports_and_ticket(
    folder: Path, sandbox: object, *, code: str, claims: Sequence[Any], more: str = ""
) -> tuple[Ports, Ticket]:
    """Write the ticket, with `more` fields; its jobs are run by `sandbox`."""
    (folder / "impl.py").write_text(code)
    (folder / "verify.sh").write_text("true\n")
    (folder / "ticket.yaml").write_text(
        "id: T-1\ntitle: t\nimplementation_files: [impl.py]\nverification_script: verify.sh\n"
        f"claims: {json.dumps(claims)}\n{more}\n"
    )
    ports = Ports(Settings.load(state_dir=folder / "state", audit_path=folder / "audit.jsonl"), "run")
    ports.__dict__["sandbox"] = sandbox
    ports._images["3.11"] = SimpleNamespace(id="sha256:1")  # type: ignore[assignment]
    return ports, load_ticket(folder)
