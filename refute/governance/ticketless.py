"""A ticket for callers that have none: files, claims and script become a ticket file in the state directory."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from refute.errors import InfrastructureError
from refute.settings import Settings

Claim = str | Mapping[str, Any]
"""A sentence, or a claim's fields as in ticket.yaml (text, examples, property)."""


def write_ticket(  # noqa: PLR0913  # the fields of a ticket
    settings: Settings,
    implementation_files: Sequence[Path | str],
    claims: Sequence[Claim],
    verification_script: Path | str,
    *,
    workspace: Path | None = None,
    ticket_id: str | None = None,
    labels: Sequence[str] = (),
) -> Path:
    """Write the ticket and return its path; `load_ticket` says what is wrong with it.

    Args:
        settings: name the state directory.
        implementation_files: paths, relative to the workspace or absolute inside it.
        claims: what is claimed of them.
        verification_script: a path as above.
        workspace: directory that holds the files; None is the working directory.
        ticket_id: None makes one of the first file's name.
        labels: of the ticket.

    Raises:
        InfrastructureError: the ticket cannot be written.
    """
    home = (workspace or Path()).resolve()
    files = [_relative(home, file) for file in implementation_files]
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(files[0]).stem if files else "").strip("-._")[:60]
    fields = {
        "id": ticket_id or slug or "ticket",
        "title": f"{', '.join(files)} (without a ticket)",
        "workspace": str(home),
        "implementation_files": files,
        "verification_script": _relative(home, verification_script),
        "claims": [claim if isinstance(claim, str) else dict(claim) for claim in claims],
        "labels": list(labels),
    }
    text = json.dumps(fields, indent=2, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = settings.state_dir / "tickets" / f"{digest}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _relative(home: Path, path: Path | str) -> str:
    """The path as a ticket names it; one outside the workspace begins with `..`, which `load_ticket` refuses."""
    return Path(os.path.relpath(home / path, home)).as_posix()
