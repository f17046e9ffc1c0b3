"""An outcome as a JSON document: what the ledger, evidence files and `--format json` hold. Its schema is published.

ASCII only, so that hostile text in it can neither act on a terminal nor depend on an encoding.
"""

import json
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from refute.errors import LedgerUnavailable
from refute.outcome import SCHEMA_VERSION, Outcome

SCHEMA_FILE: Final = "docs/outcome.schema.json"
_JSON: Final = TypeAdapter(Outcome)


def write_document(outcome: Outcome, *, indent: int | None = 2) -> str:
    """The outcome as JSON, fields in their declared order. Never fails: lone surrogates are written as escapes."""
    return as_json(_JSON, outcome, indent=indent)


def read_document(text: str) -> Outcome:
    """The outcome that a document holds.

    Raises:
        LedgerUnavailable: it is not one that this version can read.
    """
    try:
        return _JSON.validate_json(text)
    except ValidationError as error:
        raise LedgerUnavailable(
            f"stored outcome: {first_faults(error)}; expected schema version {SCHEMA_VERSION}",
            hint="It was written by another version of refute, or changed by hand. Upgrade refute, or remove it.",
        ) from error


def document_schema() -> str:
    """The JSON Schema (draft 2020-12) of the documents."""
    return published_schema(_JSON, title="Outcome of one run of one ticket in refute", version=SCHEMA_VERSION)


def as_json(adapter: TypeAdapter[Any], record: Any, *, indent: int | None) -> str:
    """A record as JSON, ASCII only."""
    return json.dumps(storable(adapter.dump_python(record, mode="json")), indent=indent, ensure_ascii=True)


def first_faults(error: ValidationError, shown: int = 5) -> str:
    """What is wrong with a document, on one line."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:shown])


def published_schema(adapter: TypeAdapter[Any], *, title: str, version: int) -> str:
    """The JSON Schema (draft 2020-12) of documents, under their title and version."""
    heading = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "version": version}
    schema = adapter.json_schema(mode="serialization")
    return json.dumps(heading | {key: value for key, value in schema.items() if key not in heading}, indent=2) + "\n"


def storable(value: Any) -> Any:
    """The value with every lone surrogate, which no reader of JSON must accept, shown as its escape."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {key: storable(item) for key, item in value.items()}
    return value
