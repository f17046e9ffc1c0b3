"""The sandbox image: found by the digest of its inputs, built where it is missing.

Reproducible means: the same recipe (lock, scripts, driver, Python version) over the same base packages gives the
same image ID, on any machine. Over the official image the base is fixed by digest. Over debootstrap it is what
Debian ships on the day of the build, so two machines may get different IDs months apart; the root layer is
cached, so on one machine the ID stays until the recipe changes or the cache is removed.
"""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import docker
from docker.errors import DockerException, ImageNotFound
from filelock import FileLock, Timeout
from requests.exceptions import ConnectionError as RequestsConnectionError

from refute.errors import EngineUnavailable, ImageBuildFailed, SandboxFailed
from refute.places import cache_dir
from refute.sandbox import image_recipe
from refute.sandbox.image_base import Progress
from refute.sandbox.image_contents import SUBJECT
from refute.sandbox.image_layers import Workbench, build_driver, build_rootfs, build_wheels
from refute.sandbox.image_load import NewImage, find, load, patient
from refute.sandbox.image_pack import Layer
from refute.sandbox.image_recipe import Recipe, read_recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxImage:
    """An image that jobs run in."""

    id: str
    """`sha256:…`; jobs run by it, never by a tag."""
    python: str
    """`major.minor`."""
    source: str
    """`registry <name>@sha256:…` or `debootstrap <suite>`."""
    recipe_digest: str
    """SHA-256 over the inputs in the checkout, in hex."""


def find_image(client: docker.DockerClient, *, python: str = "3.11") -> SandboxImage | None:
    """The image of the current recipe, or None if the engine has none. Builds nothing; one request, a few ms.

    Args:
        client: the engine.
        python: version of the ticket.

    Raises:
        EngineUnavailable: no engine answers.
        ImageBuildFailed: no image is made for this Python version.
    """
    with _engine_errors():
        return _labelled(client, read_recipe(python))


def build_image(
    client: docker.DockerClient,
    *,
    python: str = "3.11",
    cache: Path | None = None,
    progress: Progress,
) -> SandboxImage:
    """The image of the current recipe, built if it is missing. Two builds at once wait for each other.

    Args:
        client: the engine.
        python: version of the ticket.
        cache: folder for packed layers (some 200 MB); the user's cache folder by default.
        progress: told about each step, one line each.

    Raises:
        EngineUnavailable: no engine answers.
        ImageBuildFailed: a step failed; the message has its output.
    """
    recipe = read_recipe(python)
    folder = cache or cache_dir() / "image"
    folder.mkdir(parents=True, exist_ok=True)
    with _engine_errors(), patient(client.api):
        found = _labelled(client, recipe)
        if found is None:
            with _alone(folder, progress):
                found = _labelled(client, recipe) or _built(client, recipe, folder, progress)
    if found is None:
        raise ImageBuildFailed(
            "sandbox image: loaded, but the engine does not list it",
            hint="Look at the engine's log; another process may have removed it. Run `refute image build` again.",
        )
    return found


@contextmanager
def _alone(folder: Path, progress: Progress) -> Iterator[None]:
    lock = FileLock(folder / "build.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        progress("another build is running; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _labelled(client: docker.DockerClient, recipe: Recipe) -> SandboxImage | None:
    found = find(client.api, image_recipe.LABEL_RECIPE, recipe.digest)
    if found is None:
        return None
    source = found["Labels"][image_recipe.LABEL_SOURCE]
    return SandboxImage(id=found["Id"], python=recipe.python, source=source, recipe_digest=recipe.digest)


def _built(client: docker.DockerClient, recipe: Recipe, folder: Path, progress: Progress) -> SandboxImage | None:
    bench = Workbench(client=client, recipe=recipe, cache=folder, progress=progress)
    rootfs, source = build_rootfs(bench)
    with _stage(bench, rootfs, source) as stage_id:
        layers = [rootfs, build_wheels(bench, stage_id), build_driver(bench, stage_id)]
        bench.progress("loading the image into the engine")
        labels = {image_recipe.LABEL_RECIPE: recipe.digest}
        _load(bench, layers, source, labels, f"refute-sandbox:{recipe.python}-{recipe.digest[:12]}")
    return _labelled(client, recipe)


@contextmanager
def _stage(bench: Workbench, rootfs: Layer, source: str) -> Iterator[str]:
    """The ID of an image with this root file system and nothing else, for the moment.

    An earlier sandbox image would bring its own driver and wheels, and what was dropped since would live on. The name
    is this build's own: another build of the same files keeps the image until it has done with it.
    """
    tag = f"refute-sandbox-stage:{uuid.uuid4().hex[:12]}"
    stage_id = _load(bench, [rootfs], source, {}, tag)
    try:
        yield stage_id
    finally:
        with suppress(ImageNotFound):
            bench.client.images.remove(tag)


def _load(bench: Workbench, layers: list[Layer], source: str, labels: dict[str, str], tag: str) -> str:
    recipe = bench.recipe
    labels = {image_recipe.LABEL_PYTHON: recipe.python, image_recipe.LABEL_SOURCE: source, **labels}
    image = NewImage(
        architecture={"x86_64": "amd64", "aarch64": "arm64"}.get(recipe.machine, recipe.machine),
        settings={
            "User": f"{SUBJECT}:{SUBJECT}",
            "WorkingDir": "/workspace",
            "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"],
            "Cmd": ["/bin/bash"],
            "Labels": labels,
        },
        layers=tuple(layers),
        tag=tag,
    )
    with tempfile.TemporaryDirectory(dir=bench.cache) as work:
        return load(bench.client.api, image, Path(work))


@contextmanager
def _engine_errors() -> Iterator[None]:
    try:
        yield
    except RequestsConnectionError as error:
        raise EngineUnavailable(
            f"sandbox image: the container engine does not answer: {error}",
            hint="Start it (Debian/Ubuntu, as root: scripts/ensure-engine.sh), or set DOCKER_HOST.",
        ) from error
    except (DockerException, SandboxFailed) as error:
        raise ImageBuildFailed(
            f"sandbox image: the container engine refused a step: {error}",
            hint="Run `refute doctor`, look at the engine's log, then run `refute image build` again.",
        ) from error
