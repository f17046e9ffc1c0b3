"""Judges what a command or call would do to a path or a host; shell and Python share it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from refute.scan import hosts, paths, program_data, sensitive
from refute.scan.finding import Severity
from refute.scan.paths import Place, Target
from refute.scan.public_sources import is_public_source
from refute.scan.report import Report, Spot
from refute.scan.symbols import DERIVED, EMPTY, HERE, HOME, HOST_DATA, SECRET, show

_OWN_LOG: Final = 3
"""Slashes of a log directly below /var/log; what lies deeper is one program's."""
_DOORS: Final = re.compile(r"/(?:\.bashrc|\.profile|\.ssh/.*|authorized_keys|(?:site|user)customize\.py|[^/]+\.pth)\Z")


@dataclass(slots=True)
class Act:
    """Something a text does at a place; each method judges one kind of effect."""

    report: Report
    spot: Spot
    command: str
    """The command or call as understood."""
    cwd: str = HERE
    soft: bool = False
    """Whether what is unresolved is ordinary: a function's parameter rather than a script's variable."""

    def add(self, rule_id: str, *, severity: Severity | None = None, detail: str = "") -> None:
        """Report a finding of this act."""
        self.report.add(rule_id, self.spot, self.command, severity=severity, detail=detail)

    def read(self, path: str, *, asks: bool = False) -> str:
        """Judge reading a file's content; returns the symbol for what it yields, empty for ordinary data.

        Args:
            path: the file.
            asks: whether only yes or no comes out of it (`grep -q`), so that nothing of its content goes anywhere.
        """
        path = path.removeprefix(EMPTY)
        target = paths.locate(path, self.cwd)
        if sensitive.is_credentials(target.text):
            self.add("read-credentials", detail=_named(target))
            return SECRET
        if target.text.endswith("/docker.sock"):
            self.add("container-escape", detail=_named(target))
        elif target.place == Place.SYSTEM:
            self._read_system(target, asks=asks)
        elif target.place == Place.HOME and target.text.count("/") and sensitive.is_persistence(target.text):
            self.add("read-host-file", detail=_named(target))
        return HOST_DATA if target.place in {Place.SYSTEM, Place.HOME} else ""

    def _read_system(self, target: Target, *, asks: bool) -> None:
        text = target.text
        if sensitive.is_public_fact(text):
            return
        own_log = text.startswith("/var/log/") and program_data.is_service_data(text) and text.count("/") > _OWN_LOG
        weak = asks or own_log or paths.has_open_part(target) or not sensitive.is_telling(text)
        self.add("read-host-file", severity=Severity.MEDIUM if weak else None, detail=_named(target))

    def list(self, path: str, *, asks: bool = False) -> None:
        """Judge listing a directory; `asks` as for `read`."""
        path = path.removeprefix(EMPTY)
        target = paths.locate(path, self.cwd)
        if sensitive.is_credentials(target.text):
            self.add("read-credentials", detail=_named(target))
        elif target.place == Place.SYSTEM or (target.place == Place.HOME and target.text.strip("*/") == HOME):
            root = target.place == Place.HOME or sensitive.is_enumerable_root(target.text)
            weak = asks or not root or paths.has_open_part(target)
            self.add("list-host-directory", severity=Severity.MEDIUM if weak else None, detail=_named(target))

    def write(self, path: str) -> None:
        """Judge creating or changing a file."""
        target = paths.locate(path, self.cwd)
        if paths.inside_or_temporary(target) or target.place == Place.TEMP_ROOT:
            if ".git/hooks/" in target.text or target.text.endswith("/.git/config"):
                self.add("persistence", severity=Severity.HIGH, detail=_named(target))
            return
        if target.text.startswith("/dev/"):
            self.add("device-write", detail=_named(target))
        elif sensitive.is_persistence(target.text) or sensitive.is_credentials(target.text):
            self.add("persistence", detail=_named(target))
        elif target.place == Place.UNKNOWN:
            self._write_unknown(target)
        else:
            weak = sensitive.is_made_up(target.text) or program_data.is_service_data(target.text)
            weak = weak or _is_home_data(target) or target.place == Place.OUTSIDE
            weak = weak or program_data.is_image_data(f"{target.text}/x" if path.endswith("/") else target.text)
            weak = weak and DERIVED not in target.text
            self.add("write-outside", severity=Severity.MEDIUM if weak else None, detail=_named(target))

    def make_directory(self, path: str) -> None:
        """Judge making a directory: nothing that exists is changed, and an empty one runs nothing."""
        target = paths.locate(path, self.cwd)
        if target.text.startswith(("/dev/", "/proc/", "/sys/")):
            self.write(path)
        elif target.place in {Place.SYSTEM, Place.HOME, Place.OUTSIDE}:
            self.add("write-outside", severity=Severity.MEDIUM, detail=_named(target))

    def _write_unknown(self, target: Target) -> None:
        tail = target.text.lstrip("".join(paths.FUZZY))
        if DERIVED in target.text:
            self.add("write-outside", detail=_named(target))
        elif target.text.startswith(EMPTY):
            self._write_from_root(tail, target)
        elif sensitive.is_persistence(tail) or re.search(_DOORS, tail):
            self.add("persistence", severity=Severity.HIGH, detail=_named(target))

    def _write_from_root(self, tail: str, target: Target) -> None:
        """A path that begins with a variable: from the root where the variable stayed empty."""
        if tail.startswith("/dev/") or sensitive.is_persistence(tail) or sensitive.is_credentials(tail):
            self.write(tail)
        elif not paths.inside_or_temporary(paths.locate(tail)):
            self.add("write-outside", severity=Severity.MEDIUM, detail=_named(target))

    def delete(self, path: str, *, recursive: bool) -> None:
        """Judge deleting a file or a tree."""
        target = paths.locate(path, self.cwd)
        if paths.inside_or_temporary(target):
            return
        if target.text.startswith("/dev/"):
            self.add("device-write", detail=_named(target))
        elif target.place == Place.UNKNOWN:
            self._delete_unknown(target, recursive=recursive)
        else:
            weak = program_data.is_run_mark(target.text) or program_data.is_cache(target.text)
            # A tree that the script itself names as lying outside is nobody's leftover.
            beside = paths.is_beside(target) and not (recursive and ".." in path.split("/"))
            weak = weak or beside or (not recursive and _is_one_file_of_a_program(target))
            self.add("delete-outside", severity=Severity.MEDIUM if weak else None, detail=_named(target))

    def _delete_unknown(self, target: Target, *, recursive: bool) -> None:
        if DERIVED in target.text:
            self.add("delete-outside", detail=_named(target))
            return
        tail = target.text.removeprefix(EMPTY) or "/"
        if target.text.startswith(EMPTY) and (sensitive.is_enumerable_root(tail) or sensitive.is_credentials(tail)):
            # `rm -rf "$prefix/"` with a prefix that may be empty.
            self.delete(tail, recursive=recursive)
            return
        # `rm -rf "$x/build"` names what it deletes; `rm -rf "$x"` or "$x/*" may be everything.
        named = re.search(r"[\w.-]{3,}", "".join(char for char in target.text if char not in paths.FUZZY))
        own = self.soft and not target.text.endswith("*")
        severity = None if recursive and not named and not own else Severity.MEDIUM
        self.add("delete-unresolved", severity=severity, detail=_named(target))

    def change_mode(self, path: str, *, tightens: bool = False) -> None:
        """Judge changing rights or owner of a file.

        Args:
            path: the file.
            tightens: whether nobody but its owner can do more with it afterwards than read and run it.
        """
        tail = path.removeprefix(EMPTY)
        target = paths.locate(tail if sensitive.is_enumerable_root(tail) else path, self.cwd)
        if target.place in {Place.SYSTEM, Place.OUTSIDE, Place.HOME, Place.TEMP_ROOT}:
            own = program_data.is_service_data(target.text) or _is_home_data(target)
            weak = own or (tightens and not sensitive.is_credentials(target.text)) or paths.is_beside(target)
            self.add("permission-change", severity=Severity.MEDIUM if weak else None, detail=_named(target))

    def send(self, values: Iterable[str]) -> None:
        """Judge what is sent over a network, near or far."""
        for value in values:
            if SECRET in value:
                self.add("environment-dump", detail="Sends them over the network.")
            if HOST_DATA in value:
                self.add("read-host-file", severity=Severity.HIGH, detail="Sends it over the network.")

    def connect(self, host: str | None, *, fetches: bool = False) -> None:
        """Judge talking to a host.

        Args:
            host: None for no host at all.
            fetches: whether it only asks for something and hands nothing over.
        """
        if host is None:
            return
        match hosts.reach_of(host):
            case hosts.Reach.EXTERNAL:
                severity = Severity.MEDIUM if fetches and is_public_source(host) else None
                self.add("network-external", severity=severity, detail=f"Host: {_plain(host)}.")
            case hosts.Reach.METADATA:
                self.add("network-metadata")
            case hosts.Reach.UNKNOWN:
                self.add("network-unresolved", severity=Severity.MEDIUM if self.soft else None)
            case hosts.Reach.LOOPBACK | hosts.Reach.PRIVATE:
                detail = f"Host: {_plain(host)}, on this machine or its private network."
                self.add("network-external", severity=Severity.MEDIUM, detail=detail)


def _is_home_data(target: Target) -> bool:
    return program_data.is_home_data(target.text) and not target.by_name


def _is_one_file_of_a_program(target: Target) -> bool:
    return sensitive.is_made_up(target.text) or program_data.is_kept_for_a_program(target.text)


def _named(target: Target) -> str:
    return f"Path: {show(target.text, 80)}."


def _plain(host: str) -> str:
    return show(host, 80)
