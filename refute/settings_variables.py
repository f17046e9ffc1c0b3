"""Which `REFUTE_*` variables there may be. One that means a setting and sets none would be found too late."""

import difflib
import re
from collections.abc import Collection, Iterable
from typing import Final

from refute.errors import SettingsInvalid

ENV_PREFIX: Final = "REFUTE_"
NEAR: Final = 0.6
"""From here up (`difflib`) a name is near enough to be what was meant."""
NEAREST: Final = 3

NO_SETTINGS: Final = frozenset(
    f"{ENV_PREFIX}{name}"
    for name in (
        *("API_AUTH", "DB_PASSWORD", "TICKETS", "UI_API_URL", "UI_URL", "WORKER_IMAGE"),  # deployments/compose.yaml
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
    faults = []
    for variable in sorted(name for name in variables if name.upper().startswith(ENV_PREFIX)):
        name = variable[len(ENV_PREFIX) :].lower()  # settings are read in any case
        if name in settings or variable in NO_SETTINGS or SERVICE_LINK.search(variable):
            continue
        near = nearest(name, settings)
        meant = f", did you mean {' or '.join(f'{ENV_PREFIX}{one.upper()}' for one in near)}?" if near else ""
        faults.append(f"{variable}: no setting has this name{meant}")
    if faults:
        raise SettingsInvalid(
            "settings: " + "; ".join(faults),
            hint="Correct or unset it: it would set nothing. All names: docs/reference/settings.md.",
        )


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
