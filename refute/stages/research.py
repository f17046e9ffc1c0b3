"""A ticket's references, read on the web, as a cited brief for whoever writes tests: data, never instructions."""

from typing import Final

from refute.guardrails.gates import Gates
from refute.llm.model import Completion, DataClass, Model, Prompt
from refute.ports import Ports
from refute.research.fetching import Fetcher, WebFetcher
from refute.research.harness import Effects, Harness
from refute.research.record import Findings, Goal
from refute.settings_fields import TesterName
from refute.stages.evidence import References
from refute.stages.usage import models_used
from refute.ticket.record import Ticket
from refute.wording import counted

STAGE: Final = "research"
MAX_GOAL_CHARS: Final = 1_500
MAX_BRIEF_CHARS: Final = 6_000


def read_references(ports: Ports, ticket: Ticket, fetcher: Fetcher | None = None) -> References:
    """What a ticket's references say about its claims; nothing where the settings or the ticket ask for nothing.

    Only a model that writes tests reads it: without one, nothing is fetched. Whatever goes wrong with a page is a note.

    Args:
        ports: effects and settings.
        ticket: with references.
        fetcher: by default the web.
    """
    asked = any(name is not TesterName.PROPERTY for name in ports.settings.testers)
    if not (ports.settings.research.enabled and ticket.references and asked):
        return References()
    listening = _Listening(ports.model(ticket.id))
    claims = " ".join(claim.text for claim in ticket.claims)
    text = f"What is specified about: {ticket.title}. {claims}"[:MAX_GOAL_CHARS]
    goal = Goal(text=text, urls=ticket.references, data_class=DataClass.CLAIMS)
    gates = Gates(audit=ports.audit, run_id=ports.run_id, modes=ports.settings.guardrails)
    effects = Effects(fetcher=fetcher or WebFetcher(), model=listening, gates=gates)
    harness = Harness(goal, ports.settings.research, effects)
    findings = ports.stages.run(STAGE, harness.run)
    return References(
        brief=brief_of_findings(findings),
        summary=f"{counted(len(findings.key_points), 'point')} of {counted(len(ticket.references), 'reference')}",
        notes=tuple(f"references: {note}" for note in findings.notes),
        cost_usd=findings.cost_usd,
        models=models_used(listening.completions),
    )


def brief_of_findings(findings: Findings) -> str:
    """The points with their passages and sources, in the order of the references."""
    lines: list[str] = []
    for citation in findings.citations:
        lines.append(f"[{citation.number}] {citation.url}")
        lines += [f"- {one.quote}" for one in findings.key_points if one.source == citation.number]
    return "\n".join(lines)[:MAX_BRIEF_CHARS]


class _Listening:
    """A model whose answers are kept, for what the stage cost by model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.completions: list[Completion] = []

    def generate(self, prompt: Prompt) -> Completion:
        """Ask."""
        completion = self._model.generate(prompt)
        self.completions.append(completion)
        return completion
