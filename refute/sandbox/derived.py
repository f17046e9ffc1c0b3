"""The sandbox image with a ticket's requirements: one layer on top, found again by what it was made of.

Same base, same wheels, same ID: the configuration holds no time, and the layer is packed like the base's own.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from refute.errors import SandboxFailed
from refute.sandbox.connection import EngineClient, engine_errors
from refute.sandbox.image_load import NewImage, find, load, patient
from refute.sandbox.image_pack import Layer
from refute.sandbox.image_recipe import LAYER_VERSION
from refute.sandbox.requirements import Pin, Wheel, read_pins, unmet
from refute.sandbox.requirements_download import WheelSource, fetch_wheels
from refute.sandbox.requirements_layer import PREFIX, PTH, pack_wheels

LABEL_KEY: Final = "refute.sandbox.requirements"
LABEL_MODULES: Final = "refute.sandbox.requirements.modules"
LABEL_UNMET: Final = "refute.sandbox.requirements.unmet"


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
    with alone, patient(client), engine_errors("load the image with the ticket's requirements"):
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
    found = find(client, LABEL_KEY, key)
    if found is None:
        return None
    words = {label: found["Labels"].get(label, "").split() for label in (LABEL_MODULES, LABEL_UNMET)}
    return DerivedImage(
        id=found["Id"], pins=pins, modules=frozenset(words[LABEL_MODULES]), unmet=tuple(words[LABEL_UNMET])
    )


def _make(client: EngineClient, base_id: str, key: str, wheels: Sequence[Wheel], source: WheelSource) -> DerivedImage:
    pins = tuple(wheel.pin for wheel in wheels)
    with tempfile.TemporaryDirectory(dir=source.cache) as work:
        unpacked = pack_wheels(wheels, Path(work, "layer.tar"), python=source.python)
        lacking = tuple(unmet(unpacked.needs, pins, python=source.python, machine=source.machine))
        labels = {LABEL_KEY: key, LABEL_MODULES: " ".join(unpacked.modules), LABEL_UNMET: " ".join(lacking)}
        load(client, _on_top(client, base_id, unpacked.layer, labels), Path(work))
    found = _find(client, key, pins)
    if found is None:
        raise SandboxFailed(
            "the image with the ticket's requirements was loaded, but the engine does not list it",
            hint="Look at the engine's log; another process may have removed it.",
        )
    return found


def _on_top(client: EngineClient, base_id: str, layer: Layer, labels: Mapping[str, str]) -> NewImage:
    """The base image with a layer more; the engine has all the others."""
    base: Mapping[str, Any] = client.inspect_image(base_id)  # type: ignore[no-untyped-call]
    digests = [digest.removeprefix("sha256:") for digest in base["RootFS"]["Layers"]]
    inherited = {key: base["Config"][key] for key in ("User", "WorkingDir", "Env", "Cmd") if base["Config"].get(key)}
    return NewImage(
        architecture=base["Architecture"],
        settings={**inherited, "Labels": dict(labels)},
        layers=(*(Layer(path=None, digest=digest) for digest in digests), layer),
        tag=f"refute-subject:{labels[LABEL_KEY][:16]}",
        base_id=base_id,
    )
