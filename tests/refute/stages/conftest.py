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


def written_ticket(folder: Path, *, code: str, claims: Sequence[Any], script: str = "true\n", more: str = "") -> Ticket:
    """A ticket with `more` fields, about `impl.py`."""
    folder.mkdir(exist_ok=True)
    (folder / "impl.py").write_text(code)
    (folder / "verify.sh").write_text(script)
    (folder / "ticket.yaml").write_text(
        "id: T-1\ntitle: t\nimplementation_files: [impl.py]\nverification_script: verify.sh\n"
        f"claims: {json.dumps(claims)}\n{more}\n"
    )
    return load_ticket(folder)


def ports_and_ticket(
    folder: Path, sandbox: object, *, code: str, claims: Sequence[Any], more: str = "", **options: Any
) -> tuple[Ports, Ticket]:
    """Write the ticket; its jobs are run by `sandbox`. Options are settings."""
    ticket = written_ticket(folder, code=code, claims=claims, more=more)
    places = {"state_dir": folder / "state", "audit_path": folder / "audit.jsonl"}
    return ports_of(sandbox, **(places | options)), ticket


def ports_of(sandbox: object, **options: Any) -> Ports:
    """Effects of a run with an image that nobody looks for. Options are settings."""
    ports = Ports(Settings.load(**options), "run")
    ports.__dict__["sandbox"] = sandbox
    ports._images["3.11"] = SimpleNamespace(id="sha256:1")  # type: ignore[assignment]
    return ports
