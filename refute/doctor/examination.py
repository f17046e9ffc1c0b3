"""All checks of `refute doctor` that need no Prefect."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from refute.doctor.check import Check
from refute.doctor.engine import judge_engine, read_facts
from refute.doctor.runtimes import check_runtimes, tried_out_in_a_container
from refute.errors import RefuteError
from refute.llm.answers import FOLDER as ANSWERS
from refute.sandbox.connection import PERMISSION_HINT
from refute.sandbox.image import SandboxImage, find_image
from refute.settings import Settings
from refute.sweep import folder_bytes

ENOUGH_DISK_BYTES = 5 * 1000**3
"""The image and its layers (0.4 GB), snapshots, and a batch's throwaway copies."""


def examine(settings: Settings, connect: Callable[[], docker.DockerClient] = docker.from_env) -> list[Check]:
    """Looks at Python, disk, engine, limits, runc, kernel and image; raises nothing, since a fault is a finding."""
    checks = [check_python(sys.version_info[:3]), *check_disks({"state": settings.state_dir}), check_caches(settings)]
    try:
        client = connect()
        facts = read_facts(client)
    except (DockerException, RequestException, RefuteError) as error:
        return [*checks, _no_engine(error)]
    checks += judge_engine(facts, memory_bytes=settings.memory_bytes)
    if facts.local:
        checks += check_disks({"engine": Path(facts.info.get("DockerRootDir", "/var/lib/docker"))})
    try:
        image = find_image(client)
        checks.append(check_image(image))
        if image is not None:
            runtimes = sorted(facts.info.get("Runtimes") or ())
            checks += check_runtimes(runtimes, settings.runtime, tried_out_in_a_container(image.id))
    except RefuteError as error:
        checks.append(Check(name="sandbox image", ok=False, found=error.message, advice=error.hint))
    return checks


def check_python(version: tuple[int, ...]) -> Check:
    """Python 3.11 or newer."""
    return Check(
        name="Python",
        ok=version >= (3, 11),
        found=".".join(map(str, version)),
        advice="" if version >= (3, 11) else "Install Python 3.11 or newer, then run `make setup`.",
    )


def check_disks(places: Mapping[str, Path]) -> Iterator[Check]:
    """Free space at each place, or at its nearest parent that exists."""
    for name, place in places.items():
        existing = next(path for path in (place, *place.absolute().parents) if path.exists())
        free = shutil.disk_usage(existing).free
        enough = free >= ENOUGH_DISK_BYTES
        advice = "" if enough else f"Free at least {ENOUGH_DISK_BYTES / 1e9:.0f} GB there."
        yield Check(name=f"disk ({name})", ok=enough, found=f"{free / 1e9:.1f} GB free at {existing}", advice=advice)


def check_caches(settings: Settings) -> Check:
    """What cached results and kept answers take, and may take. More is no fault: an unfinished batch may need some."""
    places = (
        ("cached results", settings.results_path, settings.results_max_bytes),
        ("cached answers", settings.state_dir / ANSWERS, settings.kept_answers_max_bytes),
    )
    told = [f"{name} {folder_bytes(path) / 1e6:.1f} of {most / 1e6:.0f} MB" for name, path, most in places]
    return Check(name="caches", ok=True, found=", ".join(told))


def check_image(image: SandboxImage | None) -> Check:
    """The sandbox image of this checkout is on the engine."""
    if image is None:
        found = "missing or of an older version"
        return Check(name="sandbox image", ok=False, found=found, advice="Run `refute image build`.")
    return Check(name="sandbox image", ok=True, found=f"{image.id[:19]}, Python {image.python}, {image.source}")


def _no_engine(error: Exception) -> Check:
    advice = "Start it (Debian/Ubuntu, as root: scripts/ensure-engine.sh), or set DOCKER_HOST to where it listens."
    if "Permission denied" in str(error):
        advice = PERMISSION_HINT
    return Check(name="engine", ok=False, found=f"does not answer: {str(error).splitlines()[0][:300]}", advice=advice)
