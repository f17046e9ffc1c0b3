"""The preflight: nothing is sent to a project that keeps what it is sent."""

import json
from pathlib import Path

import pytest

from refute.errors import ModelUnavailable
from refute.guardrails.audit import AuditLog
from refute.llm.gemini import Gemini
from refute.llm.retention import ask_retention, require_zero_retention
from tests.fakes.gemini.server import GeminiServer


def last_line(path: Path) -> dict[str, object]:
    line: dict[str, object] = json.loads(path.read_text().splitlines()[-1])
    return line


def test_a_project_without_caching_is_let_through_on_record(gemini: Gemini, tmp_path: Path) -> None:
    require_zero_retention(gemini, AuditLog(tmp_path / "audit.jsonl"), run_id="r1")
    line = last_line(tmp_path / "audit.jsonl")
    assert (line["gate"], line["decision"]) == ("retention", "allow")


@pytest.mark.parametrize("caching_disabled", [False, None])
def test_a_project_that_caches_or_does_not_say_is_refused_on_record(
    gemini: Gemini, server: GeminiServer, tmp_path: Path, *, caching_disabled: bool | None
) -> None:
    server.caching_disabled = caching_disabled
    with pytest.raises(ModelUnavailable):
        require_zero_retention(gemini, AuditLog(tmp_path / "audit.jsonl"), run_id="r1")
    assert last_line(tmp_path / "audit.jsonl")["decision"] == "deny"
    assert server.asked == []


def test_it_is_said_how_caching_is_switched_off(gemini: Gemini, server: GeminiServer) -> None:
    server.caching_disabled = False
    assert '"disableCache": true' in ask_retention(gemini).detail
