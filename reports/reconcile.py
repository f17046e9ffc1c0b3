"""What differs between the ledger, which is the truth, and the records in Prefect's artifacts, which are its view."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from refute.guardrails.plain_text import printable
from refute.ledger.store import Ledger
from refute.wording import counted
from reports.artifacts import StoredRecords
from reports.frames import CHILDREN, Frames, frames_from_ledger, frames_from_outcomes
from reports.scope import Scope
from reports.sections import cut

SCHEMA_VERSION: Final = 1
Key = tuple[str, str, int]
"""Run id, ticket id, attempt."""
SHOWN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Outcomes on which the two do not agree."""

    compared: int
    """Outcomes that both hold."""
    only_ledger: Sequence[Key]
    """Recorded, and no artifact: the server was away, or another one, or refute was older."""
    only_artifacts: Sequence[Key]
    """An artifact, and not recorded here: another ledger, or one that was lost."""
    different: Mapping[Key, Sequence[str]]
    """Outcome → what differs."""
    unreadable: Sequence[str]
    """Keys of artifacts that hold no record of this version."""

    @property
    def differs(self) -> bool:
        """Whether anything does."""
        return bool(self.only_ledger or self.only_artifacts or self.different or self.unreadable)


def reconcile(ledger: Ledger, scope: Scope, stored: StoredRecords) -> Differences:
    """Compare the outcomes of a scope by the frames that reports are made from.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    left = _by_outcome(frames_from_ledger(ledger, scope))
    right = _by_outcome(frames_from_outcomes(stored.outcomes, scope))
    both = left.keys() & right.keys()
    named = {key: [name for name in left[key] if left[key][name] != right[key][name]] for key in sorted(both)}
    return Differences(
        compared=len(both),
        only_ledger=sorted(left.keys() - right.keys()),
        only_artifacts=sorted(right.keys() - left.keys()),
        different={key: names for key, names in named.items() if names},
        unreadable=sorted(stored.unreadable),
    )


def render_differences(found: Differences) -> str:
    """What differs, for a person."""
    told = {
        "only in the ledger": [_name(key) for key in found.only_ledger],
        "only in artifacts": [_name(key) for key in found.only_artifacts],
        "different": [f"{_name(key)}: {', '.join(names)}" for key, names in found.different.items()],
        "artifacts that hold no record of this version": list(found.unreadable),
    }
    lines = [f"{counted(found.compared, 'outcome')} in both, {len(found.different)} of them different"]
    for title, items in told.items():
        lines += [f"{title}: {len(items)}", *(f"  {one}" for one in cut(items, SHOWN))] if items else []
    lines += [] if found.differs else ["ledger and artifacts agree"]
    return "\n".join(printable(line, keep_newlines=False) for line in lines) + "\n"


def differences_json(found: Differences) -> str:
    """What differs, for a program: all of it, keys as objects."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "differs": found.differs,
        "compared": found.compared,
        "only_ledger": [_named(key) for key in found.only_ledger],
        "only_artifacts": [_named(key) for key in found.only_artifacts],
        "different": [{**_named(key), "fields": list(names)} for key, names in found.different.items()],
        "unreadable": list(found.unreadable),
    }
    return json.dumps(document, indent=2) + "\n"


def _by_outcome(frames: Frames) -> dict[Key, dict[str, Any]]:
    """Everything that the frames say of each outcome."""
    found = _records(frames.outcomes)
    for name in CHILDREN:
        for row in found:
            row[name] = []
        for child in _records(getattr(frames, name)):
            found[child.pop("outcome")][name].append(child)
    return {(row["run_id"], row["ticket_id"], row["attempt"]): row for row in found}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows by column; what is missing is None, which equals itself."""
    plain = frame.astype(object)
    return plain.where(plain.notna(), None).to_dict("records")  # type: ignore[return-value]  # names are texts


def _named(key: Key) -> dict[str, Any]:
    return dict(zip(("run_id", "ticket_id", "attempt"), key, strict=True))


def _name(key: Key) -> str:
    run_id, ticket_id, attempt = key
    return f"{ticket_id}, run {run_id}, attempt {attempt}"
