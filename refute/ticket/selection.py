"""Which files of a workspace belong to a ticket, where each one's content really stands, and which are left out."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from pathspec import PathSpec

from refute.errors import SnapshotRefused
from refute.guardrails.plain_text import encodable
from refute.ticket.checkout import Checkout, read_checkout
from refute.ticket.record import LeftOut, Ticket
from refute.ticket.withheld import pruned_reason, withheld_reason

_MAX_WALKED: Final = 200_000
_MAX_LISTED: Final = 500
"""Untracked files that are listed one by one; of more, only the directories are."""
_MAX_SCRIPT_BYTES: Final = 1_000_000


@dataclass(slots=True, kw_only=True)
class Selection:
    """The files of a ticket while they are gathered."""

    workspace: Path
    """Absolute, without symlinks."""
    required: frozenset[str]
    """Paths that the ticket names: leaving one out is a fault."""
    own: frozenset[str] = frozenset()
    """What refute itself writes below the workspace, files and directories."""
    sources: dict[str, str] = field(default_factory=dict)
    """Path in the snapshot → path of the regular file that holds its content; both relative to the workspace."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Path → reason."""
    faults: list[str] = field(default_factory=list)
    directory_links: dict[str, str] = field(default_factory=dict)
    """Symlink → the directory inside the workspace that it names."""

    def withheld(self, path: str) -> str | None:
        """Why a file must not enter a snapshot; None where it may.

        What refute itself writes is another at every run: no two snapshots of the same ticket would be the same.
        """
        if self.own and not self.own.isdisjoint([path, *map(str, PurePosixPath(path).parents)]):
            return "written by refute itself"
        return withheld_reason(path)

    def leave_out(self, path: str, reason: str) -> None:
        """Note a file that the snapshot will not hold; a fault where the ticket needs it."""
        if path in self.required:
            self.faults.append(f"{path!r}: {reason}, but the ticket names it")
        else:
            self.left_out.setdefault(path, reason)

    def refuse(self, path: str, reason: str) -> None:
        """Note a file that makes a snapshot impossible."""
        self.faults.append(f"{path!r}: {reason}")


def select_files(ticket: Ticket, *, own: Iterable[Path] = ()) -> Selection:
    """Choose the files: what git tracks (all files outside a checkout), `include`, what ticket and script name.

    Args:
        ticket: as `load_ticket` made it.
        own: files and directories that refute itself writes.

    Raises:
        SnapshotRefused: with every file that is missing, leaves the workspace or cannot be named.
    """
    workspace = ticket.workspace.resolve()
    named = (*ticket.implementation_files, ticket.verification_script, *filter(None, [ticket.previous]))
    resolved = (path.resolve() for path in own)
    below = frozenset(
        str(path.relative_to(workspace)) for path in resolved if path != workspace and path.is_relative_to(workspace)
    )
    selection = Selection(workspace=workspace, required=frozenset(named), own=below)
    try:
        default = _default(selection, ticket)
        for path in dict.fromkeys([*default, *_included(selection, ticket.include), *named]):
            _classify(selection, path)
    except OSError as error:
        raise SnapshotRefused(f"{ticket.source}: cannot read {error.filename!r}: {error.strerror}") from error
    _expand_directory_links(selection)
    if selection.faults:
        lines = "\n".join(f"  - {fault}" for fault in selection.faults[:50])
        raise SnapshotRefused(
            f"{ticket.source}: cannot snapshot {workspace}:\n{lines}",
            hint="Move, rename or remove these, or correct the ticket. Files with credentials never enter a snapshot.",
        )
    return selection


def left_out(selection: Selection) -> tuple[LeftOut, ...]:
    """What the selection leaves out, sorted by path."""
    noted = sorted((path, reason) for path, reason in selection.left_out.items() if path not in selection.sources)
    return tuple(LeftOut(path=_printable(path), reason=reason) for path, reason in noted)


def _printable(path: str) -> str:
    """A name that can be written as UTF-8, whatever bytes the file system holds."""
    return path.encode("utf-8", "backslashreplace").decode()


def _default(selection: Selection, ticket: Ticket) -> Iterable[str]:
    checkout = read_checkout(selection.workspace)
    if checkout is None:
        return list(_walk(selection, caches=False))
    _note_untracked(selection, checkout, ticket_file=Path(ticket.source).resolve())
    script = selection.workspace / ticket.verification_script
    return [*checkout.tracked, *_named_in_script(script, checkout.untracked_files)]


def _named_in_script(script: Path, untracked: tuple[str, ...]) -> Iterator[str]:
    """New files that the verification script names, or whose directory it names: without them it could only fail."""
    if not untracked or not script.is_file():
        return
    with script.open("rb") as stream:
        text = stream.read(_MAX_SCRIPT_BYTES).decode("utf-8", "replace")
    words = {str(PurePosixPath(word.partition("::")[0])) for word in re.findall(r"[\w./:-]+", text)} - {".", "/"}
    for path in untracked:
        if words.intersection([path, *map(str, PurePosixPath(path).parents)]):
            yield path


def _note_untracked(selection: Selection, checkout: Checkout, *, ticket_file: Path) -> None:
    if os.path.lexists(selection.workspace / ".git"):
        selection.leave_out(".git", "version control")
    few = len(checkout.untracked_files) <= _MAX_LISTED
    for path in checkout.untracked_files if few else checkout.untracked:
        reason = selection.withheld(path) or "not tracked by git: `git add` it, or name it under include"
        # No code needs the ticket itself; to be told about it would only make people wonder.
        if selection.workspace / path != ticket_file:
            selection.left_out.setdefault(path, reason)
    for path in checkout.ignored:
        selection.left_out.setdefault(path, selection.withheld(path) or "ignored by git")


def _included(selection: Selection, globs: tuple[str, ...]) -> Iterable[str]:
    if not globs:
        return []
    walked = list(_walk(selection, caches=True))
    found: dict[str, None] = {}
    for pattern in globs:
        matches = list(
            PathSpec.from_lines("gitignore", [f"/{pattern}" if "/" in pattern else pattern]).match_files(walked)
        )
        if not matches:
            selection.left_out[pattern] = "a glob under include that matches no file"
        found |= dict.fromkeys(matches)
    return found


def _walk(selection: Selection, *, caches: bool) -> Iterator[str]:
    """All paths below the workspace that are no directories; symlinks are named, never followed."""
    pending, seen = [""], 0
    while pending:
        parent = pending.pop()
        with os.scandir(selection.workspace / parent) as entries:
            for entry in sorted(entries, key=lambda item: item.name):
                path = f"{parent}{entry.name}"
                seen += 1
                if seen > _MAX_WALKED:
                    raise SnapshotRefused(
                        f"{selection.workspace}: got more than {_MAX_WALKED:,} files and directories",
                        hint="Name a smaller workspace in the ticket.",
                    )
                if not entry.is_dir(follow_symlinks=False):
                    yield path
                elif reason := _pruned(entry, caches=caches):
                    selection.left_out.setdefault(f"{path}/", reason)
                else:
                    pending.append(f"{path}/")


def _pruned(entry: os.DirEntry[str], *, caches: bool) -> str | None:
    reason = pruned_reason(entry.name, caches=caches)
    if reason or caches:
        return reason
    # A DirEntry's path is text.
    return "virtual environment" if os.path.lexists(os.path.join(entry.path, "pyvenv.cfg")) else None  # noqa: PTH118


def _classify(selection: Selection, path: str) -> None:
    """Sort one path into sources, directory links, left out or faults."""
    if reason := _name_fault(path):
        selection.refuse(path, reason)
    elif reason := selection.withheld(path):
        selection.leave_out(path, reason)
    else:
        _classify_target(selection, path)


def _name_fault(path: str) -> str | None:
    if not encodable(path):
        return "its name is not UTF-8, so it cannot be named in an archive; rename it"
    if path.startswith("/") or ".." in path.split("/"):
        return "leaves the workspace"
    return None


def _classify_target(selection: Selection, path: str) -> None:
    workspace = selection.workspace
    real = Path(os.path.realpath(workspace / path))
    if not real.is_relative_to(workspace):
        selection.refuse(path, f"is a symlink that leaves the workspace, to {_printable(str(real))!r}")
        return
    target = str(real.relative_to(workspace))
    try:
        mode = real.lstat().st_mode
    except FileNotFoundError:
        link = (workspace / path).is_symlink()
        selection.leave_out(
            path, f"a symlink to {target!r}, which does not exist" if link else "does not exist on disk"
        )
        return
    linked = target != path
    if linked and (reason := selection.withheld(target)):
        selection.leave_out(path, f"a symlink to {target!r}: {reason}")
    elif stat.S_ISREG(mode):
        selection.sources[path] = target
    elif stat.S_ISLNK(mode):
        selection.leave_out(path, "a symlink that leads to itself")
    elif stat.S_ISDIR(mode) and linked and path not in selection.required:
        selection.directory_links[path] = target
    elif stat.S_ISDIR(mode):
        reason = (
            "is a directory, expected a file" if path in selection.required else "a submodule that is not checked out"
        )
        selection.leave_out(path, reason)
    else:
        selection.leave_out(path, "neither a regular file nor a directory")


def _expand_directory_links(selection: Selection) -> None:
    """Give every file below a linked directory a second path, as the link shows it; one level of links."""
    originals = sorted(selection.sources.items())
    for link, target in sorted(selection.directory_links.items()):
        prefix = "" if target == "." else f"{target}/"
        if link.startswith(prefix):
            selection.leave_out(link, f"a symlink to the directory {target!r}, which holds the link itself")
            continue
        below = {f"{link}/{path.removeprefix(prefix)}": source for path, source in originals if path.startswith(prefix)}
        if not below:
            selection.leave_out(link, f"a symlink to the directory {target!r}, which has no file in the snapshot")
        selection.sources.update(below)
