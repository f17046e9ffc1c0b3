"""Handing an engine an image, and finding it again by a label.

An image's ID is the digest of its configuration. Every value there follows from what the image is made of, so the same
layers give the same ID on any machine.
"""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

import docker
from docker.errors import APIError

from refute.errors import SandboxFailed
from refute.sandbox.image_pack import Layer

LOAD_TIMEOUT_S: Final = 600
CREATED: Final = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImage:
    """An image to be."""

    architecture: str
    """As Go names it: `amd64`."""
    settings: Mapping[str, Any]
    """User, working directory, environment, command and labels, by the image format's names of them."""
    layers: tuple[Layer, ...]
    """From the lowest to the highest."""
    tag: str
    """A name for people; refute runs by ID."""
    base_id: str = ""
    """The image on the engine that has the layers without a path."""

    @property
    def config(self) -> bytes:
        """The configuration as JSON, always the same for the same values."""
        document = {
            "architecture": self.architecture,
            "os": "linux",
            "created": CREATED,
            "config": self.settings,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.digest}" for layer in self.layers]},
            "history": [{"created": CREATED, "created_by": "refute"} for _ in self.layers],
        }
        return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()

    @property
    def digest(self) -> str:
        """The ID that its configuration gives, without its prefix."""
        return hashlib.sha256(self.config).hexdigest()


def find(client: docker.APIClient, label: str, value: str) -> Mapping[str, Any] | None:
    """What the engine says about the image with this label; None where it has none. One request, a few ms."""
    # The low-level call: `DockerClient.images.list` asks for each image again.
    return next(iter(client.images(filters={"label": f"{label}={value}"})), None)


@contextmanager
def patient(client: docker.APIClient) -> Iterator[None]:
    """Loading an image may take longer than an engine's other answers."""
    usual = client.timeout
    client.timeout = LOAD_TIMEOUT_S
    try:
        yield
    finally:
        client.timeout = usual


def load(client: docker.APIClient, image: NewImage, work: Path) -> str:
    """Load an image: without the layers that the engine has where it takes that, else with them.

    Args:
        client: the engine.
        image: what to load.
        work: a folder for this.

    Returns:
        The ID by which the engine knows it.

    Raises:
        SandboxFailed, APIError: the engine took it neither way.
    """
    named_only = any(layer.path is None for layer in image.layers)
    try:
        _send(client, image, work)
        if named_only:
            client.inspect_image(f"sha256:{image.digest}")  # type: ignore[no-untyped-call]
    except (APIError, SandboxFailed):
        if not named_only:
            raise
        # An engine that keeps its images in containerd wants every layer in the archive, also those that it has.
        _send(client, replace(image, layers=tuple(_complete(client, image, work))), work)
    return str(client.inspect_image(image.tag)["Id"])  # type: ignore[no-untyped-call]


def write_archive(target: Path, image: NewImage) -> None:
    """Write a docker-archive (what `docker load` reads); layers without a path are only named in it."""
    config = image.config
    names = [f"{layer.digest}/layer.tar" for layer in image.layers]
    manifest = json.dumps([{"Config": f"{image.digest}.json", "RepoTags": [image.tag], "Layers": names}]).encode()
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        _add(archive, f"{image.digest}.json", io.BytesIO(config), len(config))
        for layer, name in zip(image.layers, names, strict=True):
            if layer.path is not None:
                with layer.path.open("rb") as content:
                    _add(archive, name, content, layer.path.stat().st_size)
        _add(archive, "manifest.json", io.BytesIO(manifest), len(manifest))


def _send(client: docker.APIClient, image: NewImage, work: Path) -> None:
    archive = work / "image.tar"
    write_archive(archive, image)
    with archive.open("rb") as data:
        answers = list(client.load_image(data))  # type: ignore[no-untyped-call]
    for said in answers:
        if "error" in said:
            raise SandboxFailed(f"the engine could not load the image: {said['error']}")


def _complete(client: docker.APIClient, image: NewImage, work: Path) -> Iterator[Layer]:
    """The layers of an image, those of its base from an archive that the engine makes of it."""
    saved = work / "base.tar"
    with saved.open("wb") as file:
        file.writelines(client.get_image(image.base_id))
    with tarfile.open(saved, "r:") as archive:
        listing = archive.extractfile("manifest.json")
        names = iter(json.load(listing)[0]["Layers"] if listing else ())
        for layer in image.layers:
            if layer.path is None and (content := archive.extractfile(next(names))):
                path = work / f"{layer.digest}.tar"
                with path.open("wb") as file:
                    shutil.copyfileobj(content, file)
                layer = replace(layer, path=path)  # noqa: PLW2901 (the same layer, with its content)
            yield layer


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    info = tarfile.TarInfo(name)
    info.size = size
    archive.addfile(info, content)
