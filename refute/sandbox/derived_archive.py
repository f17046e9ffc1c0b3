"""Handing an engine an image that adds one layer to one that it has."""

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from docker.errors import APIError, ImageNotFound

from refute.errors import SandboxFailed
from refute.sandbox.connection import EngineClient
from refute.sandbox.image_pack import Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """An image on the engine."""

    id: str
    facts: Mapping[str, Any]
    """What the engine says about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImage:
    """An image to be."""

    base: Base
    config: bytes
    """JSON; its digest is the image's ID."""
    layer: Layer
    """Comes on top; its folder is used for work."""
    tag: str
    """A name for people."""

    @property
    def digest(self) -> str:
        """The ID, without its prefix."""
        return hashlib.sha256(self.config).hexdigest()


def load(client: EngineClient, image: NewImage) -> None:
    """Load an image: only the new layer where the engine takes that, else with the base's layers as well.

    Raises:
        SandboxFailed, APIError: the engine took neither.
    """
    archive = image.layer.path.with_name("image.tar")
    _write(archive, image, None)
    try:
        _send(client, archive)
        client.inspect_image(f"sha256:{image.digest}")  # type: ignore[no-untyped-call]
    except (APIError, ImageNotFound, SandboxFailed):
        # An engine that keeps its images in containerd wants every layer in the archive, also those that it has.
        saved = image.layer.path.with_name("base.tar")
        with saved.open("wb") as file:
            for chunk in client.get_image(image.base.id):
                file.write(chunk)
        with tarfile.open(saved, "r:") as base:
            _write(archive, image, base)
        _send(client, archive)


def _send(client: EngineClient, archive: Path) -> None:
    with archive.open("rb") as data:
        answers = list(client.load_image(data))  # type: ignore[no-untyped-call]
    for said in answers:
        if "error" in said:
            raise SandboxFailed(f"the engine could not load the image: {said['error']}")


def _write(target: Path, image: NewImage, base: tarfile.TarFile | None) -> None:
    """A docker-archive; the base's layers are only named, or copied from an archive of it."""
    digests = [digest.removeprefix("sha256:") for digest in image.base.facts["RootFS"]["Layers"]]
    names = [f"{digest}/layer.tar" for digest in (*digests, image.layer.digest)]
    manifest = json.dumps([{"Config": f"{image.digest}.json", "RepoTags": [image.tag], "Layers": names}]).encode()
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        _add(archive, f"{image.digest}.json", io.BytesIO(image.config), len(image.config))
        if base is not None:
            for name, (content, size) in zip(names, _layers(base), strict=False):
                _add(archive, name, content, size)
        with image.layer.path.open("rb") as layer:
            _add(archive, names[-1], layer, image.layer.path.stat().st_size)
        _add(archive, "manifest.json", io.BytesIO(manifest), len(manifest))


def _layers(saved: tarfile.TarFile) -> Iterator[tuple[IO[bytes], int]]:
    """The layers of a saved image, from the lowest."""
    listing = saved.extractfile("manifest.json")
    for name in json.load(listing)[0]["Layers"] if listing else ():
        member = saved.getmember(name)
        content = saved.extractfile(member)
        if content is not None:
            yield content, member.size


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    info = tarfile.TarInfo(name)
    info.size = size
    archive.addfile(info, content)
