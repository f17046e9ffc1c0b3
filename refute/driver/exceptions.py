"""What an exception or a stack tells: type, message, notes, whose frames, and whether it comes of a proxy."""

import linecache
import os
import re
import sys
from collections.abc import Iterable
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import FrameType

MESSAGE_CHARS = 4_000
POSED = frozenset({"pytest", "_pytest", "hypothesis", "unittest"})
REVEALING = frozenset({"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError"})
SAME = re.compile(
    r"assert \(?(?P<value>['\"(\d-].*|b['\"].*|(?:frozenset|Decimal|Fraction|datetime\.\w+)\(.*) is (?P=value)\)?\Z"
)
"""How pytest shows the comparison of two values of types that cannot be changed."""
NOTES = 12
"""Hypothesis adds its falsifying example as notes of the exception."""


class Territory:
    """Tells frames of the implementation from frames of the test."""

    def __init__(self, workspace: str, test_file: str) -> None:
        self._workspace = workspace.rstrip(os.sep) + os.sep
        self._test_file = test_file

    def holds(self, code: CodeType, names: dict[str, Any]) -> bool:
        """Whether code belongs to the implementation; generated code (dataclasses) by the module that it acts in."""
        path = code.co_filename
        if path.startswith("<"):
            path = str(names.get("__file__", ""))
        return path.startswith(self._workspace) and "/site-packages/" not in path

    def is_test(self, code: CodeType) -> bool:
        """Whether code stands in the generated test file."""
        return code.co_filename == self._test_file

    def origin(self, traceback: TracebackType | None) -> TracebackType | None:
        """The innermost entry of a traceback that is the implementation's or the test's."""
        found = None
        while traceback is not None:
            frame = traceback.tb_frame
            if self.is_test(frame.f_code) or self.holds(frame.f_code, frame.f_globals):
                found = traceback
            traceback = traceback.tb_next
        return found


def describe(error: BaseException, territory: Territory) -> dict[str, Any]:
    """An exception as plain data.

    Returns:
        `error_type` (dotted unless built in), `error_message`, `notes`, `raised_in_implementation` (its frame is the
        innermost of implementation's and test's) and `raised_on_purpose` (by a `raise` or `assert` statement there).
    """
    if isinstance(error, BaseExceptionGroup) and str(error.message).startswith("Hypothesis found"):
        error = error.exceptions[0]
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    if (
        any("_refute_root_" in base.__dict__ for base in type.mro(kind)) and module.partition(".")[0] in POSED
    ):  # a class of the implementation's
        module = f"implementation.{module}"
    origin = territory.origin(error.__traceback__)
    ours = origin is not None and not territory.is_test(origin.tb_frame.f_code)
    # Whoever hides the frames of an error that only code of one's own can raise has raised it.
    marks = getattr(error, "__dict__", {})
    ours = ours or (kind.__name__ in REVEALING and "_refute_called_" in marks) or "_refute_pretext_" in marks
    return {
        "error_type": cut(f"{module}{kind.__qualname__}", 200),
        "error_message": cut(text_of(error), MESSAGE_CHARS),
        "notes": [cut(note, MESSAGE_CHARS) for note in _notes_of(error)],
        "raised_in_implementation": ours,
        "raised_on_purpose": ours and origin is not None and _is_deliberate(origin) and origin.tb_next is None,
    }


def compares_identity(error: BaseException) -> bool:
    """Whether an assertion says of equal values that they are not the same object: in two processes they never are."""
    return isinstance(error, AssertionError) and any(map(SAME.match, text_of(error)[:MESSAGE_CHARS].splitlines()))


def cut(text: str, limit: int) -> str:
    """The head and the tail of a long text, with what was left off counted; never a lone surrogate."""
    plain = text[: limit * 50].encode("utf-8", "backslashreplace").decode()
    if len(plain) <= limit:
        return plain
    half = limit // 2
    return f"{plain[:half]}\n[… {len(text) - 2 * half} characters left off …]\n{plain[-half:]}"


def text_of(error: BaseException) -> str:
    """The message of an exception, whatever its class makes of it."""
    try:
        return str(error)
    except Exception as fault:  # the implementation's own __str__ may raise
        return f"<no message: str() raised {type(fault).__name__}>"


def _notes_of(error: BaseException) -> list[str]:
    notes = getattr(error, "__notes__", None)
    return [note for note in notes[:NOTES] if isinstance(note, str)] if isinstance(notes, list) else []


def _is_deliberate(entry: TracebackType) -> bool:
    line = linecache.getline(entry.tb_frame.f_code.co_filename, entry.tb_lineno)
    return line.strip().startswith(("raise", "assert"))


PROTOCOLS: Final = (
    "unsupported operand", "not supported between", "not callable", "not iterable", "not subscriptable", "has no len()",
    " takes ", "unexpected keyword argument", "missing ",
)  # fmt: skip
"""What is said of a lacking special method, and of the number of arguments: there a proxy is as the original."""


def comes_of_proxy(error: BaseException, names: Iterable[str]) -> str | None:
    """What a test needed that a proxy has not, in words; None where its error says nothing of the kind."""
    text = str(error)[:1000] if type(error) in {TypeError, AssertionError} else ""
    if type(error) is AssertionError and "issubclass(" not in text:
        return None
    if text.startswith("__class__ assignment"):
        return "needs the implementation in the test's process: gives an object another class"
    if text.startswith("metaclass conflict"):
        return "needs the implementation in the test's process: derives from a class of it and from another at once"
    if any(phrase in text for phrase in PROTOCOLS):
        return None
    words = set(re.findall(r"\w+", text))
    found = next((name for name in names if name in words), None)
    return None if found is None else f"needs the implementation in the test's process: needs a {found} itself there"


REFUSAL: Final = re.compile(
    r"\(\) (?:missing \d+ required|takes |got an unexpected|got multiple values|got some positional)"
)
"""How Python refuses the arguments of a call."""


def is_pretext(error: BaseException, objects: Any, operation: str, args: Any, kwargs: Any) -> bool:
    """Whether an error says that a call's arguments do not fit, and they do."""
    if operation not in {"call", "member"} or not REFUSAL.search(str(error)):
        return False
    function, *rest = args
    if operation == "member":
        name, *rest = rest
        function = vars(objects.classes.standing_for(function) or object).get(name)
    signature = None if isinstance(function, type) else getattr(function, "__signature__", None)
    if signature is None:
        return False
    try:
        signature.bind(*rest, **kwargs)
    except TypeError:
        return False
    return True


OURS: Final = __file__.rpartition("/")[0] + "/"
FRAME = re.compile(r'^ {2}File "(?P<path>.+)", line \d+ in (?P<name>.*)$')


WAITING = ("/driver/wire.py", "/driver/subject_client.py")
"""Where the driver waits for the subject."""


def stood_in_code(driver: str, subject: str, *, workspace: str, test_path: str) -> bool:
    """Whether the implementation was running, by what both processes dumped of all their threads' stacks.

    While the driver waits for the subject, the test is where the subject is; without a dump nothing is claimed. The
    implementation may forge or suppress its own: it is evidence against the code only, never for it.
    """
    frames = [path for path, _ in _main_stack(driver)]
    # Our own frames say what the driver was at: waiting for a message, or running the test again for a callback.
    ours = [path for path in frames if path.endswith(WAITING) or path == test_path]
    if frames and ours[:1] in ([], [test_path]):
        return False
    root = workspace.rstrip("/") + "/"
    return any(
        path.startswith(root) and "/site-packages/" not in path and name != "<module>"
        for path, name in _main_stack(subject)
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


def caller(file: str, line: int) -> tuple[str, int]:
    """Where a warning of the subject's points to by its `stacklevel`: what called it stands in our own file there."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the callers' frames are the question
    while file.startswith(OURS) and frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return file, line
