"""A model whose answers are written down beforehand."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from refute.adversary.generation.planting import VIOLATIONS
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage


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
