"""What a single field of a ticket may hold: text, paths, ids, requirements, URLs."""

import keyword
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from packaging.requirements import InvalidRequirement, Requirement
from pydantic import AfterValidator, BeforeValidator

from refute.ticket.command_words import words_of
from refute.ticket.document import Scalar

PLACEHOLDER: Final = "REPLACE ME"
"""Starts every text of a scaffold that its author must replace."""

PYTHON_VERSIONS: Final = ("3.11", "3.13")
"""Those that a sandbox image is made for; a test keeps them like `refute.sandbox.image_recipe.SUITES`."""

_HASH_OPTION: Final = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_MAX_REVISION_CHARS: Final = 250
_NO_PATHS: Final = {
    "a path relative to the workspace": re.compile(r"\A\s*\Z"),
    "a path without NUL, in UTF-8": re.compile(r"[\0\ud800-\udfff]"),
    "a path with forward slashes": re.compile(r"\\"),
    "a path relative to the workspace, not an absolute one": re.compile(r"\A(?:[A-Za-z]:)?/"),
    "a path that stays inside the workspace, without '..'": re.compile(r"(?:\A|/)\.\.(?:/|\Z)"),
}
"""What is expected instead → what no path looks like."""
_MAX_REQUIREMENT_CHARS: Final = 5_000
_MAX_SHOWN_CHARS: Final = 80
_MAX_EXIT_CODE: Final = 255


def shown(value: object) -> str:
    """How a faulty value appears in a message: escaped, and short enough to read."""
    match value:
        case Scalar():
            return f"{value.text[:_MAX_SHOWN_CHARS]!r} ({value.kind})"
        case None:
            return "nothing"
        case dict():
            return "a mapping with " + (", ".join(repr(str(key)[:40]) for key in list(value)[:4]) or "no entries")
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case str() if len(value) > _MAX_SHOWN_CHARS:
            return f"{value[:_MAX_SHOWN_CHARS]!r}… ({len(value):,} characters)"
        case _:
            return repr(value)


def wrong(value: object, expected: str) -> ValueError:
    """What a validator raises."""
    return ValueError(f"got {shown(value)}, expected {expected}")


def _fits(fits: Callable[[str], object], expected: str) -> AfterValidator:
    """A value that passes a test is taken as it stands."""

    def check(value: str) -> str:
        if not fits(value):
            raise wrong(value, expected)
        return value

    return AfterValidator(check)


def printable(value: str) -> str:
    """A text without control characters.

    Raises:
        ValueError: which it has, and where.
    """
    for index, char in enumerate(value):
        if (ord(char) < ord(" ") and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff":
            raise ValueError(f"got the control character U+{ord(char):04X} at {index}, expected printable text")
    return value


def _filled_exactly(value: str) -> str:
    """A text as it stands, that its author has replaced."""
    if value.lstrip().startswith(PLACEHOLDER):
        raise ValueError(f"is still the scaffold's placeholder ({shown(value)}), expected your own text")
    return printable(value)


def _filled(value: str) -> str:
    if not value.strip():
        raise wrong(value, "some text")
    return _filled_exactly(value).strip()


def _path(value: str) -> str:
    """A POSIX path that stays inside the workspace, without `.` and doubled slashes."""
    for expected, pattern in _NO_PATHS.items():
        if pattern.search(value):
            raise wrong(value, expected)
    return str(PurePosixPath(value))


def _file_path(value: str) -> str:
    if _path(value) == "." or value.endswith("/"):
        raise wrong(value, "a file, not a directory")
    return _path(value)


def _revision(value: str) -> str:
    """A git revision, or a directory of the workspace; which of the two shows where the files are."""
    if value.startswith("-") or len(value) > _MAX_REVISION_CHARS:
        raise wrong(value, "a git revision such as main, or a directory of the workspace")
    return _path(value)


def _glob(value: str) -> str:
    _path(value)
    if value.startswith(("!", "#")):
        raise wrong(value, "a glob of files to add, e.g. 'data/**/*.csv'")
    return value


def _as_written(value: Any) -> Any:
    """The words of a list: 2 and 3.10 as they stand there."""
    return [one.text if isinstance(one, Scalar) else one for one in value] if isinstance(value, list) else value


def _words(value: str | list[str]) -> tuple[str, ...]:
    """A program and its arguments, out of a list or of a command as it is typed."""
    expected = "a program with its arguments, such as 'tool.py add 2 3' or [tool.py, add, 2, 3]"
    typed = value if isinstance(value, str) else " ".join(value)
    if PLACEHOLDER in typed:
        raise ValueError(f"is still the scaffold's placeholder ({shown(value)}), expected your own command")
    try:
        words = words_of(value) if isinstance(value, str) else tuple(map(printable, value))
    except ValueError as error:
        raise wrong(value, f"{expected}: {error}") from error
    if not words or not words[0].strip():
        raise wrong(value, expected)
    return words


def _exit_code(value: Any) -> int | str:
    """0 to 255, or `nonzero` for any failure."""
    text = value.text if isinstance(value, Scalar) else value
    if text == "nonzero":
        return "nonzero"
    if not isinstance(text, str) or not re.fullmatch(r"\d{1,3}", text) or int(text) > _MAX_EXIT_CODE:
        raise wrong(value, "an exit code from 0 to 255, or nonzero for any failure")
    return int(text)


def _number_as_written(value: Any) -> Any:
    """An unquoted 3.10 is read as it was written, never as the number 3.1."""
    return value.text if isinstance(value, Scalar) and value.kind == "a number" else value


def _requirement(value: str) -> str:
    expected = "'name==version --hash=sha256:…' with 64 hex digits (`pip download` the wheel, then `pip hash FILE`)"
    if len(value) > _MAX_REQUIREMENT_CHARS:
        raise wrong(value, expected)
    line, *options = re.split(r"\s+(?=--)", printable(value).strip())
    if not options or not all(_HASH_OPTION.fullmatch(option.strip()) for option in options):
        raise wrong(value, expected)
    try:
        requirement = Requirement(line)
    except InvalidRequirement as error:
        raise wrong(value, expected) from error
    pins = list(requirement.specifier)
    if requirement.url or len(pins) != 1 or pins[0].operator != "==" or pins[0].version.endswith("*"):
        raise wrong(value, f"one exact version: {expected}")
    return " ".join([line, *(option.strip() for option in options)])


def _url(value: str) -> str:
    expected = "an http or https URL"
    if any(char.isspace() for char in value):
        raise wrong(value, expected)
    try:
        parts = urlsplit(printable(value))
        host = parts.hostname
    except ValueError as error:
        raise wrong(value, expected) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise wrong(value, expected)
    if parts.username is not None or parts.password is not None:
        raise ValueError("got a URL with a user name or password, expected one without")
    return value


def _is_name(value: str) -> bool:
    return value.isidentifier() and not keyword.iskeyword(value)


Text = Annotated[str, AfterValidator(printable)]
FilledExactly = Annotated[str, AfterValidator(_filled_exactly)]
FilledText = Annotated[str, AfterValidator(_filled)]
Words = Annotated[str | list[str], BeforeValidator(_as_written), AfterValidator(_words)]
ExitCode = Annotated[int | str, BeforeValidator(_exit_code)]
PinnedRequirement = Annotated[str, AfterValidator(_requirement)]
Url = Annotated[str, AfterValidator(_url)]
Id = Annotated[
    str,
    _fits(
        re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch,
        "1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit, e.g. TCK-101",
    ),
]
DirectoryPath = Annotated[str, AfterValidator(_path)]
FilePath = Annotated[str, AfterValidator(_file_path)]
Revision = Annotated[str, AfterValidator(_revision)]
Glob = Annotated[str, AfterValidator(_glob)]
Workspace = Annotated[
    str, _fits(lambda name: name.strip() and "\0" not in name, "a directory, relative to the ticket file")
]
Name = Annotated[str, _fits(_is_name, "a Python variable name")]
DottedName = Annotated[
    str,
    _fits(lambda name: all(map(_is_name, name.split("."))), "a name such as parse, Parser.parse or math.fsum"),
]
PythonVersion = Annotated[
    str,
    BeforeValidator(_number_as_written),
    _fits(
        PYTHON_VERSIONS.__contains__,
        f"a Python version that there is a sandbox image for: {' or '.join(map(repr, PYTHON_VERSIONS))}",
    ),
]
Label = Annotated[
    Text, _fits(re.compile(r"\S{1,100}").fullmatch, "one word such as needs-adversarial or complexity:high")
]
