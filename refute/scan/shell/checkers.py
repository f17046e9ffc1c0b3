"""Programs whose verdict decides a run, and what a script may put in their place so that they always agree."""

import re
from typing import Final

_CHECKERS: Final = frozenset(
    {"pytest", "py.test", "tox", "nox", "unittest", "nosetests", "nose2", "jest", "mocha", "vitest", "ctest", "phpunit"}
)
_AGREES: Final = re.compile(r"(?:/usr)?(?:/bin/)?(?:true|:|echo|exit)\b(?!.*[;&|])|:\s*\Z")


def is_checker(name: str) -> bool:
    """Whether a command word or path of this name runs tests."""
    return name.rpartition("/")[2] in _CHECKERS


def always_agrees(text: str) -> bool:
    """Whether a command in place of a checker, as an alias or a link names it, only says that all is well."""
    return bool(_AGREES.match(text.strip()))


def is_disarmed(name: str, body: str) -> bool:
    """Whether a function of a checker's name runs anything but that checker; `body` is its text, braces and all."""
    return is_checker(name) and name not in body and not re.search(r"\$\{?[@*]", body)
