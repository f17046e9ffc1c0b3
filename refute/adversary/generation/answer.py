"""A model's answer to a request for tests. Whatever is malformed is left out and told, one test at a time."""

from textwrap import dedent, indent
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema

from refute.adversary.attack import Category
from refute.guardrails.plain_text import encodable
from refute.llm.answer_json import read_object

MAX_CODE_CHARS: Final = 8_000
MAX_ITEMS: Final = 200
"""Tests of one answer that are read at all; an attack has room for far fewer."""
T = TypeVar("T", bound=BaseModel)
CONFIG: Final = ConfigDict(frozen=True, use_attribute_docstrings=True)
"""What stands below a field is also told to the model, in the schema."""
Name = Annotated[str, Field(pattern=r"^test_[A-Za-z0-9_]{1,120}$")]


def _requiring(*names: str) -> JsonDict:
    """What is asked for, though an answer may be read without it."""
    return {"required": list(names)}


class WrittenTest(BaseModel):
    """One test, as the model wrote it."""

    model_config = CONFIG | ConfigDict(
        json_schema_extra=_requiring("name", "claim_id", "quote", "category", "derivation")
    )

    name: Name
    claim_id: Annotated[str, Field(max_length=64)]
    quote: Annotated[str, Field(max_length=2_000)]
    """Verbatim part of that claim."""
    category: Category
    derivation: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """From the claim's words to what must come out."""
    arrange: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """Statements before `act`, Python."""
    act: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """One Python expression that calls the code; empty where `code` says all."""
    expected: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """Python literal that `act` must equal."""
    raises: Annotated[str, Field(max_length=200)] = ""
    """Exception class that `act` must raise instead."""
    code: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """The whole function with its decorators, Python, where parts do not do."""

    @property
    def function(self) -> str:
        """The whole function: as it was written, or made of its parts."""
        if self.code.strip() or not self.act.strip():
            return self.code
        act = self.act.strip()
        last = f"with pytest.raises({self.raises}):\n    {act}" if self.raises else f"assert {act} == {self.expected}"
        body = "\n".join(filter(None, (dedent(self.arrange).strip(), last)))
        return f"def {self.name}():\n{indent(body, '    ')}\n"


class GivenUp(BaseModel):
    """A claim that the model could not attack."""

    model_config = CONFIG

    claim_id: Annotated[str, Field(max_length=64)]
    reason: Annotated[str, Field(max_length=500)]


class WrittenTests(BaseModel):
    """A whole answer."""

    model_config = CONFIG | ConfigDict(json_schema_extra=_requiring("tests"))

    preamble: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = ""
    """Imports and small helper functions, Python."""
    tests: tuple[WrittenTest, ...] = ()
    untestable: tuple[GivenUp, ...] = ()
    faults: SkipJsonSchema[tuple[str, ...]] = ()
    """What was left out, one line each; ours, not the model's."""


ANSWER_SCHEMA: Final = WrittenTests.model_json_schema()
"""What the model is asked to keep to; no model always does."""


def read_answer(text: str) -> WrittenTests | None:
    """Read an answer as it came; None where it is no JSON object at all."""
    data = read_object(text)
    if data is None:
        return None
    faults: list[str] = []
    tests = each(WrittenTest, data.get("tests"), "test", faults)
    untestable = each(GivenUp, data.get("untestable"), "untestable claim", faults)
    preamble = data.get("preamble", "")
    if not isinstance(preamble, str) or len(preamble) > MAX_CODE_CHARS or not encodable(preamble):
        faults.append("the preamble is no text of acceptable length")
        preamble = ""
    return WrittenTests(preamble=preamble, tests=tuple(tests), untestable=tuple(untestable), faults=tuple(faults))


def is_usable(text: str) -> bool:
    """Whether an answer is worth keeping: some test of it can be read, or it is well-formed and gives none."""
    answer = read_answer(text)
    return answer is not None and (bool(answer.tests) or listed(text, "tests") == [])


def listed(text: str, key: str) -> list[Any] | None:
    """What an answer lists under a key; None where it is no JSON object that does."""
    found = (read_object(text) or {}).get(key)
    return found if isinstance(found, list) else None


def each(kind: type[T], items: Any, what: str, faults: list[str]) -> list[T]:
    """The items of a list that can be read as a kind; what cannot is told as a fault, `what` by number."""
    kept = []
    given = items if isinstance(items, list) else []
    if len(given) > MAX_ITEMS:
        faults.append(f"{len(given)} {what}s were given, only the first {MAX_ITEMS} are read")
    for number, item in enumerate(given[:MAX_ITEMS], start=1):
        try:
            kept.append(kind.model_validate(item))
        except ValidationError as error:
            fields = sorted({str(fault["loc"][0]) for fault in error.errors() if fault["loc"]})
            faults.append(f"{what} {number} is malformed: {', '.join(fields) or 'no object'}")
    return kept
