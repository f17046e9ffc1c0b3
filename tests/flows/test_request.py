"""Settings do not travel with a run that a worker takes."""

from pathlib import Path

import pytest

from flows.request import VerifyRequest, refuse_foreign_settings
from refute.errors import SettingsInvalid
from refute.settings import Settings


def test_a_worker_refuses_settings_among_the_parameters(tmp_path: Path) -> None:
    given = VerifyRequest(ticket=tmp_path, settings=Settings(audit_enabled=False))
    with pytest.raises(SettingsInvalid, match="a worker has its own"):
        refuse_foreign_settings(given, started_by_worker=True)


def test_the_command_line_passes_its_own_and_a_worker_takes_its_own(tmp_path: Path) -> None:
    refuse_foreign_settings(VerifyRequest(ticket=tmp_path, settings=Settings()), started_by_worker=False)
    refuse_foreign_settings(VerifyRequest(ticket=tmp_path), started_by_worker=True)
