import hashlib
import tarfile

import pytest

from refute.errors import RequirementsUnavailable
from refute.sandbox.requirements import read_pins
from refute.sandbox.requirements_download import WheelSource, fetch_wheels
from tests.fakes.wheels import FakeWheel

pytestmark = pytest.mark.slow  # pip runs


@pytest.fixture
def source(tmp_path) -> WheelSource:
    (tmp_path / "house").mkdir()
    return WheelSource(cache=tmp_path / "cache", wheelhouse=tmp_path / "house", python="3.11")


def test_wheels_come_from_the_wheelhouse_once_and_then_from_the_cache(source, tmp_path):
    lines = [FakeWheel(name=name).write(tmp_path / "house") for name in ("slug_tools", "other")]
    pins = read_pins(lines, python="3.11")
    first = fetch_wheels(pins, source)
    for path in (tmp_path / "house").iterdir():
        path.unlink()
    assert fetch_wheels(pins, source) == first
    assert [str(wheel.pin) for wheel in first] == ["other==1.0", "slug-tools==1.0"]


def test_a_source_distribution_is_refused_and_none_of_its_code_runs(source, tmp_path):
    ran = tmp_path / "ran"
    setup = tmp_path / "setup.py"
    setup.write_text(f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup(name='evil', version='1.0')\n")
    sdist = tmp_path / "house" / "evil-1.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(setup, "evil-1.0/setup.py")
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    with pytest.raises(RequirementsUnavailable, match=r"no fitting wheel.*evil==1\.0"):
        fetch_wheels(read_pins([f"evil==1.0 --hash=sha256:{digest}"], python="3.11"), source)
    assert not ran.exists()


def test_another_content_than_the_pinned_one_is_refused_by_its_hash(source, tmp_path):
    FakeWheel(name="slugtools").write(tmp_path / "house")
    pins = read_pins([f"slugtools==1.0 --hash=sha256:{'0' * 64}"], python="3.11")
    with pytest.raises(RequirementsUnavailable, match=r"(?i)hash"):
        fetch_wheels(pins, source)


def test_a_damaged_cache_is_filled_again(source, tmp_path):
    pins = read_pins([FakeWheel(name="slugtools").write(tmp_path / "house")], python="3.11")
    (wheel,) = fetch_wheels(pins, source)
    wheel.path.write_bytes(b"damaged")
    assert fetch_wheels(pins, source) == (wheel,)
    assert wheel.path.read_bytes() != b"damaged"
