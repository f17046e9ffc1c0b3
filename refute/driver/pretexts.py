"""A call that the implementation refuses with Python's own words, although its signature takes the arguments."""

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from refute.driver.object_table import ObjectTable

REFUSAL: Final = re.compile(
    r"\(\) (?:missing \d+ required|takes |got an unexpected|got multiple values|got some positional)"
)
"""How Python refuses the arguments of a call."""


def is_pretext(error: BaseException, objects: "ObjectTable", operation: str, args: Any, kwargs: Any) -> bool:
    """Whether an error says that a call's arguments do not fit, and they do."""
    if operation not in {"call_lent", "member"} or not REFUSAL.search(str(error)):
        return False
    function = objects.standing_for(args[0]) if operation == "call_lent" else objects.member_of(args[0], args[1])
    rest = args[1:] if operation == "call_lent" else args[2:]
    signature = getattr(function, "__signature__", None)
    if signature is None:
        return False
    try:
        signature.bind(*rest, **kwargs)
    except TypeError:
        return False
    return True
