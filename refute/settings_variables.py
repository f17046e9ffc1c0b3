"""Which `REFUTE_*` and `GUARDRAIL_*` variables there may be. One that sets nothing would be found too late."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from refute.errors import SettingsInvalid

ENV_PREFIX: Final = "REFUTE_"
GUARDRAIL_PREFIX: Final = "GUARDRAIL_"
GUARDRAIL: Final = frozenset({"audit_enabled", "audit_path"})
"""Settings that are also read with that prefix; what else has it may be another program's."""
NEAR: Final = 0.6
"""From here up (`difflib`) a name is near enough to be what was meant."""
NEAREST: Final = 3

NO_SETTINGS: Final = frozenset(
    f"{ENV_PREFIX}{name}"
    for name in (
        *("API_AUTH", "DB_PASSWORD", "TICKETS", "UI_API_URL", "UI_URL", "WORKER_IMAGE"),  # deployments/compose.yaml
        "GATE_KEY",  # refute gate --key
        *("BUILD_NETWORK", "ENGINE_WAIT_S", "POSTGRES_DIR", "POSTGRES_WAIT_S", "WORKER_BASE"),  # scripts
        *("CANARY", "ENDURANCE", "FENCE", "REQUIRE_ENGINE", "UPDATE_GOLDEN", "UPDATE_PICTURES"),  # tests, benchmarks
    )
)
"""Variables of refute's that others than its settings read."""
SERVICE_LINK: Final = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$")
"""What Kubernetes tells every pod of the services `refute-…` of its namespace."""


def refuse_unknown(variables: Iterable[str], settings: Collection[str]) -> None:
    """Refuse variables that look like settings and are none.

    Args:
        variables: names of the environment.
        settings: names of all settings, in lower case and without prefix.

    Raises:
        SettingsInvalid: naming each, with the settings whose names are nearest.
    """
    given = sorted(variables)
    ours = {one: _name(one, ENV_PREFIX) for one in given if one.upper().startswith(ENV_PREFIX)}
    shared = {one: _name(one, GUARDRAIL_PREFIX) for one in given if one.upper().startswith(GUARDRAIL_PREFIX)}
    faults = [
        _fault(variable, ENV_PREFIX, nearest(name, settings))
        for variable, name in ours.items()
        if name not in settings and variable not in NO_SETTINGS and not SERVICE_LINK.search(variable)
    ]
    faults += [
        _fault(variable, GUARDRAIL_PREFIX, near)
        for variable, name in shared.items()
        if name not in GUARDRAIL and (near := nearest(name, GUARDRAIL))
    ]
    if faults:
        raise SettingsInvalid(
            "settings: " + "; ".join(faults),
            hint="Fix or unset it. All names: docs/reference/settings.md.",
        )


def guardrail_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Setting → value of those that are given with the other prefix, in any case as all variables."""
    shared = {_name(one, GUARDRAIL_PREFIX): one for one in variables if one.upper().startswith(GUARDRAIL_PREFIX)}
    return {name: variables[variable] for name, variable in shared.items() if name in GUARDRAIL}


def _name(variable: str, prefix: str) -> str:
    return variable[len(prefix) :].lower()  # settings are read in any case


def _fault(variable: str, prefix: str, near: list[str]) -> str:
    meant = f", did you mean {' or '.join(f'{prefix}{one.upper()}' for one in near)}?" if near else ""
    return f"{variable}: no setting has this name{meant}"


def nearest(name: str, settings: Iterable[str]) -> list[str]:
    """Settings that may be meant, the likeliest first: also such with the same words in another order."""

    def likeness(setting: str) -> float:
        pairs = ((name, setting), ("_".join(sorted(name.split("_"))), "_".join(sorted(setting.split("_")))))
        return max(difflib.SequenceMatcher(None, *pair).ratio() for pair in pairs)

    likely = {setting: likeness(setting) for setting in settings}
    found = sorted((one for one in likely if likely[one] >= NEAR), key=lambda one: (-likely[one], one))
    best = likely[found[0]] if found else 0.0
    # Beside a clear answer others would only distract.
    return [one for one in found if likely[one] > best - 0.1][:NEAREST]
