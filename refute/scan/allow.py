"""The reviewed allow-file: which findings are accepted, and why. Nothing in a scanned file can do that."""

from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from refute.errors import UsageError
from refute.scan.catalog import RULES
from refute.scan.finding import Finding, ScanResult, Suppressed

_EXPECTED = "a list of entries with rule, path and reason"


class Allowed(BaseModel):
    """One accepted danger."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    """Rule id."""
    path: str = Field(min_length=1)
    """Path or glob as findings show it."""
    reason: str = Field(min_length=10)
    """Why it is acceptable, for whoever reads the result."""


def load_allow_file(path: Path) -> tuple[Allowed, ...]:
    """Read an allow-file (YAML).

    Raises:
        UsageError: it cannot be read, or an entry lacks rule, path or reason, or names no rule.
    """
    hint = f"Expected {_EXPECTED} (at least 10 characters); rules: `docs/scan-rules.md`."
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        entries = TypeAdapter(tuple[Allowed, ...]).validate_python(data if data is not None else [])
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"allow-file {path}: {error}", hint=hint) from error
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise UsageError(f"allow-file {path}: {faults}", hint=hint) from error
    unknown = sorted({entry.rule for entry in entries} - RULES.keys())
    if unknown or any(entry.rule == "unanalysable" for entry in entries):
        got = ", ".join(unknown) or "unanalysable, which cannot be allowed"
        raise UsageError(f"allow-file {path}: got the rule {got}", hint=hint)
    return entries


def suppress(result: ScanResult, allowed: tuple[Allowed, ...]) -> ScanResult:
    """Move the findings that an entry accepts to `suppressed`, where they are still counted and shown."""
    kept: list[Finding] = []
    moved: list[Suppressed] = list(result.suppressed)
    for finding in result.findings:
        entry = next((one for one in allowed if one.rule == finding.rule_id and _covers(one.path, finding.path)), None)
        if entry is None:
            kept.append(finding)
        else:
            moved.append(Suppressed(finding=finding, reason=entry.reason))
    return replace(result, findings=tuple(kept), suppressed=tuple(moved))


def _covers(pattern: str, path: str) -> bool:
    return pattern == path or fnmatchcase(path, pattern)
