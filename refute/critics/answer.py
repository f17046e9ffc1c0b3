"""A critic's answer: JSON, read strictly. What cannot be read is no review; no part of it is guessed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refute.adversary.generation.answer import MAX_CODE_CHARS
from refute.critics.record import ReviewFailure, ReviewVerdict, Severity, verdict_of
from refute.guardrails.plain_text import printable
from refute.llm.answer_json import read_object

MAX_FAILURES: Final = 30
Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class Counterexample(BaseModel):
    """A test that fails on the code if the failure is real."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    promise: Annotated[str, Field(max_length=64)]
    """Id of the claim or criterion that it holds the code to."""
    quote: Annotated[str, Field(max_length=2_000)]
    """The words of that promise."""
    code: Annotated[str, Field(max_length=MAX_CODE_CHARS)]
    """One function, `def test_…():`, with its imports inside."""


class WrittenFailure(BaseModel):
    """One failure, as the critic wrote it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    severity: Severity
    description: Text
    evidence: Text
    counterexample: Counterexample | None = None


class WrittenReview(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["pass", "fail", "conditional_pass"]
    failures: Annotated[tuple[WrittenFailure, ...], Field(max_length=MAX_FAILURES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReview:
    """An answer with what was corrected in it."""

    verdict: ReviewVerdict
    failures: tuple[ReviewFailure, ...]
    counterexamples: Mapping[int, Counterexample]
    """Index of a failure → its counterexample."""
    note: str = ""


SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["pass", "fail", "conditional_pass"]},
        "failures": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "severity": {"type": "string", "enum": [one.value for one in Severity]},
                    "description": {"type": "string", "description": "what goes wrong, for which input"},
                    "evidence": {"type": "string", "description": "path:line, path:first-last, or code copied exactly"},
                    "counterexample": {
                        "type": "object",
                        "properties": {
                            "promise": {"type": "string", "description": "id of the promise that it breaks"},
                            "quote": {"type": "string", "description": "verbatim part of that promise"},
                            "code": {"type": "string", "description": "def test_…(): fails if the failure is real"},
                        },
                        "required": ["promise", "quote", "code"],
                    },
                },
                "required": ["severity", "description", "evidence"],
            },
        },
    },
    "required": ["verdict", "failures"],
}


def read_review(text: str) -> ReadReview | str:
    """An answer, or in words why it is none.

    A verdict that contradicts the failures is the failures'; a note says so.
    """
    data = read_object(text)
    if data is None:
        return "the answer is no JSON object"
    try:
        written = WrittenReview.model_validate(data)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the answer"
        return f"the answer is not of the form asked for: {where}: {printable(fault['msg'], keep_newlines=False)}"
    failures = tuple(
        ReviewFailure(severity=one.severity, description=_line(one.description), evidence=one.evidence.strip())
        for one in written.failures
    )
    verdict, said = verdict_of(failures), ReviewVerdict(written.verdict)
    note = "" if verdict is said else f"said {said} beside failures that come to {verdict}: these count"
    tests = {index: one.counterexample for index, one in enumerate(written.failures) if one.counterexample}
    return ReadReview(verdict=verdict, failures=failures, counterexamples=tests, note=note)


def read_remedy(text: str) -> str:
    """The remedy of an answer, on one line; empty where there is none."""
    remedy = (read_object(text) or {}).get("remediation")
    return _line(remedy)[:2_000] if isinstance(remedy, str) else ""


def _line(text: str) -> str:
    return printable(" ".join(text.split()), keep_newlines=False)
