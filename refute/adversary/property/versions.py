"""Functions that the generated file carries along to compare two versions of the code; copied verbatim."""

from collections.abc import Callable
from typing import Any

from refute.adversary.property.comparison import _finished


def _outcome(call: Callable[[], Any], how: str) -> Any:
    """What a call gives, as the answer of the version before is written down.

    A `value` as it is, of an object (`text`) its class and text, of an exception its name.
    """
    try:
        value = _finished(call())
    except Exception as error:  # noqa: BLE001  # whatever it is: it is compared
        return f"{'' if how == 'raises' else 'raises '}{type(error).__name__}"
    return f"{type(value).__name__}: {value}" if how == "text" else value
