"""Who answers: a specialist chosen by keywords, `direct` where that is unsure."""

from typing import Final

from refute.assistant.table import load
from refute.guardrails.routes import DIRECT

ENOUGH: Final = 2.0


def route_by_keywords(question: str) -> str:
    """The route whose words stand in a question, by `routes.toml`; `direct` where none or several fit."""
    return load("routes.toml", "route").best(question, enough=ENOUGH) or DIRECT
