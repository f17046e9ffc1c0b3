"""What a model chose among given words: exactly one of them, or the fallback."""

from collections.abc import Collection
from typing import Final

DIRECT: Final = "direct"
ROUTES: Final = ("monitor", "log_analyst", "config_manager", "threat_intel", "tuner", "reporter", "rag_agent", DIRECT)
"""Where the assistant's supervisor may send a question; `direct`: nowhere, it is answered as it is."""


def parse_choice(raw: object, allowed: Collection[str], fallback: str) -> str:
    """The one allowed word that an answer consists of, whatever its case; a word inside of a sentence is none."""
    word = raw.strip().lower() if isinstance(raw, str) else ""
    return word if word in allowed else fallback


def parse_supervisor_route(raw: str | None) -> str:
    """The route that a supervisor's answer names; `direct` where it is not exactly one."""
    return parse_choice(raw, ROUTES, DIRECT)
