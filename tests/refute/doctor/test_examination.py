import shutil
from pathlib import Path
from types import SimpleNamespace

import docker
import pytest
from docker.errors import DockerException

from refute.doctor import Check, examine
from refute.doctor.examination import check_caches, check_disks, check_image
from refute.sandbox.image import build_image
from refute.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=tmp_path / "state")


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_without_an_engine_the_rest_is_still_examined(settings: Settings) -> None:
    def refuse() -> docker.DockerClient:
        raise DockerException("connection refused")

    checks = by_name(examine(settings, refuse))
    assert checks["engine"].ok is False
    assert checks["engine"].found == "does not answer: connection refused"
    assert "ensure-engine.sh" in checks["engine"].advice
    assert checks["Python"].ok is True
    assert "disk (state)" in checks


def test_an_engine_that_refuses_this_person_is_no_engine_that_is_not_started(settings: Settings) -> None:
    def refuse() -> docker.DockerClient:
        raise DockerException("PermissionError(13, 'Permission denied')")

    assert "join the group" in by_name(examine(settings, refuse))["engine"].advice


def test_a_full_disk_is_a_fault_at_the_nearest_folder_that_exists(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000_000))
    (check,) = check_disks({"state": tmp_path / "not" / "yet"})
    assert (check.ok, check.found) == (False, f"1.0 GB free at {tmp_path}")
    assert check.advice == "Free at least 5 GB there."


def test_what_the_caches_take_is_told(settings: Settings) -> None:
    assert check_caches(settings).found == "cached results 0.0 of 500 MB, cached answers 0.0 of 500 MB"
    (settings.state_dir / "answers").mkdir(parents=True)
    (settings.state_dir / "answers" / "a.signed").write_bytes(b"x" * 2_500_000)
    check = check_caches(settings)
    assert (check.ok, check.found) == (True, "cached results 0.0 of 500 MB, cached answers 2.5 of 500 MB")


def test_a_missing_image_says_how_to_build_it() -> None:
    assert check_image(None).advice == "Run `refute image build`."


@pytest.mark.engine
def test_on_the_real_engine_nothing_is_a_fault(settings: Settings) -> None:
    build_image(docker.from_env(timeout=600), progress=str)
    faults = [check for check in examine(settings) if check.ok is False]
    assert faults == []
