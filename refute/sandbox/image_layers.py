"""The three layers of the sandbox image: root file system, wheels, driver; each cached by what it is made of.

Byte code has to come from the image's own Python, so each layer passes through a container of the layer below.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import docker
from docker.models.containers import Container

from refute.errors import ImageBuildFailed, RequirementsUnavailable
from refute.sandbox.image_base import Progress, find_base
from refute.sandbox.image_contents import DRIVER, SITE, is_kept, rootfs_entries, wheel_entries
from refute.sandbox.image_pack import Entry, Layer, digest_of, normalise
from refute.sandbox.image_recipe import Recipe
from refute.sandbox.requirements import read_pins
from refute.sandbox.requirements_download import WheelSource, fetch_wheels
from refute.sandbox.requirements_layer import pack_folder, unpack_wheels

_STEP_TIMEOUT_S = 600
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """What building needs: the engine, the inputs, a cache folder and someone to tell."""

    client: docker.DockerClient
    recipe: Recipe
    cache: Path
    progress: Progress


def build_rootfs(bench: Workbench) -> tuple[Layer, str]:
    """The root file system layer, and where it came from.

    Raises:
        ImageBuildFailed: there is no base, or preparing it failed.
    """
    key = bench.recipe.rootfs_key
    path, note = bench.cache / f"rootfs-{key}.tar", bench.cache / f"rootfs-{key}.txt"
    if not (path.exists() and note.exists()):
        base = find_base(bench.client, bench.recipe, bench.cache, bench.progress)
        try:
            bench.progress("compiling the standard library, packing the root file system")
            with _finished(bench, base.image_id, "rootfs.sh") as container, _new_file(path) as packed:
                raw = packed.with_suffix(".raw")
                _save(_export(container), raw)
                normalise(raw, packed, keep=is_kept, added=rootfs_entries())
                raw.unlink()
        finally:
            if base.disposable:
                bench.client.images.remove(base.image_id, force=True)
        note.write_text(base.source, encoding="ascii")
    return Layer(path=path, digest=digest_of(path)), note.read_text(encoding="ascii")


def build_wheels(bench: Workbench, stage_id: str) -> Layer:
    """The layer with pytest, hypothesis and what they need, in a container of `stage_id`."""
    path = bench.cache / f"wheels-{bench.recipe.wheels_key}.tar"
    if not path.exists():
        bench.progress("installing the locked wheels")
        with tempfile.TemporaryDirectory(dir=bench.cache) as work, _new_file(path) as packed:
            plain = Path(work, "plain.tar")
            _pack_wheels(bench, Path(work, "root"), plain)
            _compile(bench, stage_id, plain, "wheels.sh", SITE, packed, added=wheel_entries(bench.recipe.python))
    return Layer(path=path, digest=digest_of(path))


def build_driver(bench: Workbench, stage_id: str) -> Layer:
    """The layer with the driver, in a container of `stage_id`."""
    path = bench.cache / f"driver-{bench.recipe.digest}.tar"
    if not path.exists():
        bench.progress("packing the driver")
        entries = [Entry(path=DRIVER)]
        for name, source in bench.recipe.driver.items():
            entries.append(Entry(path=f"{DRIVER}/{name}", content=source, mode=0o644))
        with tempfile.TemporaryDirectory(dir=bench.cache) as work, _new_file(path) as packed:
            plain = Path(work, "plain.tar")
            normalise(None, plain, added=entries)
            _compile(bench, stage_id, plain, "driver.sh", DRIVER, packed)
    return Layer(path=path, digest=digest_of(path))


def _pack_wheels(bench: Workbench, work: Path, target: Path) -> None:
    """Unpacks the locked wheels and packs them under their place; their programs are for no one here."""
    python, machine = bench.recipe.python, bench.recipe.machine
    lines = bench.recipe.lock.decode("ascii").replace("\\\n", "").splitlines()
    try:
        pins = read_pins((line for line in lines if not line.startswith("#")), python=python, machine=machine)
        wheels = fetch_wheels(pins, WheelSource(cache=bench.cache / "wheels", python=python, machine=machine))
        unpack_wheels(wheels, work, f"/{Path(SITE).parent}")
    except RequirementsUnavailable as error:
        raise ImageBuildFailed(
            f"sandbox image: the locked wheels cannot be installed: {error.message}", hint=error.hint
        ) from error
    pack_folder(work / SITE, target, prefix=SITE)


def _compile(  # noqa: PLR0913 - from where to where
    bench: Workbench, image_id: str, plain: Path, script: str, place: str, target: Path, *, added: Iterable[Entry] = ()
) -> None:
    """Puts `plain` into a container, runs the script there, packs the folder `place` with what it made, and `added`."""
    with _finished(bench, image_id, script, put=plain) as container:
        raw = target.with_suffix(".raw")
        _save(container.get_archive(f"/{place}", _CHUNK_BYTES)[0], raw)
        normalise(raw, target, prefix=str(Path(place).parent), added=added)
        raw.unlink()


@contextmanager
def _finished(bench: Workbench, image_id: str, script: str, put: Path | None = None) -> Iterator[Container]:
    """A container in which the script has run to its good end; removed afterwards."""
    container = bench.client.containers.create(
        image_id,
        ["/bin/sh", "-c", bench.recipe.scripts[script].decode()],
        entrypoint=[],
        user="0:0",
        network_mode="none",
        environment={
            "PATH": "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin",
            "PYTHONHASHSEED": "0",  # the order in sets decides bytes of byte code
            "LC_ALL": "C.UTF-8",
        },
        security_opt=["no-new-privileges"],
        labels={"refute.sandbox.build": bench.recipe.digest},
    )
    try:
        if put:
            with put.open("rb") as archive:
                container.put_archive("/", archive)
        container.start()
        code = container.wait(timeout=_STEP_TIMEOUT_S)["StatusCode"]
        if code != 0:
            tail = container.logs(tail=15).decode(errors="replace").strip()
            raise ImageBuildFailed(
                f"sandbox image: {script} exited with {code} inside the container:\n{tail}",
                hint="This is a fault of the image's recipe or of its base; please report it with these lines.",
            )
        yield container
    finally:
        container.remove(force=True, v=True)


def _export(container: Container) -> Iterator[bytes]:
    # The stubs say str; docker-py streams bytes.
    return cast("Iterator[bytes]", container.export(_CHUNK_BYTES))


def _save(chunks: Iterator[bytes], target: Path) -> None:
    with target.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the name `path` only once it is complete."""
    partial = path.with_suffix(".part")
    try:
        yield partial
        partial.replace(path)
    finally:
        for leftover in (partial, partial.with_suffix(".raw")):
            leftover.unlink(missing_ok=True)
