import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from refute.sandbox.image_load import NewImage, write_archive
from refute.sandbox.image_pack import Entry, Layer, digest_of, normalise

Member = tuple[str, bytes | None, dict[str, object]]


def member(name: str, content: bytes | None = b"", **fields: object) -> Member:
    return name, content, fields


@pytest.fixture
def archive_of(tmp_path: Path) -> Callable[..., Path]:
    count = iter(range(100))

    def make(*members: Member, fmt: int = tarfile.PAX_FORMAT) -> Path:
        path = tmp_path / f"source-{next(count)}.tar"
        with tarfile.open(path, "w", format=fmt) as archive:
            for name, content, fields in members:
                info = tarfile.TarInfo(name)
                info.size = len(content or b"")
                for field, value in fields.items():
                    setattr(info, field, value)
                archive.addfile(info, io.BytesIO(content or b""))
        return path

    return make


@pytest.fixture
def packed(tmp_path: Path) -> Callable[..., Path]:
    count = iter(range(100))

    def pack(source: Path | None, **options: object) -> Path:
        target = tmp_path / f"packed-{next(count)}.tar"
        normalise(source, target, **options)  # type: ignore[arg-type]
        return target

    return pack


def members_of(path: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(path) as archive:
        return {info.name: info for info in archive}


def test_the_same_files_in_another_order_and_at_another_time_give_the_same_bytes(archive_of, packed) -> None:
    first = archive_of(member("b", b"2", mtime=1), member("a", b"1", mtime=2, uname="root"))
    second = archive_of(member("./a", b"1", mtime=9.5), member("./b", b"2", gname="x"), fmt=tarfile.GNU_FORMAT)
    assert packed(first).read_bytes() == packed(second).read_bytes()


def test_setuid_and_setgid_are_removed_and_the_sticky_bit_stays(archive_of, packed) -> None:
    source = archive_of(
        member("su", b"", mode=0o4755),
        member("wall", b"", mode=0o2755),
        member("tmp", None, type=tarfile.DIRTYPE, mode=0o1777),
    )
    found = members_of(packed(source))
    assert {name: oct(info.mode) for name, info in found.items()} == {"su": "0o755", "wall": "0o755", "tmp": "0o1777"}


def test_device_nodes_and_fifos_are_left_out(archive_of, packed) -> None:
    source = archive_of(
        member("null", None, type=tarfile.CHRTYPE), member("pipe", None, type=tarfile.FIFOTYPE), member("f", b"")
    )
    assert list(members_of(packed(source))) == ["f"]


def test_which_hard_linked_name_is_the_file_does_not_matter(archive_of, packed) -> None:
    one = archive_of(member("z", b"x"), member("a", None, type=tarfile.LNKTYPE, linkname="z"))
    other = archive_of(member("a", b"x"), member("z", None, type=tarfile.LNKTYPE, linkname="a"))
    assert packed(one).read_bytes() == packed(other).read_bytes()
    assert members_of(packed(one))["z"].linkname == "a"


def test_a_hard_link_to_a_dropped_file_becomes_the_file(archive_of, packed) -> None:
    source = archive_of(member("drop", b"x"), member("stay", None, type=tarfile.LNKTYPE, linkname="drop"))
    target = packed(source, keep=lambda path: path != "drop")
    with tarfile.open(target) as archive:
        content = archive.extractfile("stay")
        assert content.read() == b"x"


def test_entries_of_ours_replace_those_of_the_source(archive_of, packed) -> None:
    ours = [Entry(path="f", content=b"new", mode=0o600, owner=5), Entry(path="d"), Entry(path="l", link="f")]
    found = members_of(packed(archive_of(member("f", b"old!")), added=ours))
    assert (found["f"].size, found["f"].mode, found["f"].uid) == (3, 0o600, 5)
    assert found["d"].isdir()
    assert found["l"].linkname == "f"


def test_an_archive_names_its_layers_by_digest_and_its_image_by_configuration(tmp_path: Path, packed) -> None:
    path = packed(None, added=[Entry(path="f", content=b"x")])
    layer = Layer(path=path, digest=digest_of(path))
    settings = {"User": "1:1", "Cmd": ["sh"]}
    image = NewImage(architecture="amd64", settings=settings, layers=(layer,), tag="t:1")
    same = replace(image, settings=dict(reversed(settings.items())))
    first, second = tmp_path / "1.tar", tmp_path / "2.tar"
    write_archive(first, image)
    write_archive(second, same)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
        stored = json.load(archive.extractfile(manifest[0]["Config"]))  # type: ignore[arg-type]
    assert manifest[0]["Config"] == f"{image.digest}.json"
    assert stored["rootfs"]["diff_ids"] == [f"sha256:{layer.digest}"]
