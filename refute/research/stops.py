"""The named gates between planner, fetcher, reader and output: each decision is a line in the audit log."""

from typing import Final

from refute.guardrails.audit import Decision, Gate, Metadata
from refute.guardrails.gates import Gates
from refute.guardrails.plain_text import printable
from refute.research.record import Denial

MAX_CHARS: Final = 200


class Stops:
    """What the gates of one goal let through, and what they stop. The goal's words are in none of their lines.

    Args:
        gates: of the run, with the goal's id.
    """

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self.denials: list[Denial] = []
        """What was stopped, in order."""

    def allow(self, gate: Gate, reason: str, metadata: Metadata | None = None) -> None:
        """Let something through; called before it happens."""
        self._gates.record(gate, Decision.ALLOW, reason, metadata or {})

    def deny(self, gate: Gate, what: str, reason: str) -> None:
        """Stop something."""
        self.remember(gate, what, reason)
        self._gates.record(gate, Decision.DENY, reason, {"what": self.denials[-1].what})

    def remember(self, gate: Gate, what: str, reason: str) -> None:
        """What another gate has stopped already, and written down."""
        shown = printable(what, max_chars=MAX_CHARS, keep_newlines=False)
        self.denials.append(Denial(gate=gate, what=shown, reason=printable(reason, keep_newlines=False)))
