"""`gemini.yaml`: what keeps data private must be said, and nothing else is accepted."""

import json
from pathlib import Path

import pytest

from refute.errors import ModelUnavailable, SettingsInvalid
from refute.guardrails.audit import AuditLog
from refute.llm.enterprise import EXAMPLE, GeminiSettings, is_loopback
from refute.llm.gemini import Gemini
from refute.llm.model import Tier
from refute.llm.retention import require_zero_retention
from tests.fakes.gemini.server import GeminiServer


def read(folder: Path, text: str) -> GeminiSettings:
    path = folder / "gemini.yaml"
    path.write_text(text)
    return GeminiSettings.read(path)


def test_the_example_that_errors_show_is_accepted(tmp_path: Path) -> None:
    settings = read(tmp_path, EXAMPLE)
    assert settings.models.of(Tier.FLASH) == "gemini-3.8-flash"
    assert settings.models.of(Tier.PRO) == "gemini-3.1-pro-preview"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("enterprise: false", "enterprise: got False, expected True"),
        ("data_retention: standard", "data_retention: got 'standard', expected 'none'"),
        ("api_key: AIzaSecret", r"api_key: no field has this name\n(?s:.*)an API key\) is refused"),
        ("base_url: https://gemini.example", "only an http"),
        ("base_url: http://user@127.0.0.1:80", "only an http"),
        ("models: {flash: ../secret}", "models.flash"),
    ],
)
def test_what_would_weaken_it_is_refused(tmp_path: Path, change: str, told: str) -> None:
    key = change.split(":", maxsplit=1)[0]
    kept = [line for line in EXAMPLE.splitlines() if not line.startswith(f"{key}:")]
    with pytest.raises(SettingsInvalid, match=told) as caught:
        read(tmp_path, "\n".join([*kept, change]))
    assert "AIzaSecret" not in str(caught.value)


@pytest.mark.parametrize("missing", ["enterprise", "data_retention", "project", "location"])
def test_what_matters_must_be_said(tmp_path: Path, missing: str) -> None:
    kept = [line for line in EXAMPLE.splitlines() if not line.startswith(missing)]
    with pytest.raises(SettingsInvalid, match=missing):
        read(tmp_path, "\n".join(kept))


@pytest.mark.parametrize("text", ["", "- a list", "a: [", "\x00"])
def test_what_is_no_settings_file_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsInvalid):
        read(tmp_path, text)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1/", "https://127.9.9.9"])
def test_addresses_of_this_machine(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    ["http://10.0.0.1", "http://localhost.example", "ftp://127.0.0.1", "127.0.0.1", "http://[::1", "", "http://0x7f.1"],
)
def test_every_other_address(url: str) -> None:
    assert not is_loopback(url)


def last_line(path: Path) -> dict[str, object]:
    line: dict[str, object] = json.loads(path.read_text().splitlines()[-1])
    return line


@pytest.mark.parametrize("caching_disabled", [False, None])
def test_a_project_that_caches_or_does_not_say_is_refused_on_record(
    gemini: Gemini, server: GeminiServer, tmp_path: Path, *, caching_disabled: bool | None
) -> None:
    server.caching_disabled = caching_disabled
    with pytest.raises(ModelUnavailable):
        require_zero_retention(gemini, AuditLog(tmp_path / "audit.jsonl"), run_id="r1")
    assert last_line(tmp_path / "audit.jsonl")["decision"] == "deny"
    assert server.asked == []
