"""Answers to the oracle vote: what a scripted voter says about each situation."""

import re
from collections.abc import Mapping

from tests.fakes.gemini.wire import Answer, Asked, json_answer

QUESTION = "What do these claims demand in these situations?"
OPEN = {"demand": "open"}


def is_vote(asked: Asked) -> bool:
    """Whether a request is a vote's question."""
    return QUESTION in asked.text


def votes(asked: Asked, said: Mapping[str, Mapping[str, str]]) -> Answer:
    """One entry per situation, chosen by a text in its code; `open` where none fits.

    Args:
        asked: a vote's question.
        said: text in a situation → answer (`demand`, `value`, `error`).
    """
    _, *parts = re.split(r"^## Situation (\d+), .*$", asked.text, flags=re.MULTILINE)
    found = []
    for number, code in zip(parts[::2], parts[1::2], strict=True):
        answer = next((answer for text, answer in said.items() if text in code), OPEN)
        found.append({"situation": int(number), **answer})
    return json_answer({"answers": found})
