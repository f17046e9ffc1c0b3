"""The sandbox image with a ticket's requirements: one layer on top, found again by what it was made of.

Same base, same wheels, same ID: the configuration holds no time, and the layer is packed like the base's own.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from refute.errors import SandboxFailed
from refute.sandbox.connection import EngineClient, engine_errors
from refute.sandbox.derived_archive import Base, NewImage, load
from refute.sandbox.image_pack import Layer
from refute.sandbox.requirements import Pin, Wheel, read_pins, unmet
from refute.sandbox.requirements_download import WheelSource, fetch_wheels
from refute.sandbox.requirements_layer import LAYER_VERSION, PREFIX, PTH, pack_wheels

LABEL_KEY: Final = "refute.sandbox.requirements"
LABEL_MODULES: Final = "refute.sandbox.requirements.modules"
LABEL_UNMET: Final = "refute.sandbox.requirements.unmet"
LOAD_TIMEOUT_S: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedImage:
    """An image that jobs of a ticket with requirements run in."""

    id: str
    """`sha256:…`"""
    pins: tuple[Pin, ...]
    modules: frozenset[str]
    """Top-level names that the requirements bring."""
    unmet: tuple[str, ...]
    """Packages that the requirements say they need, and that the ticket does not list."""


def derive_image(
    client: EngineClient, lines: Sequence[str], *, base_id: str, source: WheelSource
) -> DerivedImage | None:
    """The image with a ticket's requirements; made where the engine lacks it.

    Args:
        client: the engine.
        lines: the ticket's `requirements`.
        base_id: of the sandbox image.
        source: where wheels come from, and where work is done.

    Returns:
        None where no requirement applies to this image: the base is enough.

    Raises:
        RequirementsUnavailable: a requirement is refused, or cannot be had.
        EngineDied, ImageMissing, SandboxFailed: the engine failed.
    """
    pins = read_pins(lines, python=source.python, machine=source.machine)
    if not pins:
        return None
    wheels = fetch_wheels(pins, source)
    key = _key(base_id, wheels)
    with engine_errors("look for the image with the ticket's requirements"):
        found = _find(client, key, pins)
    if found is not None:
        return found
    alone = FileLock(source.cache / f"derive-{key[:16]}.lock")
    with alone, _patient(client), engine_errors("load the image with the ticket's requirements"):
        return _find(client, key, pins) or _make(client, base_id, key, wheels, source)


def _key(base_id: str, wheels: Sequence[Wheel]) -> str:
    parts = [
        "requirements",
        LAYER_VERSION,
        PREFIX,
        PTH,
        base_id,
        *(f"{w.pin} {w.path.name} {w.sha256}" for w in wheels),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _find(client: EngineClient, key: str, pins: tuple[Pin, ...]) -> DerivedImage | None:
    for summary in client.images(filters={"label": f"{LABEL_KEY}={key}"}):
        labels = summary["Labels"]
        return DerivedImage(
            id=summary["Id"],
            pins=pins,
            modules=frozenset(labels.get(LABEL_MODULES, "").split()),
            unmet=tuple(labels.get(LABEL_UNMET, "").split()),
        )
    return None


def _make(client: EngineClient, base_id: str, key: str, wheels: Sequence[Wheel], source: WheelSource) -> DerivedImage:
    pins = tuple(wheel.pin for wheel in wheels)
    with tempfile.TemporaryDirectory(dir=source.cache) as work:
        unpacked = pack_wheels(wheels, Path(work, "layer.tar"), python=source.python)
        lacking = tuple(unmet(unpacked.needs, pins, python=source.python, machine=source.machine))
        labels = {LABEL_KEY: key, LABEL_MODULES: " ".join(unpacked.modules), LABEL_UNMET: " ".join(lacking)}
        base = Base(id=base_id, facts=client.inspect_image(base_id))  # type: ignore[no-untyped-call]
        config = _config(base.facts, labels, unpacked.layer)
        load(client, NewImage(base=base, config=config, layer=unpacked.layer, tag=f"refute-subject:{key[:16]}"))
    found = _find(client, key, pins)
    if found is None:
        raise SandboxFailed(
            "the image with the ticket's requirements was loaded, but the engine does not list it",
            hint="Look at the engine's log; another process may have removed it.",
        )
    return found


def _config(base: Mapping[str, Any], labels: Mapping[str, str], layer: Layer) -> bytes:
    """The image's configuration; every value follows from the base and the layer, or the ID would not."""
    inherited = base["Config"]
    layers = [*base["RootFS"]["Layers"], f"sha256:{layer.digest}"]
    created = "1970-01-01T00:00:00Z"
    config = {
        "architecture": base["Architecture"],
        "os": base["Os"],
        "created": created,
        "config": {
            **{key: inherited[key] for key in ("User", "WorkingDir", "Env", "Cmd") if inherited.get(key)},
            "Labels": dict(labels),
        },
        "rootfs": {"type": "layers", "diff_ids": layers},
        "history": [{"created": created, "created_by": "refute"} for _ in layers],
    }
    return json.dumps(config, sort_keys=True, separators=(",", ":")).encode()


@contextmanager
def _patient(client: EngineClient) -> Iterator[None]:
    """Loading an image may take longer than an engine's other answers."""
    usual = client.timeout
    client.timeout = LOAD_TIMEOUT_S
    try:
        yield
    finally:
        client.timeout = usual
