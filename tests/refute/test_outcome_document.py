"""The JSON document of an outcome: complete, ASCII, readable again, with a published schema."""

import json
from pathlib import Path

import pytest

from refute.errors import LedgerUnavailable
from refute.outcome import SCHEMA_VERSION, Outcome
from refute.outcome_document import SCHEMA_FILE, document_schema, read_document, write_document
from tests.fakes.outcomes import fake_outcome
from tests.golden_files import assert_agreed

ROOT = Path(__file__).resolve().parents[2]


def outcome(title: str) -> Outcome:
    return fake_outcome(title=title, changed_paths={"verify": ("a\udc80b",)})


def test_no_text_can_keep_an_outcome_from_being_written_and_read() -> None:
    document = write_document(outcome("lone \udc80 surrogate"), indent=None)
    assert document.isascii()
    read = read_document(document)
    assert read.title == r"lone \udc80 surrogate"
    assert read.changed_paths == {"verify": (r"a\udc80b",)}


def test_a_document_of_another_kind_is_an_error_that_says_what_is_wrong() -> None:
    with pytest.raises(LedgerUnavailable, match="run_id: Field required"):
        read_document('{"schema_version": 99}')


def test_the_published_schema_is_current() -> None:
    assert_agreed(document_schema(), ROOT / SCHEMA_FILE)


def test_the_schema_names_its_version_and_every_field() -> None:
    schema = json.loads(document_schema())
    assert schema["version"] == SCHEMA_VERSION
    assert set(schema["properties"]) == set(json.loads(write_document(outcome("t"))))
