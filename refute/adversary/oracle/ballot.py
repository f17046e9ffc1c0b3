"""The question of a vote and what one sample answers to it."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refute.adversary.generation.answer import without_fence
from refute.adversary.generation.fitting import MAX_CLAIM_CHARS
from refute.adversary.generation.prompting import fill, template
from refute.adversary.oracle.predicate import holds
from refute.adversary.oracle.question import CONDITION, Form, Situation
from refute.adversary.oracle.shown import literal
from refute.llm.model import MARKER, DataClass, Prompt, Reply, Tier
from refute.ticket.record import Claim

SYSTEM: Final = "vote-system-5"
VOTE: Final = "vote-2"
STEP: Final = "    "
"""Before every line of what others wrote, so that none can be taken for the heading of a situation."""
MAX_OUTPUT_TOKENS: Final = 8_192
ASKED: Final = re.compile(rf"(?P<start>.*^ *{CONDITION} = )(?P<condition>[^\n]*)", re.DOTALL | re.MULTILINE)
"""Up to the last line that sets a condition; lines of a loop may follow."""
ANSWER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "situation": {"type": "integer"},
                    "demand": {"type": "string", "enum": ["returns", "satisfies", "raises", "true", "false", "open"]},
                    "value": {"type": "string", "description": "Python literal"},
                    "predicate": {"type": "string", "description": "Python condition over `result`"},
                    "error": {"type": "string", "description": "name of an exception class"},
                },
                "required": ["situation", "demand"],
            },
        }
    },
    "required": ["answers"],
}


class Answer(BaseModel):
    """What a sample says that the claim demands."""

    model_config = ConfigDict(frozen=True)

    situation: int
    demand: Literal["returns", "satisfies", "raises", "true", "false", "open"]
    value: Annotated[str, Field(max_length=5_000)] | None = None
    predicate: Annotated[str, Field(max_length=1_000)] = ""
    error: Annotated[str, Field(max_length=200)] | None = None

    def agrees(self, situation: Situation, *, negated: bool = False) -> bool:
        """Whether the test expects the same."""
        match situation.form:
            case Form.VALUE if self.demand == "satisfies":
                return self._allows(situation.expected) is True and self._allows_what_came(situation) is False
            case Form.VALUE:
                return self.demand == "returns" and self._expected(situation)
            case Form.RAISES:
                return self._holds(negated=negated) and _covers(situation.expected, self.error or "")
            case Form.ENDS | Form.CONDITION:
                return self._holds(negated=negated)

    def contradicts(self, situation: Situation, *, negated: bool = False) -> bool:
        """Whether the claim demands just what came: then the test is wrong, not the code."""
        match situation.form:
            case Form.VALUE if self.demand == "satisfies":
                return self._allows_what_came(situation) is True
            case Form.VALUE:
                return self.demand == "returns" and not self._expected(situation) and self._came(situation)
            case Form.RAISES if situation.observed:
                return self._holds(negated=negated) and _covers(str(situation.observed), self.error or "")
            case Form.ENDS:
                return self._holds(negated=not negated) and _covers(str(situation.observed), self.error or "")
            case Form.RAISES | Form.CONDITION:
                return self._holds(negated=not negated)

    def misses(self, control: Situation) -> bool:
        """Whether this is an answer to a published example, and another than the published one."""
        match self.demand:
            case "open":
                return False
            case "satisfies":
                return self._allows(control.expected) is False
        return not self.agrees(control)

    def _allows(self, value: Any) -> bool | None:
        return holds(self.predicate, value)

    def _allows_what_came(self, situation: Situation) -> bool | None:
        seen = literal(situation.seen)
        return None if seen is None else self._allows(seen[0])

    def _holds(self, *, negated: bool) -> bool:
        """Whether a condition must hold, by an answer to it or to its opposite."""
        return self.demand == ("false" if negated else "true")

    def _expected(self, situation: Situation) -> bool:
        """Whether the test expects the same; in kind too (a list, no tuple), where what came differs only in that."""
        given = self._given()
        seen = literal(situation.seen)
        if given is not None and seen is not None and equal(seen[0], situation.expected):
            return _alike(given[0], situation.expected)
        return _same(given, (situation.expected,))

    def _came(self, situation: Situation) -> bool:
        """Whether this is what came, as far as it was told: of long values pytest leaves out the middle."""
        given = self._given()
        seen = literal(situation.seen)
        if given is None or seen is not None:
            return given is not None and seen is not None and equal(given[0], seen[0])
        head, cut, tail = situation.seen.partition("...")
        told = repr(given[0])
        return bool(cut and head) and told.startswith(head) and told.endswith(tail) and len(told) >= len(head + tail)

    def _given(self) -> tuple[Any] | None:
        return literal(self.value) if self.value is not None else None


def vote_prompt(
    claims: Sequence[Claim], situations: Sequence[tuple[Claim, Situation]], *, outline: str, sample: int
) -> Prompt:
    """The question of one sample.

    Args:
        claims: those that the situations are about.
        outline: signatures and docstrings, which say what an argument stands for.
        situations: each with its claim; numbered from 1.
        sample: an odd one is asked about the opposite of every condition, so that saying yes to all decides nothing.
    """
    told = "\n\n".join(
        f"## Situation {number}, claim {claim.id}\n{_code(situation, negated=negated(sample))}"
        for number, (claim, situation) in enumerate(situations, start=1)
    )
    stated = "\n".join(f"{claim.id}: {_indented(claim.text[: 4 * MAX_CLAIM_CHARS])}" for claim in claims)
    return Prompt(
        name=VOTE,
        system=template(SYSTEM).replace("{marker}", MARKER),
        text=fill(VOTE, claims=stated, outline=indent(outline, STEP), situations=told),
        answer_schema=ANSWER_SCHEMA,
        tier=Tier.FLASH,
        data_class=DataClass.CLAIMS,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        sample=sample,
        usable=lambda text: bool(_answers(text)),
    )


def _indented(text: str) -> str:
    return f"\n{STEP}".join(text.splitlines())


def negated(sample: int) -> bool:
    """Whether a sample is asked about the opposite of a condition."""
    return sample % 2 == 1


def read_ballot(reply: Reply) -> Mapping[int, Answer]:
    """Number of a situation → answer; what is malformed, or answered twice, is no answer."""
    return _answers(reply.text)


def _answers(text: str) -> Mapping[int, Answer]:
    try:
        data = json.loads(without_fence(text))
        entries = data["answers"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    found: dict[int, Answer] = {}
    twice: set[int] = set()
    for entry in entries if isinstance(entries, list) else []:
        try:
            answer = Answer.model_validate(entry)
        except ValidationError:
            continue
        twice |= {answer.situation} & set(found)
        found[answer.situation] = answer
    return {number: answer for number, answer in found.items() if number not in twice}


def _code(situation: Situation, *, negated: bool) -> str:
    if not (situation.form.is_condition and negated):
        return situation.code
    return ASKED.sub(r"\g<start>not (\g<condition>)", situation.code, count=1)


def _covers(expected: str, error: str) -> bool:
    """Whether a name is one of those expected; a base class of all errors covers any."""
    names = {name.strip() for name in expected.split(",")}
    return bool(error) and (error.rpartition(".")[2] in names or not names.isdisjoint({"Exception", "BaseException"}))


def _same(given: tuple[Any] | None, expected: tuple[Any]) -> bool:
    return given is not None and equal(given[0], expected[0])


def _alike(one: Any, other: Any) -> bool:
    """Equal, and of one kind in all parts."""
    return bool(one == other) and repr(one) == repr(other)


def equal(one: Any, other: Any) -> bool:
    """Equal as plain data: sequences of any kind by their items, numbers within rounding, truth values apart."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float | int) and isinstance(other, float | int):
        return one == other or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)
