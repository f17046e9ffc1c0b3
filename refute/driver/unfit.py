"""Errors that come of stand-ins: code in C looks at an object's memory, where a stand-in has nothing."""

import re
from collections.abc import Iterable
from typing import Final

PROTOCOLS: Final = (
    "unsupported operand", "not supported between", "not callable", "not iterable", "not subscriptable", "has no len()",
    " takes ", "unexpected keyword argument", "missing ",
)  # fmt: skip
"""What is said of a lacking special method, and of the number of arguments: there a stand-in is as the original."""


def comes_of_stand_in(error: BaseException, names: Iterable[str]) -> str | None:
    """What a test needed that a stand-in has not, in words; None where its error says nothing of the kind.

    Args:
        error: that ended the test.
        names: of Python's own classes whose objects have stand-ins in either process.
    """
    text = str(error)[:1000] if type(error) in {TypeError, AssertionError} else ""
    if type(error) is AssertionError and "issubclass(" not in text:
        return None
    if text.startswith("metaclass conflict"):
        return "needs the implementation in the test's process: derives from a class of it and from another at once"
    if any(phrase in text for phrase in PROTOCOLS):
        return None
    words = set(re.findall(r"\w+", text))
    found = next((name for name in names if name in words), None)
    return None if found is None else f"needs the implementation in the test's process: needs a {found} itself there"
