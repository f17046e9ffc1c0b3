"""An outcome as a JSON document: what the ledger, evidence files and `--format json` hold. Its schema is published.

ASCII only, so that hostile text in it can neither act on a terminal nor depend on an encoding.
"""

import json
from typing import Any, Final

from pydantic import ValidationError

from refute.errors import LedgerUnavailable
from refute.outcome import OUTCOME_JSON, SCHEMA_VERSION, Outcome

SCHEMA_FILE: Final = "docs/outcome.schema.json"


def write_document(outcome: Outcome, *, indent: int | None = 2) -> str:
    """The outcome as JSON, fields in their declared order. Never fails: lone surrogates are written as escapes."""
    fields = storable(OUTCOME_JSON.dump_python(outcome, mode="json"))
    return json.dumps(fields, indent=indent, ensure_ascii=True)


def read_document(text: str) -> Outcome:
    """The outcome that a document holds.

    Raises:
        LedgerUnavailable: it is not one that this version can read.
    """
    try:
        return OUTCOME_JSON.validate_json(text)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
        raise LedgerUnavailable(
            f"stored outcome: {faults}; expected schema version {SCHEMA_VERSION}",
            hint="It was written by another version of refute, or changed by hand. Upgrade refute, or remove it.",
        ) from error


def document_schema() -> str:
    """The JSON Schema (draft 2020-12) of the documents."""
    schema = OUTCOME_JSON.json_schema(mode="serialization")
    heading = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Outcome of one run of one ticket in refute",
        "version": SCHEMA_VERSION,
    }
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
