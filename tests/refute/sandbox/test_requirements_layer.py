import tarfile
from pathlib import Path

import pytest

from refute.errors import RequirementsUnavailable
from refute.sandbox import requirements_layer
from refute.sandbox.requirements import Wheel, read_pins, read_wheel
from refute.sandbox.requirements_layer import pack_wheels
from tests.fakes.wheels import FakeWheel

SLUGTOOLS = FakeWheel(
    name="slugtools",
    files={"slugtools/__init__.py": "VALUE = 1\n", "slug_extra.py": "", "slugtools-1.0.data/scripts/old": "#!python\n"},
    needs=["regex>=1"],
    console_scripts=["slug = slugtools:main"],
)


def made(wheel: FakeWheel, folder: Path) -> Wheel:
    (pin,) = read_pins([wheel.write(folder)], python="3.11")
    return read_wheel(folder / f"{wheel.name}-{wheel.version}-{wheel.tag}.whl", pin, python="3.11")


def test_files_scripts_and_the_path_entry_stand_where_only_the_subject_looks(tmp_path):
    unpacked = pack_wheels([made(SLUGTOOLS, tmp_path)], tmp_path / "layer.tar", python="3.11")
    with tarfile.open(unpacked.layer.path) as layer:
        names = [member.name for member in layer if member.isfile()]
        script = layer.extractfile("usr/local/lib/requirements/bin/slug")
        assert script.readline() == b"#!/usr/bin/python3\n"
        assert layer.getmember("usr/local/lib/requirements/bin/slug").mode == 0o755
    assert {name for name in names if not name.startswith("usr/local/lib/requirements/")} == {
        "usr/local/lib/python3.11/dist-packages/a-subject.pth",
        "usr/local/lib/python3.11/site-packages/a-subject.pth",
    }
    assert unpacked.modules == ("slug_extra", "slugtools")
    assert unpacked.needs == ("regex>=1",)


@pytest.mark.parametrize("path", ["../../../../etc/cron.d/x", "/etc/cron.d/x", "evil-1.0.data/data/../../../x"])
def test_a_wheel_cannot_write_outside_its_place(path: str, tmp_path):
    wheel = made(FakeWheel(name="evil", files={path: "x"}), tmp_path)
    with pytest.raises(RequirementsUnavailable, match="cannot be unpacked"):
        pack_wheels([wheel], tmp_path / "deep" / "er" / "layer.tar", python="3.11")


def test_wheels_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(requirements_layer, "MAX_BYTES", 1000)
    wheel = made(FakeWheel(name="bomb", files={"bomb.py": "#" * 2000}), tmp_path)
    with pytest.raises(RequirementsUnavailable, match="unpack to more than"):
        pack_wheels([wheel], tmp_path / "layer.tar", python="3.11")


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    wheel = made(FakeWheel(name="broken"), tmp_path)
    wheel.path.write_bytes(b"not a zip archive")
    with pytest.raises(RequirementsUnavailable, match="no zip archive"):
        pack_wheels([wheel], tmp_path / "layer.tar", python="3.11")
