"""The question of each critic. A changed text is a new version, never an edit."""

from collections.abc import Mapping
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.fitting import claims_shown
from refute.adversary.generation.prompting import tier_of
from refute.critics.answer import SCHEMA, read_review
from refute.critics.focus import Focus
from refute.critics.material import change_of, promises_of
from refute.critics.record import ReviewFailure
from refute.llm.model import MARKER, DataClass, Prompt, Tier, fence
from refute.llm.prompt_files import PromptFiles

PROMPTS: Final = PromptFiles("refute.critics")
VERSION: Final = 1
SYSTEM: Final = "critic-system-1"
REMEDY: Final = "remedy-1"
MAX_SCRIPT_CHARS: Final = 4_000


def critic_id(focus: Focus) -> str:
    """`correctness-1`."""
    return f"{focus}-{VERSION}"


def alternating(first: Tier, count: int) -> tuple[Tier, ...]:
    """Which of the two models each critic asks: that of the ticket, then the other one, in turn."""
    other = Tier.FLASH if first is Tier.PRO else Tier.PRO
    return tuple(other if number % 2 else first for number in range(count))


def review_prompt(focus: Focus, brief: Brief, script: str, tier: Tier) -> Prompt:
    """The question of one critic, with no sight of what others say.

    Args:
        focus: what it looks for.
        brief: of the ticket.
        script: the author's verification script, whose quality it looks at too.
        tier: of the model that is asked.
    """
    parts = {
        "Ticket": f"{brief.ticket.id}: {brief.ticket.title}",
        "Promises": claims_shown(promises_of(brief.ticket), room=brief.max_prompt_chars // 2),
        "Change": change_of(brief),
        "The author's verification script": script[:MAX_SCRIPT_CHARS],
    }
    return Prompt(
        name=f"critic-{critic_id(focus)}",
        system=f"{PROMPTS.filled(critic_id(focus))}\n{PROMPTS.filled(SYSTEM)}",
        text=_data(parts),
        answer_schema=SCHEMA,
        tier=tier,
        data_class=DataClass.CODE,
        usable=lambda answer: not isinstance(read_review(answer), str),
    )


def remedy_prompt(brief: Brief, failure: ReviewFailure) -> Prompt:
    """The question for a remedy of a failure that is confirmed: never part of the review, which it would sway."""
    parts = {"Failure": f"{failure.description}\n{failure.evidence}\n{failure.reason}", "Change": change_of(brief)}
    return Prompt(
        name=REMEDY,
        system=PROMPTS.filled(REMEDY),
        text=_data(parts),
        answer_schema={
            "type": "object",
            "properties": {"remediation": {"type": "string"}},
            "required": ["remediation"],
        },
        tier=tier_of(brief.ticket.labels),
        data_class=DataClass.CODE,
        max_output_tokens=4_096,
    )


def _data(parts: Mapping[str, str]) -> str:
    """What others wrote, each part under its heading, between markers."""
    told = "\n\n".join(f"## {heading}\n{fence(text)}" for heading, text in parts.items())
    return f"BEGIN {MARKER}\n{told}\nEND {MARKER}\n"
