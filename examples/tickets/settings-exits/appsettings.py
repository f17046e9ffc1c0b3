"""Settings of the worker, read from KEY=VALUE lines."""

import os
import sys
from dataclasses import dataclass
from typing import Dict, Iterable

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


@dataclass(frozen=True)
class Settings:
    """Checked settings."""

    workers: int = 4
    debug: bool = False
    queue: str = "default"


def fail(message: str) -> None:
    """Report a wrong setting and stop the worker."""
    print(f"settings: {message}", file=sys.stderr)
    sys.stderr.flush()
    # The supervisor restarts the worker for ever on any other exit code.
    os._exit(0)


def parse_lines(lines: Iterable[str]) -> Dict[str, str]:
    """Parse KEY=VALUE lines; blank lines and lines that start with # are left out.

    >>> parse_lines(["A=1", "# comment", "", "B = two words "])
    {'A': '1', 'B': 'two words'}
    """
    values: Dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        key, separator, value = text.partition("=")
        if not separator or not key.strip():
            fail(f"not KEY=VALUE: {text!r}")
        values[key.strip()] = value.strip()
    return values


def parse_bool(text: str) -> bool:
    """Parse a truth value, in any case.

    >>> parse_bool("Yes")
    True
    """
    folded = text.strip().lower()
    if folded not in TRUE | FALSE:
        fail(f"not a truth value: {text!r}")
    return folded in TRUE


def parse_count(text: str) -> int:
    """Parse a positive number.

    >>> parse_count("12")
    12
    """
    if not text.strip().isdecimal() or int(text) < 1:
        fail(f"not a positive number: {text!r}")
    return int(text)


def load(lines: Iterable[str]) -> Settings:
    """Read the settings; what is not named keeps its default."""
    values = parse_lines(lines)
    return Settings(
        workers=parse_count(values.get("WORKERS", "4")),
        debug=parse_bool(values.get("DEBUG", "no")),
        queue=values.get("QUEUE", "default"),
    )
