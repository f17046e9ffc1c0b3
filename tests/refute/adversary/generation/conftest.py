"""A brief with a module, and a model whose answers are written down beforehand."""

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.generation.planting import VIOLATIONS
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from tests.refute.adversary.conftest import make_brief

CLAIMS = ("double(x) returns twice its argument.", "Bad input raises ValueError.")
MODULE = '''"""Arithmetic."""

LIMIT: int = 100
_HIDDEN = "the answer is 42"


class Counter:
    """Counts."""

    step: int = 1

    def add(self, n: int) -> int:
        """Add n."""
        return self._inner(n)

    def _inner(self, n: int) -> int:
        return n + self.step


def double(x: int) -> int:
    """Twice x."""
    if x == 13:
        return 27
    return helper(x) * 2


def helper(x: int) -> int:
    return x
'''


@pytest.fixture
def brief() -> Brief:
    """Two claims about a module whose code holds a bug that no outline may show."""
    made = make_brief(*CLAIMS, max_tests=10)
    return replace(made, modules=(SourceModule(module=made.modules[0].module, source=MODULE),))


class ScriptedModel:
    """Gives its answers one after the other; the last one again and again."""

    def __init__(self, answers: Sequence[Reply | Exception]) -> None:
        self._answers = list(answers)
        self.prompts: list[Prompt] = []
        self.plants: Reply | Exception = says({"violations": []})
        """Its answer to the question for violations of clauses, which is not among the prompts."""

    def generate(self, prompt: Prompt) -> Completion:
        if prompt.name == VIOLATIONS:
            return self._completion(self.plants)
        self.prompts.append(prompt)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return self._completion(answer)

    @staticmethod
    def _completion(answer: Reply | Exception) -> Completion:
        if isinstance(answer, Exception):
            raise answer
        return Completion(reply=answer, cost_usd=Decimal("0.01"), latency_s=0.1)


def says(value: Any, *, ending: Ending = Ending.COMPLETE) -> Reply:
    """A reply whose text is this, as JSON unless it is text already."""
    text = value if isinstance(value, str) else json.dumps(value)
    return Reply(ending=ending, text=text, detail=ending.upper(), usage=Usage(), model="m")


def written(name: str, *, claim: str = "C1", code: str = "", quote: str = "") -> dict[str, str]:
    """A test as a model answers it."""
    body = code or f"def {name}():\n    from impl import double\n    assert double(2) == 4\n"
    words = quote or CLAIMS[int(claim[1:]) - 1]
    return {"name": name, "claim_id": claim, "quote": words, "category": "edge", "code": body}
