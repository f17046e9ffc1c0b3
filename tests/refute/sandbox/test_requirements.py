from contextlib import nullcontext

import pytest

from refute.errors import RequirementsUnavailable
from refute.sandbox.requirements import Pin, image_platforms, read_pins, read_wheel, unmet
from tests.fakes.wheels import FakeWheel

HASH = f"--hash=sha256:{'a' * 64}"
OTHER = f"--hash=sha256:{'b' * 64}"


def test_pins_are_normalised_and_sorted():
    pins = read_pins([f"Zope.Interface==7.0 {HASH}", f"attrs==24.2.0 {OTHER} {HASH}"], python="3.11")
    assert [str(pin) for pin in pins] == ["attrs==24.2.0", "zope-interface==7.0"]
    assert pins[0].hashes == ("a" * 64, "b" * 64)


@pytest.mark.parametrize(
    "line",
    [
        "attrs==24.2.0",
        f"attrs>=24 {HASH}",
        f"attrs===24 {HASH}",
        f"attrs @ https://example.com/attrs-24.2.0-py3-none-any.whl {HASH}",
        f"git+https://example.com/attrs.git {HASH}",
        f"-e . {HASH}",
        f"/srv/attrs.whl {HASH}",
        f"--index-url=https://example.com attrs==24.2.0 {HASH}",
        f"attrs==24.2.0 {HASH} --pre",
        "attrs==24.2.0 --hash=md5:d41d8cd98f00b204e9800998ecf8427e",
        f"attrs==24.2.0\n-r other.txt {HASH}",
    ],
)
def test_what_is_not_one_version_with_its_hash_is_refused(line: str):
    with pytest.raises(RequirementsUnavailable, match="expected one exact version"):
        read_pins([line], python="3.11")


def test_a_name_that_comes_twice_is_refused():
    with pytest.raises(RequirementsUnavailable, match="listed twice"):
        read_pins([f"a-b==1 {HASH}", f"A_B==2 {HASH}"], python="3.11")


def test_markers_are_asked_for_the_image_and_not_for_this_machine():
    lines = [f'old==1 ; python_version < "3.12" {HASH}', f'windows==1 ; sys_platform == "win32" {HASH}']
    assert [pin.name for pin in read_pins(lines, python="3.11")] == ["old"]
    assert read_pins(lines, python="3.13") == ()


def test_platforms_reach_up_to_the_image_s_c_library():
    assert "manylinux_2_36_x86_64" in image_platforms("3.11", "x86_64")
    assert "manylinux_2_37_x86_64" not in image_platforms("3.11", "x86_64")
    assert "manylinux_2_41_x86_64" in image_platforms("3.13", "x86_64")


REFUSED = pytest.raises(RequirementsUnavailable, match="does not run on the sandbox image")


@pytest.mark.parametrize(
    ("tag", "ends"),
    [
        ("py3-none-any", nullcontext()),
        ("cp311-cp311-manylinux_2_17_x86_64", nullcontext()),
        ("cp311-cp311-manylinux_2_38_x86_64", REFUSED),
        ("cp311-cp311-win_amd64", REFUSED),
        ("cp311-cp311-manylinux_2_17_aarch64", REFUSED),
    ],
)
def test_a_wheel_must_run_on_the_image(tag: str, ends, tmp_path):
    (pin,) = read_pins([FakeWheel(name="slugtools", tag=tag).write(tmp_path)], python="3.11")
    with ends:
        path = tmp_path / f"slugtools-1.0-{tag}.whl"
        assert read_wheel(path, pin, python="3.11", machine="x86_64").sha256 == pin.hashes[0]


def test_another_content_than_the_pinned_one_is_refused(tmp_path):
    FakeWheel(name="slugtools").write(tmp_path)
    pin = Pin(name="slugtools", version="1.0", hashes=("a" * 64,))
    with pytest.raises(RequirementsUnavailable, match="does not pin"):
        read_wheel(tmp_path / "slugtools-1.0-py3-none-any.whl", pin, python="3.11")


@pytest.mark.parametrize(
    "name", ["slugtools-1.0.tar.gz", "slugtools-2.0-py3-none-any.whl", "other-1.0-py3-none-any.whl"]
)
def test_another_file_than_the_pinned_one_is_refused(name: str, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"")
    with pytest.raises(RequirementsUnavailable, match=r"slugtools==1\.0"):
        read_wheel(path, Pin(name="slugtools", version="1.0", hashes=("a" * 64,)), python="3.11")


def test_what_the_wheels_need_and_nobody_listed_is_told():
    needs = ["urllib3<3", "Certifi", 'win-inet-pton; sys_platform == "win32"', 'PySocks; extra == "socks"', "!?"]
    pins = read_pins([f"certifi==1 {HASH}"], python="3.11")
    assert list(unmet(needs, pins, python="3.11")) == ["urllib3"]
