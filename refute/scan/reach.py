"""Which files of the workspace a script runs: scripts, Python files, tests, recipes, and what other languages run."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from refute.scan import decode
from refute.scan.core.report import Spot, finding_of
from refute.scan.finding import Finding
from refute.scan.rules import Language

_PATTERN: Final = re.compile(r"[*?\[]")
_WHOLE: Final = Spot(line=1, column=1, text="")
_UNREAD: Final = "The script runs this file, whose language this scan does not read."
_TEST_FILES: Final = ("test_*.py", "*_test.py", "conftest.py")
_OTHER_SUFFIX: Final = re.compile(
    r"\.(?:[mc]?js|ts|p[lm]|t|rb|php|lua|[rR]|tcl|exp|groovy|jar|class|go|rs|ps1|awk|sed|mk|bats)\Z"
)
Text = tuple[str, bytes, Language | None]
"""The path that findings name, what is read there, the language it runs in (None: by name and first line)."""


def follow(
    path: str, reached: Iterable[tuple[str, str]], files: Mapping[str, bytes]
) -> tuple[list[Text], list[Finding]]:
    """What a scanned file runs of the workspace.

    Args:
        path: the file that was scanned.
        reached: (path, how it is run) as the walk noted them; paths that are no files of the workspace are dropped:
            what the script writes there, or copies, the walk itself has followed.
        files: every file of the workspace.

    Returns:
        Files, and a finding for each that is not read.
    """
    found: list[tuple[str, Language | None]] = []
    unread: list[Finding] = []
    for target, how in dict.fromkeys(one for pair in reached for one in _spelled_out(*pair, files)):
        if how == "tests":
            found += [(name, Language.PYTHON) for name in _tests_below(target, files)]
        elif how == "import":
            found += [(name, Language.PYTHON) for name in _import_files(path, target, files)]
        elif target not in files:
            found += [(name, Language.PYTHON) for name in [posixpath.join(target, "__main__.py")] if name in files]
        elif how in {Language.SHELL, Language.PYTHON}:
            found.append((target, Language(how)))
        elif decode.languages_of(target, files[target]):
            found.append((target, None))
        elif how or decode.shebang_of(files[target]) or _OTHER_SUFFIX.search(target) or b"\0" in files[target][:1000]:
            finding = finding_of("foreign-code", target, _WHOLE, target, mild=how != "make")
            unread.append(replace(finding, explanation=_UNREAD))
        else:
            found.append((target, Language.SHELL))  # as a shell takes a program without a first line
    return [(name, files[name], language) for name, language in found], unread


def _spelled_out(target: str, how: str, files: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """The files that a pattern names, each with how it is run; anything else stays as it is.

    What a glob matches is run as the script says. Where part of the path is not known (`**`), only files that are
    scripts by themselves are meant.
    """
    if not _PATTERN.search(target) or how == "import":
        return [(target, how)]
    if "**" not in target:
        return [(name, how) for name in files if fnmatchcase(name, target) and name.count("/") == target.count("/")]
    patterns = target, target.removeprefix("**/")
    named = [name for name in files if any(fnmatchcase(name, pattern) for pattern in patterns)]
    return [(name, "") for name in named if decode.languages_of(name, files[name])]


def _tests_below(target: str, files: Mapping[str, bytes]) -> list[str]:
    if target in files:
        parents = [target[: index + 1] for index, letter in enumerate(target) if letter == "/"]
        return [target, *(f"{parent}conftest.py" for parent in ("", *parents) if f"{parent}conftest.py" in files)]
    prefix = "" if target in {"", "."} else target.rstrip("/") + "/"
    return [
        name
        for name in files
        if name.startswith(prefix) and any(fnmatchcase(name.rpartition("/")[2], pattern) for pattern in _TEST_FILES)
    ]


def _import_files(path: str, module: str, files: Mapping[str, bytes]) -> list[str]:
    """The test support that a Python file imports: modules beside it; what is under test is not scanned."""
    here, slash, _ = path.rpartition("/")
    if not re.search(r"(?:^|/)tests?(?:/|$)", here):
        return []
    base = f"{here}{slash}{module.replace('.', '/')}"
    return [name for name in (f"{base}.py", f"{base}/__init__.py") if name in files]
