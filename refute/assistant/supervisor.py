"""The supervisor: chooses a specialist, and puts its facts in words. It sees no confirmation and calls no tool.

Whatever a model answers becomes one of eight words, or text that is quoted above the facts: nothing else comes of it.
"""

import json
import re
from typing import Final

from refute.assistant.sources import MARKS
from refute.assistant.table import load
from refute.errors import BudgetExhausted, ModelUnavailable, ModelUnpriced
from refute.guardrails.gates import Gates
from refute.guardrails.plain_text import printable
from refute.guardrails.routes import DIRECT, ROUTES
from refute.guardrails.segmentation import RULE, segment
from refute.llm.model import MARKER, DataClass, Model, Prompt, fence
from refute.llm.prompt_files import PromptFiles

PROMPTS: Final = PromptFiles("refute.assistant")
ROUTE_PROMPT: Final = "assist-route-1"
ANSWER_PROMPT: Final = "assist-answer-1"
MAX_FACTS_CHARS: Final = 6_000
MAX_WORDS_CHARS: Final = 2_000
QUOTE: Final = "│ "
ENOUGH: Final = 2.0
"""The least weight of keywords that decides."""
_CLAIM: Final = re.compile(r"\bexecuted\b|\bchange failed\b|\bconfirm\w*\s+\W?\d", re.IGNORECASE)
"""What could pass for a reply to a change, or a request to confirm one."""
NO_ANSWER: Final = (ModelUnavailable, BudgetExhausted, ModelUnpriced)


class Supervisor:
    """Asks a model; without one, or where it gives no answer, keywords choose, and the answer says so.

    Args:
        model: that is asked; None: none.
        why_not: why there is none, for the person who asked.
    """

    def __init__(self, model: Model | None = None, *, why_not: str = "no model is configured") -> None:
        self._model = model
        self.by = "by Gemini" if model else f"by keywords: {why_not}"
        """How it chooses."""

    def route(self, question: str, gates: Gates) -> str:
        """What the model answers, if it is exactly one route; else by the table of keywords."""
        if self._model is None:
            return gates.route(route_by_keywords(question))
        try:
            raw = self._model.generate(route_prompt(question)).reply.text
        except NO_ANSWER as error:
            self.by = f"by keywords: {error.message}"
            return gates.route(route_by_keywords(question))
        return gates.route(_field(raw, "route"))

    def word(self, question: str, facts: str, gates: Gates) -> str:
        """What the model makes of the facts, each line quoted, so that it passes for nothing of ours."""
        if self._model is None:
            return ""
        clean = gates.retrieved(facts, source="facts for the model", max_chars=MAX_FACTS_CHARS).text
        try:
            raw = self._model.generate(answer_prompt(question, clean)).reply.text
        except NO_ANSWER as error:
            return f"{QUOTE}Gemini gave no answer: {error.message}"
        words = printable(_field(raw, "answer"), max_chars=MAX_WORDS_CHARS).strip()
        if words != words.translate(MARKS) or _CLAIM.search(words):
            words = "(omitted: the model spoke of a change or a confirmation, which is not its to report)"
        return "\n".join(f"{QUOTE}{line}" for line in ("Gemini:", *words.splitlines())) if words else ""


def route_by_keywords(question: str) -> str:
    """The route whose words stand in a question, by `routes.toml`; `direct` where none or several fit."""
    return load("routes", "route").best(question, enough=ENOUGH) or DIRECT


def route_prompt(question: str) -> Prompt:
    """The question for a route."""
    return Prompt(
        name=ROUTE_PROMPT,
        system=f"{PROMPTS.text(ROUTE_PROMPT)}\n{RULE}",
        text=_block(question, "question of an operator"),
        answer_schema=_schema("route", {"type": "string", "enum": [*ROUTES]}),
        data_class=DataClass.OPERATIONS,
        max_output_tokens=2_048,
    )


def answer_prompt(question: str, facts: str) -> Prompt:
    """The question for an answer in words."""
    return Prompt(
        name=ANSWER_PROMPT,
        system=f"{PROMPTS.text(ANSWER_PROMPT)}\n{RULE}",
        text=f"{_block(question, 'question of an operator')}\n\n{_block(facts, 'facts')}",
        answer_schema=_schema("answer", {"type": "string"}),
        data_class=DataClass.OPERATIONS,
        max_output_tokens=4_096,
    )


def system_lines() -> list[str]:
    """The instructions of both prompts, which no answer may repeat."""
    return [line for name in (ROUTE_PROMPT, ANSWER_PROMPT) for line in PROMPTS.text(name).splitlines() if line.strip()]


def _block(text: str, label: str) -> str:
    return segment(fence(text), label, token=lambda: MARKER)


def _schema(name: str, kind: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": {name: kind}, "required": [name]}


def _field(raw: str, name: str) -> str:
    """The one field of an answer, or the answer itself where it is no such object: its reader is strict."""
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    return answer[name] if isinstance(answer, dict) and [*answer] == [name] and isinstance(answer[name], str) else raw
