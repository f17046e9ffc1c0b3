"""Bytes of a YAML or JSON document as plain data with line numbers, refusing what a ticket never needs.

Aliases, tags, several documents, deep nesting and large files are refused: they are how a parser is attacked
(a "billion laughs" needs aliases, object construction needs tags). No scalar is converted: a number keeps its text.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

MAX_DOCUMENT_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 20

FieldPath: TypeAlias = tuple[str | int, ...]

_LOADER: Final[type[Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KINDS: Final[Mapping[str, str]] = {
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:bool": "a truth value",
    "tag:yaml.org,2002:timestamp": "a date",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A value that is not text, as it was written (`3.10` stays `3.10`)."""

    text: str
    kind: str
    """In words: `a number`, `a truth value`, `a date`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, at one field."""

    path: FieldPath
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed document; `value` is made of dict, list, str, None and `Scalar`."""

    value: Any
    lines: Mapping[FieldPath, int] = field(default_factory=dict)
    """Field → 1-based line, where known."""
    faults: tuple[Fault, ...] = ()


class DocumentError(Exception):
    """The bytes are no document at all; the message says where and what was expected."""


def decode(data: bytes) -> str:
    """Text of a document.

    Raises:
        DocumentError: too large, not UTF-8, or holding NUL.
    """
    if len(data) > MAX_DOCUMENT_BYTES:
        raise DocumentError(f"got {len(data):,} bytes, expected at most {MAX_DOCUMENT_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise DocumentError(f"line {line}: got the byte 0x{byte:02x}, expected UTF-8 text") from error
    if "\0" in text:
        raise DocumentError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: got a NUL byte, expected text")
    return text


def parse_json(data: bytes, *, first_line: int = 1) -> Document:
    """Read one JSON value; `first_line` is where it starts in its file.

    Raises:
        DocumentError: with line and column.
    """
    text = decode(data)
    faults: list[Fault] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        faults.extend(Fault(path=(key,), message="is given more than once, expected once") for key in repeated)
        return dict(pairs)

    def number(written: str) -> Scalar:
        return Scalar(text=written, kind="a number")

    try:
        value = json.loads(text, object_pairs_hook=mapping, parse_int=number, parse_float=number, parse_constant=number)
        value = _without_truth_values(value, 0)
    except json.JSONDecodeError as error:
        place = f"line {first_line + error.lineno - 1}, column {error.colno}"
        raise DocumentError(f"{place}: {error.msg}, expected JSON") from error
    except RecursionError as error:
        raise DocumentError(_too_deep(first_line)) from error
    return Document(value=value, faults=tuple(faults))


def _without_truth_values(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise RecursionError
    match value:
        case bool():
            return Scalar(text=str(value).lower(), kind="a truth value")
        case dict():
            return {key: _without_truth_values(entry, depth + 1) for key, entry in value.items()}
        case list():
            return [_without_truth_values(entry, depth + 1) for entry in value]
        case _:
            return value


def parse_yaml(data: bytes) -> Document:
    """Read one YAML document.

    Raises:
        DocumentError: with line and column.
    """
    text = decode(data)
    try:
        _refuse_dangerous(text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise DocumentError(f"{place}{error.problem or error.context}, expected YAML") from error
    except yaml.YAMLError as error:
        raise DocumentError(f"{' '.join(str(error).split())}, expected YAML") from error
    builder = _Builder(lines={(): 1}, faults=[])
    value = builder.build(node, ()) if node is not None else None
    return Document(value=value, lines=builder.lines, faults=tuple(builder.faults))


def _refuse_dangerous(text: str) -> None:
    """Look at the flat stream of events first, so that nothing nested or repeated is ever built."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise DocumentError(f"line {line}: got an alias, expected the value itself: write it out")
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            raise DocumentError(f"line {line}: got the anchor &{event.anchor[:40]}, expected none: write values out")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            raise DocumentError(f"line {line}: got the tag {event.tag[:60]!r}, expected plain data without tags")
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if documents > 1:
            raise DocumentError(f"line {line}: got a second document (`---`), expected one ticket in a file")
        if depth > MAX_DEPTH:
            raise DocumentError(_too_deep(line))


def _too_deep(line: int) -> str:
    return f"line {line}: got more than {MAX_DEPTH} levels of nesting, expected a ticket"


@dataclass(frozen=True, slots=True)
class _Builder:
    """Makes plain data from YAML nodes and notes lines and repeated keys on the way."""

    lines: dict[FieldPath, int]
    faults: list[Fault]

    def build(self, node: yaml.Node, path: FieldPath) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        match node:
            case yaml.ScalarNode():
                return _scalar(node)
            case yaml.SequenceNode():
                return [self.build(entry, (*path, index)) for index, entry in enumerate(node.value)]
            case _:
                return dict(self._entries(node, path))

    def _entries(self, node: yaml.Node, path: FieldPath) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.faults.append(Fault(path=path, message=f"got a list or mapping as a name in line {line}"))
                continue
            key = key_node.value
            if key in seen:
                message = f"is given twice, in lines {seen[key]} and {line}, expected once"
                self.faults.append(Fault(path=(*path, key), message=message))
                continue
            seen[key] = line
            self.lines[(*path, key)] = line
            yield key, self.build(value_node, (*path, key))


def _scalar(node: yaml.ScalarNode) -> str | Scalar | None:
    if node.tag == "tag:yaml.org,2002:null":
        return None
    kind = _KINDS.get(node.tag)
    return Scalar(text=node.value, kind=kind) if kind else str(node.value)
