"""Settings do not travel with a run that a worker takes."""

from pathlib import Path

import pytest

from flows.request import VerifyRequest, refuse_foreign_settings, settings_of
from refute.errors import SettingsInvalid
from refute.settings import Settings


def test_fresh_is_asked_for_by_the_form_or_by_whoever_runs_it(tmp_path: Path) -> None:
    asked = VerifyRequest(ticket=tmp_path, settings=Settings(), fresh=True)
    assert settings_of(asked).fresh
    assert settings_of(VerifyRequest(ticket=tmp_path, settings=Settings(fresh=True))).fresh
    assert not settings_of(VerifyRequest(ticket=tmp_path, settings=Settings())).fresh


def test_a_worker_refuses_settings_among_the_parameters(tmp_path: Path) -> None:
    given = VerifyRequest(ticket=tmp_path, settings=Settings(audit_enabled=False))
    with pytest.raises(SettingsInvalid, match="a worker has its own"):
        refuse_foreign_settings(given, started_by_worker=True)


def test_the_command_line_passes_its_own_and_a_worker_takes_its_own(tmp_path: Path) -> None:
    refuse_foreign_settings(VerifyRequest(ticket=tmp_path, settings=Settings()), started_by_worker=False)
    refuse_foreign_settings(VerifyRequest(ticket=tmp_path), started_by_worker=True)
