"""The named gates between planner, fetcher, reader and output: each decision is a line in the audit log."""

from collections.abc import Callable
from typing import Final

from refute.guardrails.audit import AuditLog, Decision, Gate, Metadata
from refute.guardrails.plain_text import printable
from refute.guardrails.urls import PinnedUrl
from refute.research.record import Denial

MAX_CHARS: Final = 200


class Gates:
    """The gates of one goal.

    Args:
        audit: gets a line for each decision, without the goal's words.
        run_id: of the run.
        goal_id: ties the lines of one goal together.
    """

    def __init__(self, audit: AuditLog, *, run_id: str, goal_id: str) -> None:
        self._audit, self._run_id, self._goal_id = audit, run_id, goal_id
        self.denials: list[Denial] = []
        """What was stopped, in order."""

    def allow(self, gate: Gate, reason: str, metadata: Metadata | None = None) -> None:
        """Let something through; called before it happens."""
        self._record(gate, Decision.ALLOW, reason, metadata)

    def deny(self, gate: Gate, what: str, reason: str) -> None:
        """Stop something, and remember it for the findings."""
        shown = printable(what, max_chars=MAX_CHARS, keep_newlines=False)
        self.denials.append(Denial(gate=gate, what=shown, reason=printable(reason, keep_newlines=False)))
        self._record(gate, Decision.DENY, reason, {"what": shown})

    def url(self, check: Callable[[str], PinnedUrl]) -> Callable[[str], PinnedUrl]:
        """The check of addresses with a line for each; what it denies is left to whoever fetches."""

        def checked(url: str) -> PinnedUrl:
            pinned = check(url)
            self.allow(
                Gate.URL, "every address is allowed", {"url": pinned.url, "addresses": ", ".join(pinned.addresses)}
            )
            return pinned

        return checked

    def _record(self, gate: Gate, decision: Decision, reason: str, metadata: Metadata | None) -> None:
        self._audit.record(gate, decision, run_id=self._run_id, turn_id=self._goal_id, reason=reason, metadata=metadata)
