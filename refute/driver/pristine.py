"""The files as submitted: every worker finds them as the first one did, whatever earlier ones did to them."""

import contextlib
import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

OWNER = 0o700


def empty_folder(path: Path) -> None:
    """Make a folder of ours exist and be empty. Raises OSError: this process may not do so."""
    if not _is_folder(path):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        path.mkdir(mode=OWNER, parents=True)
        return
    path.chmod(OWNER)
    empty_contents(path)


def empty_contents(path: Path) -> None:
    """Remove what is in a folder, as far as this process may; the folder stays. No link is followed."""
    if not _is_folder(path) or not _holds_anything(path):
        return
    # Both walk by descriptors, to any depth (https://www.gnu.org/software/findutils/manual/, 2026-11-25).
    open_up = ("-type", "d", "!", "-perm", "-0700", "-execdir", "/bin/chmod", "u+rwx", "--", "{}", ";")
    for action in (open_up, ("-mindepth", "1", "-delete")):
        subprocess.run(["/usr/bin/find", str(path.absolute()), *action], stderr=subprocess.DEVNULL, check=False)  # noqa: S603


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it. Raises OSError: this process may not do so."""
    if _is_folder(path):
        path.chmod(OWNER)
        empty_contents(path)
        path.rmdir()
    else:
        path.unlink()


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _holds_anything(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return next(path.iterdir(), None) is not None
    return True


Signature = tuple[int, int, int, int, int]


@dataclass(slots=True)
class Original:
    """A file or folder: its mode; of a file its content, and what stat said after it was last written."""

    mode: int
    content: bytes | None = None
    signature: Signature | None = None


class PristineFolder:
    """Remembers a folder and puts it back."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self._originals: dict[Path, Original] = {}
        self._mode = stat.S_IMODE(folder.stat().st_mode)
        for base, folders, files in os.walk(self._root):
            for path in (Path(base, name) for name in folders):
                self._originals[path] = Original(stat.S_IMODE(path.lstat().st_mode))
            for path in (Path(base, name) for name in files):
                mode = stat.S_IMODE(path.lstat().st_mode)
                self._originals[path] = Original(mode, path.read_bytes(), _signature(path))

    def restore(self) -> None:
        """Undo what changed since: content, modes, files and folders added, removed or replaced. Raises OSError."""
        if stat.S_IMODE(self._root.stat().st_mode) != self._mode:
            self._root.chmod(self._mode)
        try:
            self._undo()
        except (OSError, RecursionError):  # names too long, trees too deep: all of it anew
            empty_folder(self._root)
            self._root.chmod(self._mode)
            self._undo()

    def _undo(self) -> None:
        seen = set()
        for base, folders, files in os.walk(self._root):
            for name in [*folders, *files]:
                path = Path(base, name)
                if self._unchanged(path):
                    seen.add(path)
                    continue
                remove(path)
                if name in folders:
                    folders.remove(name)
        for path in sorted(self._originals.keys() - seen):
            _write(path, self._originals[path])

    def replace(self, name: str, content: bytes) -> None:
        """Put another content in the place of a file, until the next `restore`."""
        path = self._root / name
        path.unlink()
        path.write_bytes(content)
        path.chmod(self._originals[path].mode)

    def _unchanged(self, path: Path) -> bool:
        original = self._originals.get(path)
        if original is None or original.content is not None:
            return original is not None and _signature(path) == original.signature
        if not stat.S_ISDIR(path.lstat().st_mode):
            return False
        path.chmod(original.mode)  # before the walk looks into it
        return True


def _signature(path: Path) -> Signature:
    """The change time cannot be set by a program, so an equal signature means untouched."""
    now = path.lstat()
    return (now.st_mode, now.st_size, now.st_ino, now.st_mtime_ns, now.st_ctime_ns)


def _write(path: Path, original: Original) -> None:
    if original.content is None:
        path.mkdir(original.mode)
        return
    with path.open("xb") as file:
        file.write(original.content)
    path.chmod(original.mode)
    original.signature = _signature(path)
