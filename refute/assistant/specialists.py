"""The specialists that read. Each answers from its sources; what others wrote in them is shown, never followed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from refute.assistant import sources as facts
from refute.assistant.cve import ids_in, look_up
from refute.assistant.docs_search import search_docs
from refute.assistant.safeline import STRENGTH, Waf, read
from refute.assistant.sources import Sources, each_waf, plain
from refute.assistant.table import load
from refute.errors import RefuteError
from refute.guardrails.gates import Gates
from refute.guardrails.injection import MAX_CHUNK_CHARS
from refute.guardrails.plain_text import printable
from refute.wording import counted

MANY_CLIENTS: Final = 3
"""So many different clients caught by one rule at one path look like users, not like an attacker."""
OUTCOMES_SHOWN: Final = 20
PASSAGE_CHARS: Final = 700
HELP: Final = """\
I answer operators of refute and SafeLine. Ask me for
  the status of pipeline and WAF          "what is the status?"
  attacks, audit log, failures            "show the latest attacks", "what failed today?"
  a CVE                                   "what is CVE-2021-44228?"
  false positives                         "which rules should we tune?"
  an incident or cost report              "give me the cost report"
  how something works, from the documents "how do I confirm a batch?"
or tell me to change the WAF              "block 203.0.113.7", "set shop.example to detect"
A change happens only after you confirm it with the number that you are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a specialist found."""

    text: str
    citations: tuple[str, ...] = ()


Specialist = Callable[[str, Sources, Gates], Finding]


def monitor(_question: str, sources: Sources, _gates: Gates) -> Finding:
    """Pipeline and WAF as they are."""
    return _lines(facts.status_lines(sources.ledger), each_waf(sources, facts.waf_lines))


def log_analyst(question: str, sources: Sources, _gates: Gates) -> Finding:
    """The log that is asked about: attack events, the audit log, failures."""
    logs: Mapping[str, Callable[[], Iterator[str]]] = {
        "audit": lambda: facts.audit_lines(sources.audit_path),
        "failures": lambda: facts.failure_lines(sources.ledger),
        "events": lambda: each_waf(sources, facts.event_lines),
    }
    asked = load("routes", "log").scores(question) or logs
    return _lines(*(logs[name]() for name in asked))


def outcomes(_question: str, sources: Sources, _gates: Gates) -> Finding:
    """The newest outcomes."""
    return _lines(map(facts.outcome_line, sources.ledger.outcomes(limit=OUTCOMES_SHOWN)))


def threat_intel(question: str, sources: Sources, gates: Gates) -> Finding:
    """CVE records."""
    try:
        records = look_up(sources.settings, question, gates)
    except RefuteError as error:
        return Finding(text=f"No CVE lookup: {error.message}. {error.hint}".strip())
    lines = []
    for one in records:
        clean = gates.retrieved(one.summary, source=one.id)
        score = "no CVSS score" if one.score is None else f"CVSS {one.score:g}"
        lines.append(f"{plain(one.id)} ({score}): {plain(clean.text, MAX_CHUNK_CHARS)}")
    missing = sorted({*ids_in(question)} - {one.id for one in records})
    lines += [f"{cve_id}: not in the source" for cve_id in missing]
    found = tuple(one.id for one in records)
    return Finding(text="\n".join(lines) or "The CVE source has nothing on that; name an id.", citations=found)


def tuner(_question: str, sources: Sources, _gates: Gates) -> Finding:
    """Which rules catch users, and what to do."""
    return _lines(each_waf(sources, _tuning_lines))


def reporter(_question: str, sources: Sources, _gates: Gates) -> Finding:
    """The report of incidents and costs."""
    report = printable(sources.report().strip()).translate(facts.MARKS)
    return _lines(iter(report.splitlines()), iter(("Attacks",)), each_waf(sources, facts.top_lines))


def rag_agent(question: str, sources: Sources, gates: Gates) -> Finding:
    """Passages of the documents, cited; instructions in them are taken out, and said to be."""
    try:
        passages = search_docs(question, sources.settings.docs)
    except RefuteError as error:
        return Finding(text=error.message)
    parts, citations = [], []
    for passage in passages:
        clean = gates.retrieved(f"{passage.heading}\n{passage.text}", source=passage.citation)
        heading, _, body = printable(clean.text).translate(facts.MARKS).partition("\n")
        shown = body[:PASSAGE_CHARS] + ("…" if len(body) > PASSAGE_CHARS else "")
        note = f" ({counted(clean.removed, 'instruction')} removed)" if clean.removed else ""
        quoted = "\n".join(f"  {line}" for line in (heading, *shown.strip().splitlines()))
        parts.append(f"{plain(passage.citation)}{note}\n{quoted}")
        citations.append(plain(passage.citation))
    return Finding(text="\n\n".join(parts) or "The documents say nothing about that.", citations=tuple(citations))


def direct(_question: str, _sources: Sources, _gates: Gates) -> Finding:
    """What can be asked."""
    return Finding(text=HELP)


READERS: Final[Mapping[str, Specialist]] = {
    "monitor": monitor,
    "log_analyst": log_analyst,
    "threat_intel": threat_intel,
    "tuner": tuner,
    "reporter": reporter,
    "rag_agent": rag_agent,
    "direct": direct,
}
"""All but `config_manager`, which alone can bring about a change."""


def _lines(*parts: Iterator[str]) -> Finding:
    return Finding(text="\n".join(line for part in parts for line in part))


def _tuning_lines(waf: Waf) -> Iterator[str]:
    clients: dict[tuple[str, str], set[str]] = {}
    for event in facts.events_of(waf):
        where = plain(f"{event.get('host') or ''}{event.get('url_path') or ''}")
        clients.setdefault((plain(event.get("attack_type") or "a rule"), where), set()).add(str(event.get("ip")))
    likely = [(place, ips) for place, ips in clients.items() if len(ips) >= MANY_CLIENTS]
    for (kind, where), ips in sorted(likely, key=lambda one: -len(one[1])):
        yield f"{waf.name}: {kind} at {where}: {len(ips)} different clients, perhaps false positives"
        yield f"  look at requests there; then allow that path for {kind}, or lower its strength in the console"
    if not likely:
        yield f"{waf.name}: no rule catches {MANY_CLIENTS} or more clients at one path: no sign of false positives"
    strengths = read(waf, STRENGTH)
    found = strengths.items() if isinstance(strengths, dict) else ()
    if strict := [plain(name) for name, value in found if value == "strict"]:
        yield f"{waf.name}: strict modules, the first to lower to default: {', '.join(strict)}"
    yield f"{waf.name}: to watch without blocking meanwhile, say: set the mode to detect"
