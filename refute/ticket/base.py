"""The tree before the change, as a ticket's `base` names it: what of the workspace was another then."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from refute.errors import SnapshotRefused
from refute.ticket.checkout import git, git_paths, in_checkout
from refute.ticket.reading import read_beneath
from refute.ticket.record import Ticket
from refute.ticket.selection import Selection
from refute.ticket.withheld import content_reason

MAX_FILES: Final = 500
_LISTED: Final = ("--no-ext-diff", "--no-textconv", "--no-renames", "--relative", "--name-only", "-z")


def files_before(
    ticket: Ticket, selection: Selection, contents: Mapping[str, bytes], *, max_bytes: int
) -> Mapping[str, bytes]:
    """The earlier content of every file of the workspace that `base` holds otherwise, or holds alone.

    Args:
        ticket: with `base`, a directory of the workspace or a revision of the git checkout around it; None: no files.
        selection: of the ticket's files.
        contents: path → what they hold now.
        max_bytes: of all earlier contents together.

    Returns:
        Path → content; empty for a file that was not there.

    Raises:
        SnapshotRefused: there is no such base, or the change is larger than a ticket may be.
    """
    if ticket.base is None:
        return {}
    if (selection.workspace / ticket.base).is_dir():
        found = _from_directory(selection.workspace, ticket.base, contents, max_bytes=max_bytes)
    else:
        found = _from_git(selection, _commit(ticket, selection.workspace), ticket.implementation_files)
    if len(found) > MAX_FILES or sum(map(len, found.values())) > max_bytes:
        raise SnapshotRefused(
            f"{ticket.source}: base: got {ticket.base!r}, from which {len(found):,} files differ, "
            f"expected at most {MAX_FILES} and {max_bytes:,} bytes",
            hint="Is this the revision that the change starts from? `git diff --stat` shows what changed.",
        )
    return {path: data for path, data in sorted(found.items()) if not selection.withheld(path)}


def _from_directory(workspace: Path, base: str, now: Mapping[str, bytes], *, max_bytes: int) -> dict[str, bytes]:
    """A whole tree that lies beside the files of the change; what only it holds is of no interest."""
    found: dict[str, bytes] = {}
    for path, content in now.items():
        before = f"{base}/{path}"
        there = os.path.isfile(workspace / before)  # noqa: PTH113  # a path that is too long is no file
        data = read_beneath(workspace, before, max_bytes=max_bytes).data if there else b""
        if data != content and not path.startswith(f"{base}/") and content_reason(data) is None:
            found[path] = data
    return found


def _commit(ticket: Ticket, workspace: Path) -> str:
    base, expected = (
        ticket.base,
        "a directory of the workspace, or a commit, branch or tag of the git checkout around it",
    )
    fault = SnapshotRefused(
        f"{ticket.source}: base: got {base!r}, expected {expected}",
        hint="Fetch it (`git fetch`), correct it, or leave it out: then nothing is compared with the code before.",
    )
    if not in_checkout(workspace):
        raise fault
    try:
        found = git(workspace, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    except SnapshotRefused as error:
        raise fault from error
    return found.decode("ascii", "replace").strip()


def _from_git(selection: Selection, commit: str, changed_files: Sequence[str]) -> dict[str, bytes]:
    """What a commit holds of files that are another now, or gone; files that it does not hold are new.

    Those that git ignores are generated and have no history (a version's number, often): without them the earlier
    code would not even import. What the ticket says that it changes is new all the same.
    """
    changed = git_paths(selection.workspace, "diff", *_LISTED, "--diff-filter=DMT", commit)
    held = set(git_paths(selection.workspace, "ls-tree", "-r", "-z", "--name-only", commit))
    ignored = git_paths(selection.workspace, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    found = dict.fromkeys(selection.sources.keys() - held - (set(ignored) - set(changed_files)), b"")
    for path in changed[: MAX_FILES + 1]:
        data = git(selection.workspace, "show", "--no-textconv", f"{commit}:./{path}")
        if content_reason(data) is None:
            found[path] = data
    return found
