"""What specialists read: facts of the ledger, the audit log and the WAFs, in lines for a person."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from refute.assistant.instances import AssistantSettings
from refute.assistant.safeline import EVENTS, STRENGTH, Waf, WafFailed, read, read_list
from refute.assistant.waf import read_state
from refute.batch.selection import CONTENT
from refute.guardrails.plain_text import on_one_line, printable
from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.wording import counted

EVENTS_READ: Final = 100
SHOWN: Final = 10
OUTCOMES_READ: Final = 500
AUDIT_TAIL_BYTES: Final = 64_000
MAX_FIELD_CHARS: Final = 100
MARKS: Final = str.maketrans("✅❌", "✓✗")
"""How a change ended is said with these signs by our own code alone."""

Event = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where facts come from."""

    ledger: Ledger
    wafs: Mapping[str, Waf]
    settings: AssistantSettings
    audit_path: Path
    report: Callable[[], str] = str
    """Outcomes, costs and the budget in words; the layer above knows how."""


def plain(value: object, max_chars: int = MAX_FIELD_CHARS) -> str:
    """A value that others chose, on one line, without anything that acts or passes for a reply of ours."""
    return printable(str(value), max_chars=max_chars, keep_newlines=False).translate(MARKS)


def each_waf(sources: Sources, tell: Callable[[Waf], Iterator[str]]) -> Iterator[str]:
    """What is told of each WAF, or why it cannot be."""
    if not sources.wafs:
        yield "No WAF is configured: add one to the setting `safeline`."
    for waf in sources.wafs.values():
        try:
            yield from list(tell(waf))
        except WafFailed as error:
            yield error.message


def waf_lines(waf: Waf) -> Iterator[str]:
    """Sites with their modes, the blacklist and the detection strengths."""
    state = read_state(waf)
    sites = "; ".join(f"{site.id} {site.name}: {site.mode_words}" for site in state.sites)
    yield f"{waf.name}: {counted(len(state.sites), 'site')}: {sites}"
    use = "blocks" if state.policy_blocks and state.defended else "blocks nobody"
    yield f"{waf.name}: blacklist: {len(state.ips)} of ours, {use}"
    strengths = read(waf, STRENGTH)
    if isinstance(strengths, dict):
        counts = Counter(map(plain, strengths.values()))
        yield f"{waf.name}: detection: " + ", ".join(f"{count} {word}" for word, count in counts.items())


def events_of(waf: Waf) -> list[Event]:
    """The newest attack events."""
    return read_list(waf, EVENTS, limit=EVENTS_READ)


def event_lines(waf: Waf) -> Iterator[str]:
    """The newest attack events, a line each."""
    events = events_of(waf)
    denied = sum(_number(event, "deny_count") for event in events)
    yield f"{waf.name}: {counted(len(events), 'attack event')}, {denied} requests denied"
    yield from (f"  {event_line(event)}" for event in events[:SHOWN])


def event_line(event: Event) -> str:
    """One event."""
    fields = (event.get(name) for name in ("attack_type", "host", "url_path"))
    what = " ".join(plain(field) for field in fields if field)
    counts = f"{_number(event, 'deny_count')} denied, {_number(event, 'pass_count')} passed"
    return f"{_moment(event.get('start_at'))} {plain(event.get('ip', '?'))} {what} ({counts})"


def top_lines(waf: Waf) -> Iterator[str]:
    """Who attacks, and how."""
    events = events_of(waf)
    yield f"{waf.name}: {counted(len(events), 'attack event')}"
    for name, label in (("ip", "clients"), ("attack_type", "kinds"), ("host", "hosts")):
        counts = Counter(plain(event[name]) for event in events if event.get(name))
        if counts:
            top = ", ".join(f"{value} {count}×" for value, count in counts.most_common(5))
            yield f"{waf.name}: {label}: {top}"


def outcomes_since(ledger: Ledger, hours: int) -> Sequence[Outcome]:
    """Outcomes of the last hours, the newest first."""
    return ledger.outcomes(since=datetime.now(UTC) - timedelta(hours=hours), limit=OUTCOMES_READ)


def status_lines(ledger: Ledger) -> Iterator[str]:
    """How tickets of the last day ended."""
    outcomes = outcomes_since(ledger, 24)
    counts = Counter(outcome.status.value for outcome in outcomes)
    ends = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    yield f"Pipeline, last 24 hours: {counted(len(outcomes), 'ticket run')}{': ' + ends if ends else ''}"
    newest = outcomes or ledger.outcomes(limit=1)
    yield from (f"  {outcome_line(outcome)}" for outcome in newest[:5])


def failure_lines(ledger: Ledger) -> Iterator[str]:
    """Outcomes of the last week that `refute batch --only-failed` would run again."""
    failed = [one for one in outcomes_since(ledger, 7 * 24) if one.status not in CONTENT]
    yield f"Failures, last 7 days: {counted(len(failed), 'ticket run')}"
    yield from (f"  {outcome_line(outcome)}" for outcome in failed[:SHOWN])


def outcome_line(outcome: Outcome) -> str:
    """One outcome."""
    when = f"{outcome.started_at:%Y-%m-%d %H:%M}"
    return f"{when} {outcome.ticket_id} {outcome.status}: {plain(on_one_line(outcome.reason), 160)}"


def audit_lines(path: Path) -> Iterator[str]:
    """The newest lines of the audit log."""
    try:
        with path.open("rb") as log:
            size = log.seek(0, 2)
            log.seek(max(0, size - AUDIT_TAIL_BYTES))
            lines = log.read().splitlines()
    except OSError as error:
        yield f"Audit log {path}: {error.strerror}"
        return
    records = [record for line in lines if (record := _record(line))]
    denied = sum(record.get("decision") == "deny" for record in records)
    yield f"Audit log: {denied} of the last {counted(len(records), 'decision')} denied; whole log: refute audit verify"
    for record in records[-SHOWN:]:
        told = (plain(record.get(name, "")) for name in ("gate", "decision", "reason"))
        yield f"  {str(record.get('timestamp'))[:19]} {' '.join(told)}"


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        read_back = json.loads(line)
    except ValueError:
        return None
    return read_back if isinstance(read_back, dict) else None


def _number(event: Event, name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) else 0


def _moment(value: object) -> str:
    if not isinstance(value, int | float) or not 0 <= value < 2**40:
        return plain(value or "?", 40)
    seconds = value / 1000 if value > 10**11 else value  # some fields are in milliseconds
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
