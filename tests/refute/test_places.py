"""Places of a user, also of one who has no home: a container that runs as any user id."""

from pathlib import Path

import pytest

from refute import places
from refute.errors import SettingsInvalid
from refute.settings import Settings


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user id that nothing on the machine knows, and that has set nothing."""
    monkeypatch.delenv("REFUTE_STATE_DIR", raising=False)

    def unknown(*_: object, **__: object) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(places.platformdirs, "user_state_dir", unknown)
    monkeypatch.setattr(places.platformdirs, "user_cache_path", unknown)
    monkeypatch.setattr(Path, "expanduser", lambda path: unknown() if path.parts[:1] == ("~",) else path)


def test_a_tilde_in_a_setting_is_the_person_s_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings.load(state_dir="~/state", audit_path=Path("~/audit.jsonl"))
    assert (settings.state_dir, settings.audit_path) == (tmp_path / "state", tmp_path / "audit.jsonl")


@pytest.mark.usefixtures("homeless")
def test_who_has_no_home_is_told_to_name_a_place(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="this user has no home directory: set HOME"):
        Settings.load()
    with pytest.raises(SettingsInvalid, match="Set HOME or XDG_CACHE_HOME"):
        places.cache_dir()
    assert Settings.load(state_dir=tmp_path).state_dir == tmp_path
