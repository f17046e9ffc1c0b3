"""Errors that come of stand-ins: code in C looks at an object's memory, where a stand-in has nothing."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from refute.driver.object_table import ObjectTable

PROTOCOLS: Final = (
    "unsupported operand", "not supported between", "not callable", "not iterable", "not subscriptable", "has no len()",
    " takes ", "unexpected keyword argument", "missing ",
)  # fmt: skip
"""What is said of a lacking special method, and of the number of arguments: there a stand-in is as the original."""


def comes_of_stand_in(error: BaseException, names: Iterable[str]) -> str | None:
    """What a test needed that a stand-in has not, in words; None where its error says nothing of the kind."""
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


def is_pretext(error: BaseException, objects: "ObjectTable", operation: str, args: Any, kwargs: Any) -> bool:
    """Whether an error says that a call's arguments do not fit, and they do."""
    if operation not in {"call_lent", "member"} or not REFUSAL.search(str(error)):
        return False
    function = (
        objects.proxies.standing_for(args[0])
        if operation == "call_lent"
        else objects.classes.member_of(args[0], args[1])
    )
    rest = args[1:] if operation == "call_lent" else args[2:]
    signature = getattr(function, "__signature__", None)
    if signature is None:
        return False
    try:
        signature.bind(*rest, **kwargs)
    except TypeError:
        return False
    return True
