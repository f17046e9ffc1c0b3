"""Bytes to source text: encodings, marks, line ends, and the language a file is in."""

import codecs
import io
import re
import tokenize
from typing import Final

from refute.scan.core.symbols import strip_symbols
from refute.scan.rules import Language

# Supersets of ASCII with one byte a character: no sequence of theirs reads as other ASCII text.
_PLAIN_ENCODINGS: Final = re.compile(
    r"utf-?8(?:-sig)?|ascii|us-ascii|(?:iso-?8859|latin)-?\d{0,2}|cp125\d|windows-125\d|koi8-[ru]|mac-roman"
)
_SHELL_NAMES: Final = re.compile(r"(?:^|[/\s])(?:ba|da|z|k|mk|a|rba|po|ya)?sh\b")
_PYTHON_NAMES: Final = re.compile(r"(?:^|[/\s])(?:python|pypy)[\d.]*\b")
_SHELL_SUFFIXES: Final = (".sh", ".bash", ".ksh", ".zsh", ".dash", ".bats", ".command")
_PYTHON_SUFFIXES: Final = (".py", ".pyw", ".pyi")


# Installers write this where the interpreter's path is too long for a first line: the shell reads `exec`, which leaves
# the file for good, and Python a string (distlib 0.3, `ScriptMaker._build_shebang`).
_HERE: Final = rb"\$\(dirname -- (?:\"\$0\"|\"\$\(realpath -- \"\$0\"\)\")\)"
_PYTHON: Final = rb"/[\w./-]*python[\d.]*|\"(?:" + _HERE + rb")?/[^\"$`\\\n]*python[\d.]*\""
_LAUNCHER: Final = re.compile(rb"#![ \t]*/bin/sh\n'{3}exec' (?:" + _PYTHON + rb") \"\$0\" \"\$@\"\n' '{3}\n")


class Unreadable(Exception):
    """Why bytes could not become source text, and the line if that is known."""


def shebang_of(data: bytes) -> str:
    """The first line after `#!`, empty without one."""
    data = data.removeprefix(codecs.BOM_UTF8)
    return data[2:].split(b"\n", 1)[0][:500].decode("utf-8", "replace").strip() if data.startswith(b"#!") else ""


def is_launcher(data: bytes) -> bool:
    """Whether a file that begins as a shell script does nothing there but start Python on itself."""
    return _LAUNCHER.match(data) is not None


def languages_of(path: str, data: bytes) -> tuple[Language, ...]:
    """The languages a file claims to be in, by name and by first line; empty for neither."""
    found: list[Language] = []
    if path.endswith(_SHELL_SUFFIXES):
        found.append(Language.SHELL)
    elif path.endswith(_PYTHON_SUFFIXES):
        found.append(Language.PYTHON)
    shebang = shebang_of(data)
    if _PYTHON_NAMES.search(shebang) or is_launcher(data):
        found.append(Language.PYTHON)
    elif _SHELL_NAMES.search(shebang):
        found.append(Language.SHELL)
    return tuple(dict.fromkeys(found))


def read_source(data: bytes, language: Language) -> str:
    """Decode a file as its interpreter would.

    Raises:
        Unreadable: it could be read in two ways, or not at all.
    """
    position = data.find(b"\0")
    if position >= 0:
        raise Unreadable("It holds a NUL byte.", data.count(b"\n", 0, position) + 1)
    encoding = "utf-8"
    if language == Language.PYTHON:
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0].lower()
        except SyntaxError as error:
            raise Unreadable(f"Its encoding is not known: {error}.") from error
        if not _PLAIN_ENCODINGS.fullmatch(encoding):
            raise Unreadable(f"Its encoding {encoding} can hide code; expected UTF-8.")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"It is not valid {encoding.upper()} (byte {error.start}).", line) from error
    return strip_symbols(text.replace("\r\n", "\n"))
