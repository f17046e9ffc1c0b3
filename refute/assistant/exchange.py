"""One exchange with an operator: first whether it confirms what waits, only then who answers it.

Only a confirmed action reaches a tool, and only words of the operator make an action. A model chooses between eight
words and comments on facts; no path leads from what it says to a change.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.assistant.configuration import Challenge, challenge_of, propose
from refute.assistant.safeline import Waf, WafFailed
from refute.assistant.sources import Sources
from refute.assistant.specialists import READERS, Specialist
from refute.assistant.supervisor import MAX_FACTS_CHARS, Supervisor
from refute.assistant.tools import execute
from refute.assistant.waf import read_state
from refute.guardrails.audit import AuditLog
from refute.guardrails.confirmation import Answered, Confirmations, Consent
from refute.guardrails.gates import DEFAULTS, Gates
from refute.guardrails.pending import Pending, extract_confirmation_nonce
from refute.guardrails.redaction import Redactor
from refute.guardrails.results import change_reply
from refute.guardrails.routes import DIRECT
from refute.guardrails.secret_mask import MASK
from refute.guardrails.switches import GuardrailSettings

CONFIG_MANAGER: Final = "config_manager"
MAX_QUESTION_CHARS: Final = 4_000
CONFIRMATION: Final = "confirmation"
"""What answered, where no specialist did."""
FAILURES: Final = frozenset((Consent.INVALID, Consent.EXPIRED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an operator reads; it holds no nonce."""

    turn_id: str
    route: str
    """Who answered: a route, or `confirmation`."""
    text: str
    routed_by: str = ""
    """How the route was chosen; empty where none was."""
    citations: tuple[str, ...] = ()
    failed: bool = False
    """Whether a change or its confirmation was asked for and refused, or did not succeed."""
    challenge: Challenge | None = None
    """What is to be confirmed; shown to the person alone, never part of `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """Answers operators.

    Args:
        sources: what specialists read.
        confirmations: where actions wait.
        supervise: turn id → who chooses the specialist of that exchange.
        audit: gets a line of every gate.
        redactor: takes secrets and instructions out of what is sent to a model, and out of answers.
        modes: which gates stop what they deny.
        clock: seconds of the Unix clock.
    """

    sources: Sources
    confirmations: Confirmations
    supervise: Callable[[str], Supervisor]
    audit: AuditLog
    redactor: Redactor
    modes: GuardrailSettings = DEFAULTS
    clock: Callable[[], float] = time.time

    def turn(self, user: str, text: str | None) -> Answer:
        """Answer one message of a user; raises AuditUnavailable and LedgerUnavailable: without them nothing is done."""
        gates = self._gates()
        said = (text or "")[:MAX_QUESTION_CHARS]
        answered = gates.answer(self.confirmations, said, user=user, now_ts=self.clock())
        answer = self._of_confirmation(gates, user, said, answered)
        if answer is None:
            answer = self._of_specialist(gates, user, said, answered)
        clean, _ = self.redactor.redact(answer.text)
        return replace(answer, text=clean)

    def look(self, read: Specialist, question: str = "") -> str:
        """What a specialist reads, for a program or model that may read it and nothing else; no gate to a change."""
        gates = self._gates()
        facts, _ = self.redactor.redact(read(question[:MAX_QUESTION_CHARS], self.sources, gates).text)
        return gates.retrieved(facts, source="facts for a program", max_chars=MAX_FACTS_CHARS).text

    def _gates(self) -> Gates:
        """Those of one exchange, whose lines have a turn id of their own."""
        turn_id = uuid.uuid4().hex
        return Gates(audit=self.audit, run_id=turn_id, turn_id=turn_id, modes=self.modes)

    def _of_confirmation(self, gates: Gates, user: str, said: str, answered: Answered) -> Answer | None:
        """The answer to a message about what waits; None: it is about something else. No model sees such a message."""
        nonce, begins = extract_confirmation_nonce(said), said.strip().lower().split(maxsplit=1)[:1]
        match answered.consent:
            case Consent.GIVEN:
                return self._confirmed(gates, user, answered.action or {})
            case Consent.CANCELLED:
                return _about(gates, "Cancelled; nothing was changed.")
            case Consent.INVALID | Consent.EXPIRED if nonce:
                return _about(gates, f"{answered.consent}; nothing was changed.", failed=True)
            case _ if begins == ["confirm"]:
                return _about(
                    gates, f"{Consent.INVALID}; nothing was changed. Say confirm and the six digits.", failed=True
                )
            case _ if said.strip().lower() == "cancel":
                return _about(gates, "Nothing waits for a confirmation.")
            case _:
                return None

    def _confirmed(self, gates: Gates, user: str, action: Pending) -> Answer:
        """Do what was confirmed, or ask once more where it takes something off the network."""
        if action["confirmations_left"] > 1:
            again = {**action, "confirmations_left": action["confirmations_left"] - 1}
            return self._ask(gates, user, again, "This is an OUTAGE. It needs a second confirmation.")
        waf = self.sources.wafs.get(action["instance"])
        problem = _stale(waf, action)
        if waf is None or problem:
            gates.result({"error": problem}, tool="read before")
            reply = change_reply({"error": problem}, done="", took_effect=False)
        else:
            reply = execute(waf, gates, action)
        return _about(gates, reply, failed=not reply.startswith("✅"))

    def _of_specialist(self, gates: Gates, user: str, said: str, answered: Answered) -> Answer:
        """The answer of the specialist that the supervisor chose."""
        question = self._for_model(said, answered)
        supervisor = self.supervise(gates.turn_id)
        route = supervisor.route(question, gates) if question.strip() else gates.route(DIRECT)
        if route == CONFIG_MANAGER:
            return replace(self._of_config_manager(gates, user, said), routed_by=supervisor.by)
        finding = READERS[route](said, self.sources, gates)
        facts, _ = self.redactor.redact(finding.text)
        words = "" if route == DIRECT else supervisor.word(question, facts, gates)
        lost = "What waited for your confirmation no longer does." if answered.consent in FAILURES else ""
        signed = f"({route}, routed {supervisor.by})"
        text = "\n\n".join(filter(None, (words, facts, lost, signed)))
        return Answer(
            turn_id=gates.turn_id, route=route, text=text, routed_by=supervisor.by, citations=finding.citations
        )

    def _of_config_manager(self, gates: Gates, user: str, said: str) -> Answer:
        """What a change would do, for its operator to confirm; or what is missing."""
        proposed = propose(said, self.sources.wafs, gates)
        if isinstance(proposed, str):
            failed = proposed.startswith(("❌", "invalid", "validation"))
            return Answer(turn_id=gates.turn_id, route=CONFIG_MANAGER, text=proposed, failed=failed)
        asked = self._ask(gates, user, proposed, "Nothing is changed yet: confirm what you are shown, or say cancel.")
        return replace(asked, route=CONFIG_MANAGER)

    def _ask(self, gates: Gates, user: str, action: dict[str, Any], text: str) -> Answer:
        instance = action["instance"]
        pending = gates.request(self.confirmations, action, user=user, instance=instance, now_ts=self.clock())
        return replace(_about(gates, text), challenge=challenge_of(pending))

    def _for_model(self, said: str, answered: Answered) -> str:
        """What a model may read of a message: no secret, and not the nonce that waits."""
        clean, _ = self.redactor.redact(said)
        nonce = str((answered.action or {}).get("nonce", ""))
        return clean.replace(nonce, MASK) if nonce else clean


def _stale(waf: Waf | None, action: Pending) -> str:
    """Why what was confirmed is no longer what would happen; empty where it is."""
    if waf is None:
        return f"no WAF is called {action['instance']}"
    try:
        same = read_state(waf).digest == action["before"]
    except WafFailed as error:
        return error.message
    return "" if same else "the WAF changed after the difference was shown, and nothing was written. Ask again"


def _about(gates: Gates, text: str, *, failed: bool = False) -> Answer:
    return Answer(turn_id=gates.turn_id, route=CONFIRMATION, text=text, failed=failed)
