"""A folder of files that count only if refute signed them: an edited, renamed or foreign one is never parsed."""

import contextlib
import hmac
import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import Final

from refute.errors import InfrastructureError, SettingsInvalid
from refute.settings import Settings

MAX_BYTES: Final = 16 * 1024 * 1024
"""Of one file's content; more is not kept."""
SUFFIX: Final = ".signed"
PARTIAL: Final = ".new-"
"""How the names of files begin that are being written."""
KEY_FILE: Final = "signing.key"
KEY_CHARS: Final = 64
HEADER: Final = b"refute 1 hmac-sha256:"
"""Begins each file; signed with name and content, so that a signature for any other purpose never fits."""
FIRST_LINE_BYTES: Final = len(HEADER) + 64 + 1


class Unusable(Exception):  # no failure: the work is done anew
    """A file is not what it should be; nothing in it is trusted. The message says why."""


class SignedFolder:
    """Files of any content, each written whole or not at all; processes and machines with the same key may share it.

    Names are plain file names; any other raises `ValueError`.

    Args:
        path: made, for this user alone, when something is written.
        key: that every file is signed with, see `signing_key`.
    """

    def __init__(self, path: Path, *, key: bytes) -> None:
        self._path = path
        self._key = key

    def file(self, name: str) -> Path:
        """Where a file lies."""
        if not name or name.startswith(".") or "/" in name or "\0" in name:
            raise ValueError(f"got {name!r}, expected a plain file name")
        return self._path / f"{name}{SUFFIX}"

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return os.path.isdir(self._path)  # noqa: PTH112  # False where it cannot be looked at, too

    def read(self, name: str) -> bytes | None:
        """A file's content without its signature; None where there is no such file.

        Raises:
            Unusable: the file cannot be read, or was not signed with this key, under this name, for this content.
        """
        file = self.file(name)
        try:
            stored, _ = _read_regular(file, MAX_BYTES + FIRST_LINE_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unusable(f"cannot be read: {error.strerror}") from error
        signature, _, content = stored.partition(b"\n")
        if not signature.startswith(HEADER):
            raise Unusable("not signed")
        if not hmac.compare_digest(signature, self._signature(name, content)):
            raise Unusable("changed, renamed, or signed with another key")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Sign and keep a file in place of an earlier one; more than `MAX_BYTES` is not kept, nor what was there.

        Raises:
            OSError: it cannot be written.
        """
        file = self.file(name)
        if len(content) > MAX_BYTES:
            self.remove(name)
            return
        self._path.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = _write_partial(self._path, self._signature(name, content) + b"\n" + content)
        try:
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Forget a file."""
        with contextlib.suppress(OSError):
            self.file(name).unlink(missing_ok=True)

    def touch(self, name: str) -> None:
        """Note that a file was used: the sweep counts age from the last use."""
        with contextlib.suppress(OSError):
            os.utime(self.file(name), follow_symlinks=False)

    def _signature(self, name: str, content: bytes) -> bytes:
        signed = HEADER + os.fsencode(name) + b"\0" + content
        return HEADER + hmac.digest(self._key, signed, "sha256").hex().encode()


def signing_key(settings: Settings) -> bytes:
    """The setting's key where one is set, else a random one of this state directory, made at first use.

    Raises:
        SettingsInvalid: others may know the state directory's key, or it is damaged.
        InfrastructureError: it cannot be made or read.
    """
    if settings.signing_key and settings.signing_key.get_secret_value():
        return settings.signing_key.get_secret_value().encode()
    path = settings.state_dir / KEY_FILE
    try:
        if not os.path.lexists(path):
            _make_key(path)
        return _read_key(path)
    except Unusable as error:
        hint = "Remove it: a new one is made, and what the old one signed no longer counts."
        raise SettingsInvalid(f"{path}: {error}", hint=hint) from error
    except OSError as error:
        hint = "Make it readable, or set REFUTE_SIGNING_KEY (openssl rand -hex 32)."
        raise InfrastructureError(f"{path}: {error.strerror}", hint=hint) from error


def _make_key(path: Path) -> None:
    """Where several processes do this at once, one wins, and nobody ever reads half a key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = _write_partial(path.parent, secrets.token_hex(KEY_CHARS // 2).encode())
    try:
        with contextlib.suppress(FileExistsError):
            os.link(partial, path)  # unlike a rename, it replaces no other process's key
    finally:
        partial.unlink(missing_ok=True)


def _read_key(path: Path) -> bytes:
    key, facts = _read_regular(path, KEY_CHARS)
    if facts.st_uid != os.geteuid() or facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Unusable(f"others may know this key (owner {facts.st_uid}, mode {stat.S_IMODE(facts.st_mode):o})")
    if len(key) != KEY_CHARS:
        raise Unusable(f"got {len(key)} characters, expected {KEY_CHARS}")
    return key


def _write_partial(folder: Path, content: bytes) -> Path:
    """A new file that this user alone can read; the caller moves it to its place."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=PARTIAL, delete=False) as stream:
        try:
            stream.write(content)
            stream.flush()
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
    return Path(stream.name)


def _read_regular(path: Path, max_bytes: int) -> tuple[bytes, os.stat_result]:
    with open(path, "rb", opener=_open_plainly) as stream:
        facts = os.fstat(stream.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > max_bytes:
            raise Unusable(f"not a regular file of at most {max_bytes} bytes")
        return stream.read(max_bytes), facts


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe's other end is not waited for
