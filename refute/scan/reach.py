"""Which files of the workspace a script runs: scripts, Python files, tests, Makefile targets."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from refute.scan import decode
from refute.scan.core.makefile import makefiles, recipes_of
from refute.scan.core.report import Spot, finding_of
from refute.scan.finding import Finding
from refute.scan.foreign_files import INTERPRETERS, commands_in, is_foreign
from refute.scan.limits import is_harmless
from refute.scan.rules import UNANALYSABLE, Language

_READS: Final = re.compile(rb"(?:^|[\s;&|({`'\"])(?:\.|source)[ \t]")
_LIBRARY_BYTES: Final = 2_000_000
_PATTERN: Final = re.compile(r"[*?\[]")
_TOOL: Final = "tool"
"""Whose configuration holds commands, which is not read: the sandbox has none of them."""
_WHOLE: Final = Spot(line=1, column=1, text="")
_TEST_FILES: Final = ("test_*.py", "*_test.py", "conftest.py")


def entry_language(path: str, data: bytes) -> Language | None:
    """The language of an entry point: shell unless it says otherwise."""
    return None if decode.languages_of(path, data) else Language.SHELL


def next_files(
    path: str, reached: Iterable[tuple[str, str]], files: Mapping[str, bytes]
) -> list[tuple[str, Language | None]]:
    """The files of the workspace that a scanned file runs, each with the language it runs them in.

    Args:
        path: the file that was scanned.
        reached: (path, how it is run) as the walk noted them; paths that are no files of the workspace are dropped:
            what the script writes there, or copies, the walk itself has followed.
        files: every file of the workspace.
    """
    found: list[tuple[str, Language | None]] = []
    for target, how in (one for pair in reached for one in _spelled_out(*pair, files)):
        if how == "tests":
            found.extend((name, Language.PYTHON) for name in _tests_below(target, files))
        elif how == "import":
            found.extend((name, Language.PYTHON) for name in _import_files(path, target, files))
        elif how.partition(" ")[0] in {_TOOL, "make"}:
            continue  # `recipes` and `foreign` tell what can be told
        elif target in files:
            language = Language(how) if how in {Language.SHELL, Language.PYTHON} else None
            if language is None and not decode.languages_of(target, files[target]):
                if is_foreign(target, files[target], how):
                    continue
                language = Language.SHELL  # as a shell takes a program without a first line
            found.append((target, language))
        elif f"{target}/__main__.py" in files:
            found.append((f"{target}/__main__.py", Language.PYTHON))
    return found


def _spelled_out(target: str, how: str, files: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """The files that a pattern names, each with how it is run; anything else stays as it is.

    What a glob matches is run as the script says. Where part of the path is not known (`**`), only files that are
    scripts by themselves are meant.
    """
    if not _PATTERN.search(target) or how.partition(" ")[0] in {_TOOL, "make", "import"}:
        return [(target, how)]
    deep = "**" in target
    anywhere = target.removeprefix("**/")
    names = [
        name
        for name in files
        if (fnmatchcase(name, target) or (deep and fnmatchcase(name, anywhere)))
        and (deep or name.count("/") == target.count("/"))
    ]
    if not deep:
        return [(name, how) for name in names]
    return [(name, "") for name in names if decode.languages_of(name, files[name])]


def shell_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the workspace that are shell by name or first line, as far as they are small and plain."""
    found: dict[str, bytes] = {}
    left = _LIBRARY_BYTES
    for name, text in files.items():
        if len(text) <= left and Language.SHELL in decode.languages_of(name, text[:200]) and is_harmless(text):
            found[name] = text
            left -= len(text)
    return found


def library(path: str, data: bytes, files: Mapping[str, bytes], shell: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the workspace that a script may run, or read functions and variables from.

    Args:
        path: the script.
        data: its bytes.
        files: every file of the workspace.
        shell: those of them that are shell.
    """
    found = {name: text for name, text in shell.items() if name != path}
    if _READS.search(data):
        named = {name: text for name, text in files.items() if name.rpartition("/")[2].encode() in data}
        found |= {name: text for name, text in named.items() if name != path and is_harmless(text)}
    return found


def recipes(reached: Iterable[tuple[str, str]], files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """What `make` would run, as shell text under the path of the file that holds it."""
    for target, how in reached:
        word, *targets = how.split(" ")
        if word == "make":
            # Recipes run in make's own directory, whichever file holds them.
            directory = target.rpartition("/")[0]
            start = f"cd {shlex.quote(directory)}; " if directory else ""
            for name, text in recipes_of(makefiles(target, files), tuple(targets)).items():
                yield name, (start + text).encode()


def foreign(
    reached: Iterable[tuple[str, str]], files: Mapping[str, bytes]
) -> tuple[list[Finding], list[tuple[str, bytes]]]:
    """Files that run in a language which is not read: a finding for each, and the shell commands in them."""
    named = dict(one for pair in reached for one in _spelled_out(*pair, files) if one[0] in files)
    tools = [path for path, how in named.items() if how == _TOOL]
    found = {
        path: how
        for path, how in named.items()
        if how in {"", *INTERPRETERS}
        and not decode.languages_of(path, files[path])
        and is_foreign(path, files[path], how)
    }
    commands = [(path, commands_in(path, files[path], how)) for path, how in found.items()]
    return [*(_unread(path, mild=False) for path in tools), *map(_unread, found)], commands


def _unread(path: str, *, mild: bool = True) -> Finding:
    told = "The script runs this file, whose language this scan does not read."
    return replace(finding_of("foreign-code", path, _WHOLE, path, mild=mild), explanation=told)


def _tests_below(target: str, files: Mapping[str, bytes]) -> Iterator[str]:
    if target in files:
        yield target
        parts = target.split("/")[:-1]
        for depth in range(len(parts) + 1):
            conftest = "/".join([*parts[:depth], "conftest.py"])
            if conftest in files:
                yield conftest
        return
    prefix = "" if target in {"", "."} else target.rstrip("/") + "/"
    for name in files:
        base = name.rpartition("/")[2]
        if name.startswith(prefix) and any(fnmatchcase(base, pattern) for pattern in _TEST_FILES):
            yield name


def _import_files(path: str, module: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The test support that a Python file imports: modules beside it; what is under test is not scanned."""
    here = path.rpartition("/")[0]
    if not re.search(r"(?:^|/)tests?(?:/|$)", here):
        return
    base = module.replace(".", "/")
    for candidate in (f"{base}.py", f"{base}/__init__.py"):
        full = f"{here}/{candidate}" if here else candidate
        if full in files:
            yield full


def missing(path: str) -> Finding:
    """An entry point that the workspace does not hold."""
    return _unanalysable(path, "The file is not part of the workspace.")


def failed(path: str, error: Exception) -> Finding:
    """What a file runs could not be worked out: a fault of the scanner itself."""
    return _unanalysable(path, f"The scanner failed on it ({type(error).__name__}: {error}); please report this.")


def too_many(path: str, limit: int) -> Finding:
    """More files than one scan takes."""
    return _unanalysable(path, f"More than {limit} files are reached; this one and the rest were not read.")


def _unanalysable(path: str, reason: str) -> Finding:
    return finding_of(UNANALYSABLE, path, _WHOLE, reason, detail=reason)
