"""What a single setting may hold, where that is no plain number, text or path."""

import ipaddress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from refute.places import at_home
from refute.scan.finding import Severity


class TesterName(StrEnum):
    """Who writes the attack."""

    PROPERTY = "property"
    """Built in; no key, no network, deterministic."""
    GEMINI = "gemini"
    """Gemini on the enterprise endpoint, as `gemini.yaml` says."""
    REPLAY = "replay"
    """Recorded answers of a model."""


class AttackPolicy(StrEnum):
    """Which tickets are attacked."""

    MANDATORY = "mandatory"
    LABEL = "label"
    """Only tickets labelled `needs-adversarial` or with files under `attack_directories`."""


def _testers(value: str) -> str:
    names = [name.strip() for name in value.split(",")]
    known = [name.value for name in TesterName]
    if not set(names) <= set(known) or len(set(names)) != len(names):
        raise ValueError(f"expected one or several of {', '.join(known)}, separated by commas")
    if {TesterName.GEMINI, TesterName.REPLAY} <= set(names):
        raise ValueError("gemini and replay are one tester, live or recorded: expected one of them")
    return ",".join(names)


def _network(value: str) -> str:
    return str(ipaddress.ip_network(value))


def _severity(value: Any) -> Any:
    """People write `high`; the number is taken as well."""
    if not isinstance(value, str) or value.isdigit():
        return value
    known = {severity.name.lower(): severity for severity in Severity}
    if value.lower() not in known:
        raise ValueError(f"expected one of {', '.join(known)}")
    return known[value.lower()]


Seconds = Annotated[float, Field(gt=0, le=86_400)]
Place = Annotated[Path, AfterValidator(at_home)]
Testers = Annotated[str, AfterValidator(_testers)]
Network = Annotated[str, AfterValidator(_network)]
BlockFrom = Annotated[Severity, BeforeValidator(_severity)]
