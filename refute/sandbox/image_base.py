"""Where the root file system comes from: the official Python image where a registry answers, else debootstrap."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import docker
from docker.errors import APIError, ImageNotFound

from refute.errors import ImageBuildFailed
from refute.sandbox.image_recipe import Recipe

Progress = Callable[[str], None]

APT_GET = "/usr/bin/apt-get"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """An image on the engine whose file system is taken over."""

    image_id: str
    source: str
    """`registry <name>@sha256:…` or `debootstrap <suite>`."""
    disposable: bool
    """True if it was made for this build only."""


def find_base(client: docker.DockerClient, recipe: Recipe, cache: Path, progress: Progress) -> Base:
    """Pulls the base image, or makes one.

    Args:
        client: the engine.
        recipe: says which.
        cache: folder that remembers the digest that a tag had at the first pull.
        progress: told about each step.

    Raises:
        ImageBuildFailed: neither way works.
    """
    try:
        return _pulled(client, _resolved(client, recipe, cache), progress)
    except APIError as error:
        progress(f"no registry answers ({_first_line(error)}); building the base with debootstrap")
        return _bootstrapped(client, recipe, progress)


def _resolved(client: docker.DockerClient, recipe: Recipe, cache: Path) -> str:
    """The tag's digest at first sight; from then on always that one."""
    record = cache / f"base-{recipe.python}-{recipe.machine}.txt"
    if record.exists():
        return record.read_text(encoding="ascii").strip()
    digest = client.images.get_registry_data(f"python:{recipe.python}-slim").id
    record.write_text(f"python@{digest}\n", encoding="ascii")
    return f"python@{digest}"


def _pulled(client: docker.DockerClient, reference: str, progress: Progress) -> Base:
    try:
        image = client.images.get(reference)
    except ImageNotFound:
        progress(f"pulling {reference}")
        image = client.images.pull(reference)
    if image.id is None:
        raise ImageBuildFailed(f"sandbox image: the engine gave {reference} no ID", hint="Look at its log.")
    return Base(image_id=image.id, source=f"registry {reference}", disposable=False)


def _first_line(error: APIError) -> str:
    return str(error.explanation or error).strip().splitlines()[0][:200]


def _bootstrapped(client: docker.DockerClient, recipe: Recipe, progress: Progress) -> Base:
    program = shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None or os.geteuid() != 0:
        raise ImageBuildFailed(
            "sandbox image: no registry answers, and debootstrap needs root and to be installed "
            f"(got user {os.geteuid()}, debootstrap {program or 'missing'})",
            hint="As root on Debian/Ubuntu: apt-get install debootstrap, then `refute image build`; "
            "or make a registry reachable for the engine.",
        )
    with tempfile.TemporaryDirectory(prefix="refute-image-", dir=_roomy_folder()) as work:
        root = Path(work, "root")
        progress(f"debootstrap {recipe.suite} (about a minute)")
        _debootstrap(program, recipe.suite, root)
        progress("handing the base to the engine")
        image_id = _imported(client, root, Path(work, "base.tar"))
    return Base(image_id=image_id, source=f"debootstrap {recipe.suite}", disposable=True)


def _roomy_folder() -> str | None:
    """Memory where there is plenty (dpkg syncs a lot: 55 s instead of 80 s, measured), else the usual place."""
    shared = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    options = {"noexec", "nodev"}  # debootstrap runs programs there and makes device nodes
    for line in Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines():
        _, where, _, flags, *_ = line.split()
        if where == str(shared) and not options & set(flags.split(",")):
            memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            return str(shared) if min(memory, shutil.disk_usage(shared).free) > _PLENTY_BYTES else None
    return None


_PLENTY_BYTES = 3 * 1024**3


PACKAGES = "libfaketime,python3"
"""Beside Debian's minimal system; the first puts the clock forward for the second environment."""


def _debootstrap(program: str, suite: str, root: Path) -> None:
    log = root.parent / "debootstrap.log"
    command = [program, "--variant=minbase", f"--include={PACKAGES}", suite, str(root), *_mirror()]
    with log.open("wb") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)  # noqa: S603 - fixed words
    # It mounts these for the packages' scripts and may leave them; removing the folder must not reach through.
    for inner in ("proc", "sys"):
        if (root / inner).is_mount():
            subprocess.run(["/bin/umount", "-l", str(root / inner)], check=True)  # noqa: S603 - our own folder
    if done.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
        raise ImageBuildFailed(
            f"sandbox image: debootstrap {suite} exited with {done.returncode}; its last lines:\n{tail}",
            hint="Check that apt's mirror is reachable (apt-get update), then run `refute image build`.",
        )


def _mirror() -> list[str]:
    """The Debian mirror that this machine's apt is configured with; none lets debootstrap use its default."""
    fields = "$(ORIGIN)|$(LABEL)|$(SITE)"
    command = [APT_GET, "indextargets", "--format", fields, "Created-By: Packages"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - fixed words
    except (OSError, subprocess.CalledProcessError):
        return []
    rows = [line.split("|") for line in listed.splitlines()]
    return [row[2] for row in rows if row[:2] == ["Debian", "Debian"]][:1]


def _imported(client: docker.DockerClient, root: Path, archive: Path) -> str:
    # What the layer will drop anyway, and is large or cannot be packed.
    unwanted = ("proc/*", "sys/*", "dev/*", "var/cache/*", "var/lib/apt/*")
    excluded = [f"--exclude=./{path}" for path in unwanted]
    packing = ["/bin/tar", "-C", str(root), *excluded, "-cf", str(archive), "."]
    subprocess.run(packing, check=True)  # noqa: S603 - our own folder
    with archive.open("rb") as data:
        # `docker import`: this image's ID differs each time, which is fine, since only its files are used.
        answer = client.api.import_image(src=data, repository="refute-base")
    return _id_in(answer)


def _id_in(answer: str) -> str:
    for word in answer.replace('"', " ").split():
        if word.startswith("sha256:"):
            return word.strip()
    raise ImageBuildFailed(
        f"sandbox image: the engine's import answered {answer[:200]!r}, expected an image ID",
        hint="Look at the engine's log.",
    )
