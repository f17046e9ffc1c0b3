import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from docker.errors import APIError, ImageNotFound

from refute.errors import ImageBuildFailed
from refute.sandbox import image_base, image_recipe
from refute.sandbox.image_base import Base, find_base
from refute.sandbox.image_recipe import Recipe

DIGEST = "sha256:" + "d" * 64
PIN = f"python@{DIGEST}"


class FakeEngine:
    """An engine with a registry behind it, or with none."""

    def __init__(self, *, registry: bool, digest: str = DIGEST, there: str = "") -> None:
        self.registry = registry
        self.there = there
        self.digest = digest
        self.asked: list[str] = []
        self.imported: list[str] = []
        self.images = self
        self.api = self

    def _answer(self, what: str) -> SimpleNamespace:
        self.asked.append(what)
        if not self.registry:
            raise APIError("500 Server Error", explanation="dial tcp: no such host")
        return SimpleNamespace(id=self.digest if what.endswith("slim") else "sha256:base")

    def get_registry_data(self, name: str) -> SimpleNamespace:
        return self._answer(name)

    def pull(self, reference: str) -> SimpleNamespace:
        return self._answer(reference)

    def get(self, reference: str) -> SimpleNamespace:
        if reference == self.there:
            return SimpleNamespace(id="sha256:there")
        raise ImageNotFound(reference)

    def import_image(self, src, repository: str) -> str:
        with tarfile.open(fileobj=src) as archive:
            self.imported = archive.getnames()
        return '{"status":"sha256:imported"}'


@pytest.fixture
def recipe() -> Recipe:
    scripts = dict.fromkeys(image_recipe.SCRIPTS, b"")
    return Recipe(python="3.11", machine="x86_64", lock=b"", scripts=scripts, driver={})


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def find(recipe: Recipe, said: list[str], tmp_path: Path) -> Callable[[FakeEngine], Base]:
    """`find(engine)` → the base; what was found before is known in the next."""
    return lambda engine: find_base(engine, recipe, tmp_path, said.append)


@pytest.fixture
def debootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program of that name which makes a small tree; its arguments are kept beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "debootstrap"
    program.write_text(
        f'#!/bin/sh\necho "$@" >{folder}/arguments\nmkdir -p "$4/etc" "$4/var/cache/apt" "$4/proc"\n'
        'echo x >"$4/etc/os-release"\necho y >"$4/var/cache/apt/big.deb"\n'
    )
    program.chmod(0o755)
    apt = folder / "apt-get"
    apt.write_text("#!/bin/sh\necho 'Debian|Debian-Security|mirror:security'\necho 'Debian|Debian|mirror:main'\n")
    apt.chmod(0o755)
    monkeypatch.setattr(image_base, "APT_GET", str(apt))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_the_tag_is_resolved_once_and_used_by_digest_from_then_on(find, said) -> None:
    first = FakeEngine(registry=True)
    base = find(first)
    assert base.source == f"registry {PIN}"
    assert first.asked == ["python:3.11-slim", PIN]
    moved = FakeEngine(registry=True, digest="sha256:" + "e" * 64)
    assert find(moved).source == f"registry {PIN}"


def test_a_base_that_is_there_needs_no_registry(find, said) -> None:
    find(FakeEngine(registry=True))
    said.clear()
    engine = FakeEngine(registry=False, there=PIN)
    assert find(engine).image_id == "sha256:there"
    assert (engine.asked, said) == ([], [])


def test_without_a_registry_the_base_is_made_by_debootstrap(find, said, debootstrap) -> None:
    engine = FakeEngine(registry=False)
    base = find(engine)
    assert (base.image_id, base.source, base.disposable) == ("sha256:imported", "debootstrap bookworm", True)
    arguments = (debootstrap / "arguments").read_text().split()
    assert arguments[:3] == ["--variant=minbase", "--include=libfaketime,python3", "bookworm"]
    assert arguments[4] == "mirror:main"  # apt's own, and not the one for security updates
    assert "./etc/os-release" in engine.imported
    assert not [name for name in engine.imported if name.endswith(".deb")]
    assert any("no registry answers (dial tcp: no such host)" in line for line in said)


def test_a_failing_debootstrap_shows_its_last_lines(find, said, debootstrap) -> None:
    (debootstrap / "debootstrap").write_text("#!/bin/sh\necho E: no mirror\nexit 3\n")
    with pytest.raises(ImageBuildFailed, match=r"(?s)debootstrap bookworm exited with 3.*E: no mirror"):
        find(FakeEngine(registry=False))


def test_without_root_the_error_says_what_to_do(find, said, debootstrap, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(ImageBuildFailed, match="needs root") as caught:
        find(FakeEngine(registry=False))
    assert "refute image build" in caught.value.hint


def test_without_apt_debootstrap_uses_its_own_default_mirror(find, said, debootstrap, monkeypatch) -> None:
    monkeypatch.setattr(image_base, "APT_GET", "/nonexistent/apt-get")
    find(FakeEngine(registry=False))
    assert (debootstrap / "arguments").read_text().split()[-1].endswith("/root")


def test_an_import_without_an_image_id_is_an_error(find, said, debootstrap, monkeypatch) -> None:
    engine = FakeEngine(registry=False)
    monkeypatch.setattr(engine, "import_image", lambda **_: '{"error":"no space"}')
    with pytest.raises(ImageBuildFailed, match="no space"):
        find(engine)
