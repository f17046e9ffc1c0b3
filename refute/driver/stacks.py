"""Where a process was when it was stopped or crashed, by what faulthandler wrote, and who called the other one."""

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

OURS: Final = __file__.rpartition("/")[0] + "/"
FRAME = re.compile(r'^ {2}File "(?P<path>.+)", line \d+ in (?P<name>.*)$')


WAITING = ("/driver/wire.py", "/driver/subject_client.py")
"""Where the driver waits for the subject."""


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


def locate_both(driver: str, subject: str, *, workspace: str, test_path: str) -> Place:
    """Where the test stood, of the stacks of both processes.

    While the driver waits for the subject, the test is where the subject is; else it is in the driver.
    """
    frames = _main_stack(driver)
    here = locate(driver, workspace=workspace, test_path=test_path)
    # Our own frames say what the driver was at: waiting for a message, or running the test again for a callback.
    owners = [path for path, _ in frames if path.endswith(WAITING) or path == test_path]
    waits = not frames or (bool(owners) and owners[0] != test_path)
    there = locate(subject, workspace=workspace, test_path=test_path) if waits else Place(False, False)  # noqa: FBT003
    return Place(
        here.reached_implementation or there.reached_implementation,
        here.inside_implementation or there.inside_implementation,
    )


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


def caller(file: str, line: int) -> tuple[str, int]:
    """Where a warning of the subject's points to by its `stacklevel`: what called it stands in our own file there."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the callers' frames are the question
    while file.startswith(OURS) and frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return file, line
