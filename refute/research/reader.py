"""Data plane: a fetched page becomes a source, and a model without tools reads it."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from refute.errors import BudgetExhausted, ModelUnavailable
from refute.guardrails.audit import Gate
from refute.guardrails.gates import Gates
from refute.guardrails.injection import sanitize_retrieved_text
from refute.guardrails.transport import Page
from refute.llm.model import Ending, Model
from refute.llm.pricing import total
from refute.research.contract import read_answer
from refute.research.page import Unreadable, read_page
from refute.research.prompting import read_prompt
from refute.research.record import Answer, Goal, Reading, Source

HIDDEN_CHARS: Final = 40
"""So much hidden text makes a page suspicious."""


def source_of(page: Page, number: int, gates: Gates, max_chars: int) -> Source:
    """A page as the reader gets it: what a person would see, without what tries to instruct, cut.

    Args:
        page: as fetched.
        number: of the source.
        gates: hear of what tries to instruct.
        max_chars: of its text.
    """
    blank = Source(number=number, url=page.url, transferred_bytes=page.transferred_bytes)
    try:
        seen = read_page(page.body, page.content_type, page.charset)
    except Unreadable as error:
        return replace(blank, missing=str(error))
    clean = gates.retrieved(seen.text, source=page.url, gate=Gate.RESEARCH_FETCH, max_chars=max_chars)
    title = sanitize_retrieved_text(seen.title)
    tags = [f"tries to instruct its reader ({', '.join(clean.suspicion.patterns)})"] if clean.suspicion.flagged else []
    if sum(one.chars for one in seen.dropped) >= HIDDEN_CHARS:
        reasons = dict.fromkeys(one.reason for one in seen.dropped)
        tags.append(f"hides text ({', '.join(reasons)})")
    if len(seen.text) > max_chars:
        tags.append(f"has {len(seen.text):,} characters, of which {max_chars:,} were read")
    return replace(
        blank,
        title=title,
        text=clean.text,
        dropped=seen.dropped,
        tags=tuple(tags),
        missing="" if clean.text else "no visible text",
    )


def read_source(goal: Goal, source: Source, model: Model, tries: int) -> Reading:
    """What a model answers about a source. An answer that cannot be read is asked for once more, if `tries` allows.

    Raises:
        ModelUnavailable, BudgetExhausted: nobody answered.
    """
    if source.missing:
        return Reading(number=source.number, missing=source.missing)
    prompt = read_prompt(goal, source)
    cost: Decimal | None = Decimal(0)
    why = ""
    for sample in range(tries):
        try:
            completion = model.generate(replace(prompt, sample=sample))
        except (ModelUnavailable, BudgetExhausted) as error:
            error.cost_usd = total([error.cost_usd, cost])
            raise
        cost, reply = total([cost, completion.cost_usd]), completion.reply
        read = read_answer(reply.text) if reply.ending is Ending.COMPLETE else f"the answer is {reply.ending}"
        if isinstance(read, Answer):
            return Reading(number=source.number, answer=read, cost_usd=cost)
        why = read
    return Reading(number=source.number, missing=why, cost_usd=cost)
