"""The shape of a ticket document, and what is wrong with one in words for its author."""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from refute.ticket.document import Fault, FieldPath, Scalar
from refute.ticket.examples import Condition, Examples, Expression
from refute.ticket.fields import (
    DirectoryPath,
    DottedName,
    ExitCode,
    FilePath,
    FilledExactly,
    FilledText,
    Glob,
    Id,
    Label,
    Name,
    PinnedRequirement,
    PythonVersion,
    Revision,
    Text,
    Url,
    Words,
    Workspace,
    shown,
)


class _Strict(BaseModel):
    """No field more, no value converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PropertyModel(_Strict):
    """`property` of a claim."""

    given: Annotated[dict[Name, Expression], Field(min_length=1)]
    check: Expression
    assume: Expression | None = None


def _calls_from_one(value: Any) -> Any:
    """One call stands for a list of them, and a plain expression for a call that raises the error."""
    return [{"call": one} if isinstance(one, str) else one for one in (value if isinstance(value, list) else [value])]


def _everywhere_from_list(value: Any) -> Any:
    """A list of functions says nothing of where they are unchanged: everywhere."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return dict.fromkeys(value, "")
    return value


class RaisesModel(_Strict):
    """What raises one error of a claim's `raises`."""

    call: Expression
    given: Annotated[dict[Name, Expression], Field(min_length=1)] | None = None
    assume: Expression | None = None


def _text_from_exact(value: Any) -> Any:
    """A plain text is meant exactly."""
    return {"exact": value} if isinstance(value, str) else value


def _parts_from_one(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class TextModel(_Strict):
    """What a stream or a file must hold: all of it, or parts."""

    exact: FilledExactly | None = None
    contains: Annotated[list[FilledExactly], BeforeValidator(_parts_from_one)] = []


class FilesModel(_Strict):
    """`files` of a claim about a program."""

    before: dict[FilePath, Text] = {}
    after: dict[FilePath, Annotated[TextModel, BeforeValidator(_text_from_exact)]] = {}


def _claim_from_text(value: Any) -> Any:
    """A plain string is a claim too."""
    return {"text": value} if isinstance(value, str) else value


class ClaimModel(_Strict):
    """One entry of `claims`, where it is not a plain string."""

    text: FilledText
    id: Id | None = None
    examples: Examples = []
    property: PropertyModel | None = None
    raises: dict[DottedName, Annotated[list[RaisesModel], BeforeValidator(_calls_from_one), Field(min_length=1)]] = {}
    same_as: dict[DottedName, DottedName] = {}
    unchanged: Annotated[dict[DottedName, Condition], BeforeValidator(_everywhere_from_list)] = {}
    run: Words | None = None
    stdin: Text = ""
    exit: ExitCode | None = None
    stdout: Annotated[TextModel, BeforeValidator(_text_from_exact)] | None = None
    stderr: Annotated[TextModel, BeforeValidator(_text_from_exact)] | None = None
    files: FilesModel = FilesModel()


class TicketModel(_Strict):
    """A whole ticket document."""

    id: Id
    title: FilledText
    implementation_files: Annotated[list[FilePath], Field(min_length=1)]
    verification_script: FilePath
    claims: Annotated[list[Annotated[ClaimModel, BeforeValidator(_claim_from_text)]], Field(min_length=1)]
    description: Text = ""
    success_criteria: list[FilledText] = []
    anti_criteria: list[FilledText] = []
    workspace: Workspace = "."
    include: list[Glob] = []
    import_roots: Annotated[list[DirectoryPath], Field(min_length=1)] | None = None
    requirements: list[PinnedRequirement] = []
    python: PythonVersion = "3.11"
    kind: Literal["python", "cli"] = "python"
    labels: list[Label] = []
    references: list[Url] = []
    previous: FilePath | None = None
    base: Revision | None = None
    focus_areas: list[Literal["correctness", "security", "performance", "spec_compliance"]] = []


_EXPECTED: Final[Mapping[str, str]] = {
    "id": "an id such as TCK-101",
    "title": "one line that names the change",
    "implementation_files": "a list of at least one file",
    "verification_script": "the path of a script such as verify.sh",
    "claims": "a list of at least one claim",
    "import_roots": "a list of directories, or leave it out to have them detected",
    "text": "the sentence that is claimed",
    "given": "a mapping of variable name to type, e.g. {n: 'int'}",
    "check": "a Python expression that must be true",
    "python": "a Python version in quotes, '3.11' or '3.13'",
    "property": "a mapping with given, check and optionally assume",
    "call": "a Python expression that raises the error",
    "raises": "a mapping of error to call, or to a list of them, e.g. {ValueError: \"parse('')\"}",
    "same_as": "a mapping of function to function, e.g. {fast_sum: sum}",
    "unchanged": "a list of functions, or a mapping of each to a condition, e.g. {parse: \"'-' not in text\"}",
    "stdin": "the text that the program reads",
    "stdout": "the exact text in quotes, or {contains: [...]}",
    "stderr": "the exact text in quotes, or {contains: [...]}",
    "contains": "a text in quotes, or a list of them",
    "files": "a mapping with before and after, each of path to text",
    "before": "a mapping of path to text",
    "after": "a mapping of path to text, or to {contains: [...]}",
}
_MAX_FAULTS: Final = 100
_TYPES: Final[Mapping[str, str]] = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def validate(value: Any) -> tuple[TicketModel | None, tuple[Fault, ...]]:
    """The ticket in a document's value, or everything that is wrong with it."""
    if not isinstance(value, dict):
        expected = "a mapping with the fields of a ticket (id, title, claims, …)"
        return None, (Fault(path=(), message=f"got {shown(value)}, expected {expected}"),)
    try:
        return TicketModel.model_validate(_without_empty(value), context={"kind": value.get("kind")}), ()
    except ValidationError as error:
        details = error.errors(include_url=False)
        faults = [_fault(one) for one in details[:_MAX_FAULTS]]
        if len(details) > _MAX_FAULTS:
            faults.append(Fault(path=(), message=f"has {len(details) - _MAX_FAULTS:,} more problems of this kind"))
        return None, tuple(faults)


def _without_empty(value: Any) -> Any:
    """A field that is named and left empty counts as left out."""
    match value:
        case dict():
            return {key: _without_empty(entry) for key, entry in value.items() if entry is not None}
        case list():
            return [_without_empty(entry) for entry in value]
        case _:
            return value


def _fault(details: ErrorDetails) -> Fault:
    path = tuple(part for part in details["loc"] if part != "[key]")
    path = path[:-1] if path[-1:] == ("exact",) else path  # mostly a plain text
    return Fault(path=path, message=_message(details, path))


def _message(details: ErrorDetails, path: FieldPath) -> str:
    got, name = details["input"], str(path[-1]) if path else ""
    if details["type"] == "model_type" and path[:-1] == ("claims",):
        return f"got {shown(got)}, expected a sentence in quotes, or a mapping with text"
    match details["type"]:
        case "missing":
            message = f"missing, expected {_EXPECTED.get(name, 'a value')}"
        case "extra_forbidden":
            message = f"unknown field{_suggestion(path)}"
        case "value_error":
            message = str(details["ctx"]["error"])
        case "too_short":
            message = f"got {shown(got)}, expected {_EXPECTED.get(name, 'at least one entry')}"
        case "literal_error":
            message = f"got {shown(got)}, expected {details['ctx']['expected']}"
        case kind if kind in _TYPES:
            message = f"got {shown(got)}, expected {_EXPECTED.get(name, _TYPES[kind])}{_quotes(kind, got)}"
        case _:
            message = f"got {shown(got)}: {details['msg']}"
    return message


def _quotes(kind: str, got: object) -> str:
    if kind == "string_type" and isinstance(got, Scalar):
        return f': write it in quotes, "{got.text[:40]}"'
    return ""


def _owner(path: FieldPath) -> type[_Strict]:
    """The model that an unknown field was found in."""
    if path[-4:-3] == ("raises",):
        return RaisesModel
    if path[-3:-2] == ("after",):
        return TextModel
    named: dict[str, type[_Strict]] = {
        "property": PropertyModel,
        "files": FilesModel,
        "stdout": TextModel,
        "stderr": TextModel,
    }
    return named.get(str(path[-2]), ClaimModel) if len(path) > 1 else TicketModel


def _suggestion(path: FieldPath) -> str:
    model = _owner(path)
    known = list(model.model_fields)
    written = str(path[-1]).replace("-", "_").lower()
    if close := difflib.get_close_matches(written, known, n=1, cutoff=0.65):
        return f", did you mean {close[0]}?"
    if model is ClaimModel:
        return f"; expected {', '.join(known)} (a claim that holds ': ' needs quotes)"
    return f"; expected one of {', '.join(known)}"
