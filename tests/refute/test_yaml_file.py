"""Files that people write: whatever is wrong with one is told with its name, and never a traceback."""

import pytest
from pydantic import BaseModel, ConfigDict, Field

from refute.errors import UsageError
from refute.yaml_file import YamlFile


class Entry(BaseModel):
    """One entry of a list."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(min_length=10)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"- reason: \xff", r"is not UTF-8 \(byte 11\)"),
        (b"- reason: 2026-13-99", "is no YAML: month must be in 1..12"),
        (b"[" * 1100, "is no YAML: maximum recursion depth"),
        (b"- reason: [", "line 1: is no YAML"),
        (b"reason: good enough", "the file: got {'reason': 'good enough'}, expected a list"),
        (b"- reason: short", "entry 1, reason: got 'short', expected at least 10 characters"),
        (b"- {reasn: secret, reason: long enough}", "entry 1, reasn: no field has this name, did you mean reason?"),
        (b"- {}", "entry 1, reason: missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path, content, told):
    path = tmp_path / "allow.yaml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=rf"^allow-file {path}: {told}") as caught:
        YamlFile(path=path, what="allow-file", hint="Expected entries.", error=UsageError).entries(Entry)
    assert "secret" not in str(caught.value)


def test_a_directory_and_a_missing_file_are_told(tmp_path):
    for path, told in ((tmp_path, "got a directory"), (tmp_path / "gone.yaml", "cannot be read: No such file")):
        with pytest.raises(UsageError, match=told):
            YamlFile(path=path, hint="").read()
