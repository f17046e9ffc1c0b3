"""Wheels as a layer of an image: unpacked without executing anything; the same wheels give the same bytes.

All of it lies under `/usr/local/lib/requirements`, apart from our own wheels. A `.pth` puts it on the path of every
Python in the container but the driver's, so the versions of the two never meet. Programs go to its `bin`, which comes
last on the path: a wheel cannot put its own `python3` in the place of the driver's.
"""

import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import Final

from installer import install
from installer.destinations import SchemeDictionaryDestination
from installer.exceptions import InstallerError
from installer.sources import WheelFile

from refute.errors import RequirementsUnavailable
from refute.sandbox.image_pack import Entry, Layer, digest_of, normalise
from refute.sandbox.requirements import Wheel

PREFIX: Final = "/usr/local/lib/requirements"
SITE: Final = f"{PREFIX}/site-packages"
BIN: Final = f"{PREFIX}/bin"
SEARCH_PATH: Final = f"/usr/local/bin:/usr/bin:/bin:{BIN}"
"""PATH of a job whose image has requirements."""
MAX_BYTES: Final = 2 * 1024**3
MAX_FILES: Final = 100_000

PTH: Final = (
    "import sys; any(word.startswith('/opt/refute/driver/') for word in sys.orig_argv[1:])"
    f" or __import__('site').addsitedir('{SITE}')\n"
)
"""For every Python but the driver's own programs. Its name sorts before that of ours: a ticket's versions win."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedWheels:
    """A layer, and what is in it."""

    layer: Layer
    modules: tuple[str, ...]
    """Names that can be imported from it, top level only, sorted."""
    needs: tuple[str, ...]
    """What the wheels say that they need (`Requires-Dist`), as written, sorted."""


def pack_wheels(wheels: Sequence[Wheel], target: Path, *, python: str) -> UnpackedWheels:
    """Unpack wheels and write the layer.

    Args:
        wheels: in the order in which a later one may replace an earlier one's file.
        target: the layer's tar; its folder is also used for work.
        python: `major.minor` of the image.

    Raises:
        RequirementsUnavailable: a wheel is malformed, or they are too large together.
    """
    root = target.with_suffix(".root")
    needs = unpack_wheels(wheels, root, PREFIX)
    pack_folder(root, target, added=_pth_entries(python))
    layer = Layer(path=target, digest=digest_of(target))
    return UnpackedWheels(layer=layer, modules=_modules(root / SITE.lstrip("/")), needs=needs)


def unpack_wheels(wheels: Iterable[Wheel], root: Path, prefix: str) -> tuple[str, ...]:
    """Unpack wheels below `root`, to `site-packages`, `bin` and `include` of `prefix` there; nothing is executed.

    Returns:
        What they say that they need (`Requires-Dist`), as written, sorted.

    Raises:
        RequirementsUnavailable: a wheel is malformed, or they are too large together.
    """
    needs: set[str] = set()
    room = [MAX_BYTES, MAX_FILES]
    for wheel in wheels:
        _check_size(wheel, room)
        needs.update(_unpack(wheel, root, prefix))
    return tuple(sorted(needs))


def pack_folder(folder: Path, target: Path, *, prefix: str = "", added: Iterable[Entry] = ()) -> None:
    """A folder as a layer of root's files; `prefix` and `added` as `normalise` takes them."""
    raw = target.with_suffix(".raw")
    with tarfile.open(raw, "w") as archive:
        archive.add(folder, arcname=".", filter=_as_root)
    normalise(raw, target, prefix=prefix, added=added)
    raw.unlink()


def _check_size(wheel: Wheel, room: list[int]) -> None:
    """Count what a wheel says it unpacks to; unpacking stops at what it says."""
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise RequirementsUnavailable(
            f"requirement {wheel.pin}: {wheel.path.name} is no zip archive: {error}"
        ) from error
    room[0] -= sum(member.file_size for member in members)
    room[1] -= len(members)
    if min(room) < 0:
        raise RequirementsUnavailable(
            f"requirement {wheel.pin}: the requirements unpack to more than {MAX_BYTES:,} bytes or {MAX_FILES:,} files"
        )


def _unpack(wheel: Wheel, root: Path, prefix: str) -> list[str]:
    """Unpack one wheel below `root`; returns what it says that it needs."""
    places = {"purelib": "site-packages", "platlib": "site-packages", "scripts": "bin", "headers": "include"}
    schemes = {"data": prefix, **{scheme: f"{prefix}/{place}" for scheme, place in places.items()}}
    destination = SchemeDictionaryDestination(
        schemes, interpreter="/usr/bin/python3", script_kind="posix", destdir=str(root), overwrite_existing=True
    )
    try:
        with WheelFile.open(wheel.path) as source, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of `__pycache__` in the wheel, which is left out
            install(source, destination, {"INSTALLER": b"refute\n"})
            metadata = HeaderParser().parsestr(source.read_dist_info("METADATA"))
    except (InstallerError, zipfile.BadZipFile, OSError, ValueError, KeyError, AssertionError, RuntimeError) as error:
        raise RequirementsUnavailable(
            f"requirement {wheel.pin}: {wheel.path.name} cannot be unpacked: {type(error).__name__}: {error}"
        ) from error
    return [str(need) for need in metadata.get_all("Requires-Dist") or ()]


def _modules(site: Path) -> tuple[str, ...]:
    if not site.is_dir():
        return ()
    found = {
        path.name.split(".")[0]
        for path in site.iterdir()
        if not path.name.endswith((".dist-info", ".pth")) and (path.is_dir() or path.suffix in {".py", ".so"})
    }
    return tuple(sorted(name for name in found if name.isidentifier()))


def _as_root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    executable = info.isdir() or info.mode & stat.S_IXUSR
    info.mode = 0o755 if executable else 0o644
    return info


def _pth_entries(python: str) -> Iterable[Entry]:
    """Debian's Python looks in dist-packages, the official images' in site-packages; the other is ignored."""
    for folder in ("dist-packages", "site-packages"):
        path = PurePosixPath("usr/local/lib", f"python{python}", folder, "a-subject.pth")
        yield Entry(path=str(path), content=PTH.encode(), mode=0o644)
