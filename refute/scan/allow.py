"""The reviewed allow-file: which findings are accepted, and why. Nothing in a scanned file can do that."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from refute.errors import UsageError
from refute.scan.finding import Finding, ScanResult, Suppressed
from refute.scan.rules import UNANALYSABLE, rules
from refute.yaml_file import YamlFile

_EXPECTED: Final = (
    "a list of entries with rule, path and reason, each with the file's sha256 where only that text is meant"
)


class Allowed(BaseModel):
    """One accepted danger."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    """Rule id."""
    path: str = Field(min_length=1)
    """Path or glob as findings show it."""
    reason: str = Field(min_length=10)
    """Why it is acceptable, for whoever reads the result."""
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """Of the file that was reviewed, as `sha256sum` prints it: a changed file is not covered. None: any content is."""


def load_allow_file(path: Path | None) -> tuple[Allowed, ...]:
    """Read an allow-file (YAML); without one nothing is allowed.

    Raises:
        UsageError: it cannot be read, or an entry lacks rule, path or reason, or names no rule.
    """
    if path is None:
        return ()
    hint = f"Expected {_EXPECTED} (the reason with at least 10 characters); rules: `docs/scan-rules.md`."
    file = YamlFile(path=path, what="allow-file", hint=hint, error=UsageError)
    entries = file.entries(Allowed)
    unknown = sorted({entry.rule for entry in entries} - rules().keys())
    if unknown or any(entry.rule == UNANALYSABLE for entry in entries):
        got = ", ".join(unknown) or f"{UNANALYSABLE}, which cannot be allowed"
        raise file.refused(f"got the rule {got}")
    return entries


def require_foreign(path: Path | None, workspace: Path, what: str, setting: str) -> None:
    """Keep whoever wrote the scripts from deciding what is found in them.

    Raises:
        UsageError: a file of whoever deploys lies in the workspace, by its name or behind links.
    """
    if path is None:
        return
    places = {Path(os.path.abspath(path)), path.resolve()}  # noqa: PTH100 - where it stands, links not followed
    homes = {workspace.absolute(), workspace.resolve()}
    if any(place.is_relative_to(home) for place in places for home in homes):
        raise UsageError(
            f"{what} {path}: lies in the ticket's workspace {workspace}, expected a place outside of it: whoever "
            "wrote the scripts could allow their own findings",
            hint=f"Move it to where only reviewers write, and set {setting} to that place.",
        )


def suppress(result: ScanResult, allowed: tuple[Allowed, ...], texts: Mapping[str, bytes]) -> ScanResult:
    """Move the findings that an entry accepts to `suppressed`, where they are still counted and shown.

    Args:
        result: of the scan.
        allowed: the reviewed entries.
        texts: the scanned files' content, by the paths that findings have.
    """
    found = [(one, next((entry for entry in allowed if _covers(entry, one, texts)), None)) for one in result.findings]
    moved = [Suppressed(finding=one, reason=entry.reason) for one, entry in found if entry]
    kept = tuple(one for one, entry in found if entry is None)
    return replace(result, findings=kept, suppressed=(*result.suppressed, *moved))


def _covers(entry: Allowed, finding: Finding, texts: Mapping[str, bytes]) -> bool:
    # Nobody can have reviewed what was not understood.
    if entry.rule != finding.rule_id or finding.rule_id == UNANALYSABLE:
        return False
    if entry.path != finding.path and not fnmatchcase(finding.path, entry.path):
        return False
    text = texts.get(finding.path)
    return entry.sha256 is None or (text is not None and hashlib.sha256(text).hexdigest() == entry.sha256)
