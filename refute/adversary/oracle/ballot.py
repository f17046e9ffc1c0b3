"""The question of a vote and what one sample answers to it."""

import math
import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from refute.adversary.generation.answer import CONFIG, each, listed
from refute.adversary.generation.fitting import MAX_CLAIM_CHARS
from refute.adversary.generation.prompting import PROMPTS
from refute.adversary.oracle.predicate import holds
from refute.adversary.oracle.question import RESULT, Situation, literal
from refute.llm.model import DataClass, Prompt
from refute.ticket.record import Claim

SYSTEM: Final = "vote-system-6"
VOTE: Final = "vote-2"
STEP: Final = "    "
"""Before every line of what others wrote, so that none can be taken for the heading of a situation."""
ASKED: Final = re.compile(rf"(?P<start>.*^ *{RESULT} = )(?P<condition>[^\n]*)", re.DOTALL | re.MULTILINE)
"""Up to the last line that sets the result; lines of a loop may follow."""
ANY_ERROR: Final = frozenset({"Exception", "BaseException"})


class Answer(BaseModel):
    """What a sample says that the claim demands."""

    model_config = CONFIG

    situation: int
    demand: Literal["returns", "satisfies", "raises", "open"]
    value: Annotated[str, Field(max_length=5_000)] = ""
    """Python literal."""
    predicate: Annotated[str, Field(max_length=1_000)] = ""
    """Python condition over `result`."""

    def agrees(self, situation: Situation) -> bool:
        """Whether the test expects the same."""
        came = literal(situation.came)
        match self.demand, literal(self.value):
            case "satisfies", _:
                allowed = came and holds(self.predicate, came[0])
                return holds(self.predicate, situation.expected) is True and allowed is False
            case "returns", (str(name),) if situation.raises:
                return name.rpartition(".")[2] in situation.raises or not ANY_ERROR.isdisjoint(situation.raises)
            case "returns", (value,):  # in kind too (a list, no tuple), where what came differs only in that
                by_kind = came is not None and equal(came[0], situation.expected)
                return repr(value) == repr(situation.expected) if by_kind else equal(value, situation.expected)
        return False

    def contradicts(self, situation: Situation) -> bool:
        """Whether the claim demands just what came: then the test is wrong, not the code."""
        came = literal(situation.came)
        match self.demand, literal(self.value):
            case "satisfies", _:
                return came is not None and holds(self.predicate, came[0]) is True
            case "returns", (value,):
                told = equal(value, came[0]) if came else _cut_to(repr(value), situation.came)
                return told and not self.agrees(situation)
        return False

    def misses(self, control: Situation) -> bool:
        """Whether this is an answer to a published example, and another than the published one."""
        if self.demand == "satisfies":
            return holds(self.predicate, control.expected) is False
        return self.demand != "open" and not self.agrees(control)


class Ballot(BaseModel):
    """All answers of a sample."""

    answers: list[Answer]


def vote_prompt(situations: Sequence[tuple[Claim, Situation]], *, outline: str, sample: int) -> Prompt:
    """The question of one sample.

    Args:
        situations: each with its claim; numbered from 1. Behind them stand the opposites of those that are true or
            false, so that saying yes to all decides nothing.
        outline: signatures and docstrings, which say what an argument stands for.
        sample: its number.
    """
    asked = [(claim.id, situation.code) for claim, situation in situations]
    asked += [(claim.id, _opposite(one.code)) for claim, one in situations if one.is_truth]
    told = [f"## Situation {number}, claim {claim}\n{code}" for number, (claim, code) in enumerate(asked, start=1)]
    claims = {claim.id: _indented(claim.text[: 4 * MAX_CLAIM_CHARS]) for claim, _ in situations}
    stated = "\n".join(f"{claim}: {text}" for claim, text in claims.items())
    return Prompt(
        name=VOTE,
        system=PROMPTS.filled(SYSTEM),
        text=PROMPTS.filled(VOTE, claims=stated, outline=indent(outline, STEP), situations="\n\n".join(told)),
        answer_schema=Ballot.model_json_schema(),
        data_class=DataClass.CLAIMS,
        max_output_tokens=8_192,
        sample=sample,
        usable=lambda text: bool(read_ballot(text, ())),
    )


def read_ballot(text: str, situations: Sequence[tuple[Claim, Situation]]) -> Mapping[int, Answer]:
    """Number of a situation → answer; what is malformed, answered twice or the same as its opposite is no answer.

    Args:
        text: a sample's answer.
        situations: as they were given to `vote_prompt`.
    """
    found = each(Answer, listed(text, "answers"), "answer", [])
    numbers = [answer.situation for answer in found]
    answers = {answer.situation: answer for answer in found if numbers.count(answer.situation) == 1}
    truths = [number for number, (_, one) in enumerate(situations, start=1) if one.is_truth]
    for opposite, number in enumerate(truths, start=len(situations) + 1):
        said = {answers[one].value.strip() for one in (number, opposite) if one in answers}
        if said != {"True", "False"}:
            answers.pop(number, None)
    return answers


def _indented(text: str) -> str:
    return f"\n{STEP}".join(text.splitlines())


def _opposite(code: str) -> str:
    return ASKED.sub(r"\g<start>not (\g<condition>)", code, count=1)


def _cut_to(value: str, told: str) -> bool:
    """Whether this is what came, as far as it was told: of long values pytest leaves out the middle."""
    head, cut, tail = told.partition("...")
    return bool(cut and head) and value.startswith(head) and value.endswith(tail) and len(value) >= len(head + tail)


def equal(one: Any, other: Any) -> bool:
    """Equal as plain data: sequences of any kind by their items, numbers within rounding, truth values apart."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float | int) and isinstance(other, float | int):
        return one == other or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)
