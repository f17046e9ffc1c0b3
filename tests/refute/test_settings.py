"""Settings, and the page that tells them."""

import re
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from refute.assistant.instances import AssistantSettings
from refute.critics.focus import BlockOn, CriticsSettings, Focus
from refute.errors import SettingsInvalid
from refute.guardrails.switches import GuardrailSettings, Mode
from refute.research.settings import ResearchSettings
from refute.scan.finding import Severity
from refute.settings import SETTINGS_FILE, Settings
from refute.settings_variables import NO_SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def written(default: Any) -> str:
    """A default as the page writes it."""
    match default:
        case bool():
            return str(default).lower()
        case None | "" | ():
            return "none"
        case tuple():
            return ", ".join(default)
        case Severity():
            return default.name.lower()
        case Enum():
            return str(default.value)
    return str(default)


def test_every_setting_is_told_with_its_default() -> None:
    told = dict(re.findall(r"^\| `([\w.]+)` \| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    fields = dict(Settings.model_fields)
    del fields["state_dir"]  # hangs on the machine
    assert told.pop("state_dir") == "~/.local/state/refute"
    critics = {f"critics.{name}": field for name, field in CriticsSettings.model_fields.items()}
    gates = {f"guardrails.{name}": field for name, field in GuardrailSettings.model_fields.items()}
    research = {f"research.{name}": field for name, field in ResearchSettings.model_fields.items()}
    reads = {f"assistant.{name}": field for name, field in AssistantSettings.model_fields.items()}
    del fields["critics"], fields["guardrails"], fields["research"], fields["assistant"]
    nested = {**critics, **gates, **research, **reads}
    assert told == {name: written(field.default) for name, field in {**fields, **nested}.items()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to run refute in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_variables_are_stronger_than_the_file_and_flags_than_both(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / SETTINGS_FILE).write_text("mutants: 1\nrepetitions: 1\nmax_tests: 1\nattack_directories: [a/, b/]\n")
    monkeypatch.setenv("REFUTE_REPETITIONS", "2")
    monkeypatch.setenv("REFUTE_MAX_TESTS", "2")
    settings = Settings.load(max_tests=3)
    assert (settings.mutants, settings.repetitions, settings.max_tests) == (1, 2, 3)
    assert settings.attack_directories == ("a/", "b/")


def test_a_nested_setting_is_read_from_its_variable_and_a_misspelt_one_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / SETTINGS_FILE).write_text("critics: {block_on: any}\n")
    monkeypatch.setenv("REFUTE_CRITICS__FOCUS_AREAS", '["security"]')
    critics = Settings.load().critics
    assert (critics.focus_areas, critics.block_on) == ((Focus.SECURITY,), BlockOn.ANY)
    monkeypatch.setenv("REFUTE_CRITICS__FOCUS", '["security"]')
    with pytest.raises(SettingsInvalid, match="did you mean REFUTE_CRITICS__FOCUS_AREAS"):
        Settings.load()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"mutants: 1\nmutants 2\n", "refute.yaml: line 3: is no YAML"),
        (b"- mutants\n", "refute.yaml: got list, expected a setting on each line"),
        (b"\xff\xfe", "refute.yaml: is not UTF-8"),
        (b"since: 2026-13-99\n", "refute.yaml: is no YAML: month must be in 1..12"),
        (b"mutants: many\n", "settings: mutants: got 'many', expected a whole number"),
        (b"strenght_floor: 0.5\n", "no setting has this name, did you mean strength_floor"),
        (b"scan_block_from: low\n", "scan_block_from: .*expected one of medium, high, critical"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_with_its_fault(here: Path, content: bytes, told: str) -> None:
    (here / SETTINGS_FILE).write_bytes(content)
    with pytest.raises(SettingsInvalid, match=told):
        Settings.load()


def test_a_value_under_an_unknown_name_is_not_shown(here: Path) -> None:
    (here / SETTINGS_FILE).write_text("signing_kye: very secret\n")
    with pytest.raises(SettingsInvalid) as caught:
        Settings.load()
    assert "very secret" not in str(caught.value)


def test_a_list_in_a_variable_is_json(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUTE_ATTACK_DIRECTORIES", '["a/"]')
    assert Settings.load().attack_directories == ("a/",)
    monkeypatch.setenv("REFUTE_ATTACK_DIRECTORIES", "a/")
    with pytest.raises(SettingsInvalid, match="REFUTE_ATTACK_DIRECTORIES: got no JSON"):
        Settings.load()


@pytest.mark.parametrize("written", ["critical", "CRITICAL", "3"])
def test_a_severity_is_given_by_its_name(here: Path, monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("REFUTE_SCAN_BLOCK_FROM", written)
    assert Settings.load().scan_block_from is Severity.CRITICAL


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REFUTE_MONTH_BUGET_USD", ", did you mean REFUTE_MONTH_BUDGET_USD?"),
        ("refute_month_buget_usd", ", did you mean REFUTE_MONTH_BUDGET_USD?"),
        ("GUARDRAIL_AUDIT_FILE", ", did you mean GUARDRAIL_AUDIT_ENABLED or GUARDRAIL_AUDIT_PATH?"),
        ("REFUTE_XYZ", ""),
    ],
)
def test_a_variable_that_sets_nothing_is_refused_with_what_may_be_meant(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "5")
    with pytest.raises(SettingsInvalid) as told:
        Settings.load()
    assert told.value.message == f"settings: {name}: no setting has this name{meant}"
    assert "docs/reference/settings.md" in told.value.hint


@pytest.mark.parametrize(
    "name",
    [
        *("REFUTE_POSTGRES_DIR", "REFUTE_TICKETS", "REFUTE_API_AUTH", "MONTH_BUGET_USD", "_REFUTE_COMPLETE"),
    ],
)
def test_other_variables_are_none_of_the_settings_business(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "x")
    assert Settings.load() is not None


def test_every_variable_of_scripts_and_deployments_is_a_setting_or_known_as_none() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [root / "Makefile", root / ".ci" / "run", *(root / "scripts").iterdir(), *(root / "deployments").rglob("*")]
    texts = [path.read_text() for path in files if path.is_file() and path.suffix in {"", ".sh", ".yaml", ".py"}]
    named = {name for text in texts for name in re.findall(r"\bREFUTE_[A-Z_]+\b", text)}
    assert {"REFUTE_TICKETS", "REFUTE_REQUIRE_ENGINE", "REFUTE_LEDGER_URL"} <= named
    settings = {f"REFUTE_{name.upper()}" for name in Settings.model_fields}
    assert named - settings - NO_SETTINGS == set()


def test_the_audit_log_s_settings_go_by_their_other_name_too_and_no_other_setting_does(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUARDRAIL_AUDIT_PATH", "elsewhere.jsonl")
    monkeypatch.setenv("guardrail_audit_enabled", "false")
    monkeypatch.setenv("GUARDRAIL_TESTER", "gemini")
    found = Settings.load()
    assert (found.audit_path, found.audit_enabled, found.tester) == (Path("elsewhere.jsonl"), False, "property")


def test_a_shared_folder_without_a_key_is_refused_and_a_key_is_never_shown(here: Path) -> None:
    key = "0123456789abcdef" * 2
    for none in ({}, {"signing_key": ""}):
        with pytest.raises(SettingsInvalid, match="without signing_key"):
            Settings.load(results_dir=here, **none)
    with pytest.raises(SettingsInvalid, match="at least 32") as short:
        Settings.load(results_dir=here, signing_key="hunter2")
    assert "hunter2" not in str(short.value)
    assert Settings.load(results_dir=here, signing_key=key).results_path == here
    assert Settings.load(state_dir=here).results_path == here / "results"


def test_a_directory_in_the_place_of_the_file_is_refused(here: Path) -> None:
    (here / SETTINGS_FILE).mkdir()
    with pytest.raises(SettingsInvalid, match=r"refute\.yaml: got a directory, expected a file"):
        Settings.load()


def test_a_gate_is_switched_by_file_or_variable(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / SETTINGS_FILE).write_text("guardrails: {results: observe, routes: observe}\n")
    monkeypatch.setenv("REFUTE_GUARDRAILS__ROUTES", "enforce")
    switches = Settings.load().guardrails
    assert (switches.results, switches.routes, switches.audit) == (Mode.OBSERVE, Mode.ENFORCE, Mode.ENFORCE)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("REFUTE_GUARDRAILS__ROUTES", "off", "guardrails.routes: got 'off', expected 'enforce' or 'observe'"),
        ("REFUTE_GUARDRAILS__ROUTE", "observe", "did you mean REFUTE_GUARDRAILS__ROUTES?"),
    ],
)
def test_a_switch_that_would_set_nothing_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsInvalid, match=re.escape(told)):
        Settings.load()


def test_a_run_by_hand_leaves_a_directory_clean_that_nothing_configures(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", "/state")
    settings = Settings.load().ad_hoc()
    assert (settings.costs_csv, settings.audit_path) == (Path("/state/costs.csv"), Path("/state/logs/guardrails.jsonl"))
    assert Settings.load(costs_csv=Path("c.csv")).ad_hoc().costs_csv == Path("c.csv")
    (tmp_path / "refute.yaml").touch()
    assert Settings.load().ad_hoc() == Settings.load()
