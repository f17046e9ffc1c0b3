"""Where a process was when it was stopped or crashed: reads what faulthandler wrote."""

import re
from dataclasses import dataclass

FRAME = re.compile(r'^ {2}File "(?P<path>.+)", line \d+ in (?P<name>.*)$')


@dataclass(frozen=True, slots=True)
class Place:
    """Where the main thread stood."""

    reached_implementation: bool
    inside_implementation: bool
    """The innermost frame that is the implementation's or the test's is the implementation's."""


def locate(dump: str, *, workspace: str, test_path: str) -> Place:
    """Read a dump of all threads' stacks; without one, nothing is known and nothing is claimed.

    The implementation may forge or suppress a dump: it is evidence against the code only, never for it.
    """
    owners = [owner for path, name in _main_stack(dump) if (owner := _owner(path, name, workspace, test_path))]
    return Place("code" in owners, bool(owners) and owners[0] == "code")


def _main_stack(dump: str) -> list[tuple[str, str]]:
    """(path, function) of the thread that handled the signal, innermost first."""
    frames: list[tuple[str, str]] = []
    inside = False
    for line in dump.splitlines():
        if line.startswith("Current thread"):
            inside, frames = True, []
        elif inside and (match := FRAME.match(line)):
            frames.append((match["path"], match["name"]))
        elif inside and frames:
            break
    return frames


def _owner(path: str, name: str, workspace: str, test_path: str) -> str:
    if path == test_path:
        return "test"
    ours = path.startswith(workspace.rstrip("/") + "/") and "/site-packages/" not in path
    return "code" if ours and name != "<module>" else ""
