"""The two questions to a model. A changed text is a new version, never an edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from refute.guardrails.injection import MAX_CHUNK_CHARS
from refute.guardrails.segmentation import RULE, segment
from refute.llm.model import MARKER, Prompt, fence
from refute.llm.prompt_files import PromptFiles
from refute.research.contract import SCHEMA, is_usable
from refute.research.grounding import MIN_QUOTE_CHARS
from refute.research.record import Goal, Source

PROMPTS: Final = PromptFiles("refute.research")
PLAN: Final = "plan-1"
READ: Final = "read-1"
READ_SYSTEM: Final = "read-system-1"
PLAN_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"urls": {"type": "array", "items": {"type": "string"}}},
    "required": ["urls"],
}


def plan_prompt(goal: Goal, hosts: Sequence[str], follow: int) -> Prompt:
    """The planner's question: the goal and addresses, never a page."""
    text = PROMPTS.filled(PLAN, follow=str(follow), hosts=", ".join(hosts), goal=goal.text, urls="\n".join(goal.urls))
    return Prompt(
        name=f"research-{PLAN}",
        system="You plan what is read. Answer with JSON alone.",
        text=text,
        answer_schema=PLAN_SCHEMA,
        data_class=goal.data_class,
        max_output_tokens=4_096,
    )


def read_prompt(goal: Goal, source: Source) -> Prompt:
    """The reader's question about one page, whose text stands between delimiters that nobody could foresee."""
    label = f"source {source.number}"
    blocks = [segment(fence(part), label, token=lambda: MARKER) for part in chunks(source.text)]
    values = {"goal": goal.text, "number": str(source.number), "url": source.url, "blocks": "\n\n".join(blocks)}
    return Prompt(
        name=f"research-{READ}",
        system=system_text(),
        text=PROMPTS.filled(READ, **values),
        answer_schema=SCHEMA,
        data_class=goal.data_class,
        max_output_tokens=8_192,
        usable=is_usable,
    )


def system_text() -> str:
    """The reader's instructions; an answer must not repeat them."""
    return PROMPTS.filled(READ_SYSTEM, rule=RULE, min_quote=str(MIN_QUOTE_CHARS))


def chunks(text: str) -> list[str]:
    """A text in parts of at most `MAX_CHUNK_CHARS`, between lines where it has any."""
    parts, rest = [], text
    while len(rest) > MAX_CHUNK_CHARS:
        end = rest.rfind("\n", 1, MAX_CHUNK_CHARS) + 1 or MAX_CHUNK_CHARS
        parts.append(rest[:end])
        rest = rest[end:]
    return [*parts, rest]
