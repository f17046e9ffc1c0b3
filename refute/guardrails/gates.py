"""The gates of one exchange: each decides by a pure function, writes its line, and stops what it denies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from refute.guardrails.audit import AuditLog, Decision, Gate, Metadata
from refute.guardrails.confirmation import Answered, Confirmations, Consent
from refute.guardrails.injection import MAX_CHUNK_CHARS, Sanitized, sanitize
from refute.guardrails.pending import Pending, extract_confirmation_nonce
from refute.guardrails.results import parse_tool_result
from refute.guardrails.routes import DIRECT, ROUTES, parse_choice
from refute.guardrails.switches import GuardrailSettings, Mode
from refute.guardrails.urls import PinnedUrl, UrlDenied, check_url

DEFAULTS: Final = GuardrailSettings()
_DECISIONS: Final = {Consent.GIVEN: Decision.ALLOW, Consent.NOT_ANSWERED: Decision.CHALLENGE}
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """Decides for one run, or one turn of a conversation. Every method raises AuditUnavailable as the log does."""

    audit: AuditLog
    run_id: str
    turn_id: str = ""
    modes: GuardrailSettings = DEFAULTS

    def route(self, raw: str | None) -> str:
        """The one route that a model answered, else `direct`; observed, the first that it names."""
        chosen = parse_choice(raw, ROUTES, "")
        facts: Metadata = {"raw": raw, "chosen": chosen or DIRECT}
        self._record(Gate.ROUTE_PARSE, ok=bool(chosen), reason="exactly one allowed word", facts=facts)
        if not chosen and self.modes.routes is Mode.OBSERVE:
            said = (raw or "").lower()
            named = sorted((said.index(word), word) for word in ROUTES if word in said)
            chosen = named[0][1] if named else ""
        return chosen or DIRECT

    def argument(self, name: str, raw: Value, validate: Callable[[Value], Value | None]) -> Value | None:
        """A tool's argument in its normal form, or None: then nothing may be called. Observed, it stays as it is."""
        valid = validate(raw)
        ok = valid is not None
        self._record(Gate.PRE_TOOL, ok=ok, reason=f"valid {name}", facts={"argument": name, "raw": str(raw)})
        return raw if not ok and self.modes.validators is Mode.OBSERVE else valid

    def result(self, raw: str | bytes | Mapping[str, Any] | None, *, tool: str) -> tuple[bool, str]:
        """Whether a tool did what it was called for. Observed, a failure is written and taken for done."""
        ok, message = parse_tool_result(raw)
        self._record(Gate.POST_TOOL, ok=ok, reason="tool succeeded", facts={"tool": tool, "message": message})
        return ok or self.modes.results is Mode.OBSERVE, message

    def retrieved(
        self, text: str | None, *, source: str, gate: Gate = Gate.POST_TOOL, max_chars: int = MAX_CHUNK_CHARS
    ) -> Sanitized:
        """Text from outside without what instructs its reader. Observed, only its score is taken."""
        clean = sanitize(text, max_chars=max_chars)
        facts: Metadata = {
            "source": source,
            "score": clean.suspicion.score,
            "patterns": ", ".join(clean.suspicion.patterns),
            "removed": clean.removed,
        }
        self._record(gate, ok=not clean.suspicion.flagged, reason="no instructions found", facts=facts)
        if self.modes.sanitizer is Mode.OBSERVE:
            return replace(clean, text=(text or "")[:max_chars], removed=0)
        return clean

    def url(self, url: str | None, check: Callable[[str | None], PinnedUrl] = check_url) -> PinnedUrl:
        """A URL that may be fetched, and from where; there is no observing this gate.

        Raises:
            UrlDenied: it may not be.
        """
        try:
            pinned = check(url)
        except UrlDenied as denied:
            self._record(Gate.URL, ok=False, reason="", facts={"url": denied.url}, why_not=denied.reason)
            raise
        facts: Metadata = {"url": pinned.url, "addresses": ", ".join(pinned.addresses)}
        self._record(Gate.URL, ok=True, reason="every address is allowed", facts=facts)
        return pinned

    def request(
        self,
        confirmations: Confirmations,
        intent: object,
        *,
        user: str,
        instance: str = "",
        now_ts: float | None = None,
    ) -> Pending:
        """Have an action wait for consent; the nonce in it is for its user's eyes alone."""
        pending = confirmations.request(intent, user=user, instance=instance, now_ts=now_ts)
        self._confirmation(Decision.CHALLENGE, "consent is asked for", pending)
        return pending

    def answer(
        self, confirmations: Confirmations, text: str | None, *, user: str, now_ts: float | None = None
    ) -> Answered:
        """Read a user's message; only GIVEN lets the action happen. Observed, a wrong or late nonce does too.

        A message without any nonce never does: it is no answer to the question.
        """
        answered = confirmations.answer(text, user=user, now_ts=now_ts)
        if answered.consent is not Consent.NOTHING_PENDING:
            decision = _DECISIONS.get(answered.consent, Decision.DENY)
            self._confirmation(decision, answered.consent.value, answered.action or {})
        failed = answered.consent in {Consent.INVALID, Consent.EXPIRED} and answered.action is not None
        if failed and extract_confirmation_nonce(text) and self.modes.confirmation is Mode.OBSERVE:
            return replace(answered, consent=Consent.GIVEN)
        return answered

    def _confirmation(self, decision: Decision, reason: str, pending: Pending) -> None:
        facts = {name: str(pending.get(name, "")) for name in ("action", "user", "instance", "expires_at")}
        self.record(Gate.CONFIRMATION, decision, reason, facts)

    def _record(self, gate: Gate, *, ok: bool, reason: str, facts: Metadata, why_not: str = "") -> None:
        decision = Decision.ALLOW if ok else Decision.DENY
        self.record(gate, decision, reason if ok else why_not or f"not: {reason}", facts)

    def record(self, gate: Gate, decision: Decision, reason: str, facts: Metadata) -> None:
        """Write a line of this run and turn, for a gate that decides elsewhere."""
        self.audit.record(gate, decision, run_id=self.run_id, turn_id=self.turn_id, reason=reason, metadata=facts)
