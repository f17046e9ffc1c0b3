"""What a check found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool | None
    """None: worth knowing, and jobs run all the same."""
    found: str
    advice: str = ""
    """What to do; empty where nothing needs doing."""
