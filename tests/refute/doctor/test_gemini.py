"""What the doctor says of Gemini; no prompt is ever sent."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from refute.doctor import Check
from refute.doctor.gemini import check_gemini
from refute.errors import ModelUnavailable
from refute.llm.gemini import Gemini
from refute.llm.request import RequestFailed
from refute.llm.retention import Retention
from refute.settings import Settings

CHECKED = date(2026, 11, 22)
Look = Callable[..., dict[str, Check]]


def disabled(_: Gemini) -> Retention:
    return Retention(caching_disabled=True, detail="data caching is disabled")


def missing_model(*_: object) -> int:
    raise RequestFailed("HTTP 404 NOT_FOUND", billed=False, retry=False)


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Examine a `gemini.yaml` with changes; credentials are there unless told otherwise."""

    def run(
        ask: Any = disabled,
        count: Any = lambda *_: 2,
        today: date = CHECKED,
        *,
        signed_in: bool = True,
        **changed: object,
    ) -> dict[str, Check]:
        def credentials(_: Gemini) -> object:
            if signed_in:
                return object()
            raise ModelUnavailable("no credentials in the environment", hint="gcloud auth application-default login")

        monkeypatch.setattr(Gemini, "credentials", property(credentials))
        fields = {"enterprise": True, "data_retention": "none", "project": "p-1", "location": "global", **changed}
        path = tmp_path / "gemini.yaml"
        path.write_text(yaml.safe_dump(fields))
        settings = Settings(state_dir=tmp_path, gemini_file=path)
        return {check.name: check for check in check_gemini(settings, ask=ask, count=count, today=today)}

    return run


def test_without_settings_there_is_one_calm_line(tmp_path: Path) -> None:
    (check,) = check_gemini(Settings(state_dir=tmp_path, gemini_file=tmp_path / "none.yaml"))
    assert check.ok is True
    assert "needs no key" in check.found


def test_everything_that_can_be_asked_is_and_the_rest_is_named(look: Look) -> None:
    checks = look()
    assert {name: check.ok for name, check in checks.items()} == {
        "Gemini settings": True,
        "Gemini prices": True,
        "Gemini credentials": True,
        "Gemini retention": True,
        "Gemini models": True,
        "Gemini abuse monitoring": None,
    }
    assert "exception" in checks["Gemini abuse monitoring"].advice


@pytest.mark.parametrize(
    ("changed", "name", "ok"),
    [
        ({"enterprise": False}, "Gemini settings", False),
        ({"base_url": "http://127.0.0.1:1"}, "Gemini settings", None),
        ({"models": {"flash": "gemini-99"}}, "Gemini prices", False),
        ({"models": {"flash": "gemini-99"}, "allow_unpriced": True}, "Gemini prices", None),
        ({"today": date(2027, 6, 1)}, "Gemini prices", None),
        ({"signed_in": False}, "Gemini credentials", False),
        ({"ask": lambda _: Retention(caching_disabled=False, detail="on")}, "Gemini retention", False),
        ({"count": missing_model}, "Gemini models", False),
    ],
)
def test_each_fault_says_what_to_do(look: Look, changed: dict[str, Any], name: str, *, ok: bool | None) -> None:
    check = look(**changed)[name]
    assert check.ok is ok
    assert check.advice


def test_a_project_that_does_not_answer_is_a_fault(look: Look) -> None:
    def silent(_: Gemini) -> Retention:
        raise ModelUnavailable("HTTP 403", hint="The account needs aiplatform.cacheConfigs.get.")

    assert look(ask=silent)["Gemini retention"].advice == "The account needs aiplatform.cacheConfigs.get."


def test_models_are_asked_nothing_where_the_project_keeps_data(look: Look) -> None:
    asked: list[object] = []
    caching = Retention(caching_disabled=False, detail="on")
    checks = look(ask=lambda _: caching, count=lambda *given: asked.append(given))
    assert "Gemini models" not in checks
    assert asked == []
