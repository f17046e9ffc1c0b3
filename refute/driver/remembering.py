"""Whether a helper of the test file could keep what it was told, so that later tests would rest on it as well."""

import dis
import functools
import re
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

_STORING: Final = frozenset({"STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR"})
_FIXED: Final = (ModuleType, BuiltinFunctionType, type, str, bytes, int, float, type(None), frozenset, re.Pattern)
"""What cannot hold an answer; a module or a class would have to be written to."""
_INLINE: Final = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})


def may_remember(frame: FrameType, is_theirs: Callable[[Any], bool]) -> bool:
    """Whether a running function of the test file, or one that it may call by name, has where to keep a value.

    A global that is neither a function nor constant, an enclosing scope, anything that is written to beside locals.

    Args:
        frame: of the function.
        is_theirs: whether a value is the subject's, which remembers on its own side whatever it likes.
    """
    seen: set[CodeType] = set()

    def keeps(code: CodeType) -> bool:
        if code in seen:
            return False
        seen.add(code)
        if _stores(code):
            return True
        if code.co_freevars and code.co_name not in _INLINE:
            return True
        held = [frame.f_globals[name] for name in code.co_names if name in frame.f_globals]
        return any(map(holds, held)) or any(keeps(one) for one in code.co_consts if isinstance(one, CodeType))

    def holds(value: Any) -> bool:
        if isinstance(value, FunctionType):
            return value.__globals__ is frame.f_globals and (bool(value.__closure__) or keeps(value.__code__))
        return not isinstance(value, _FIXED) and not is_theirs(value)

    return keeps(frame.f_code)


@functools.cache
def _stores(code: CodeType) -> bool:
    """Whether code writes to anything beside its locals; asked for every comparison, told by the code alone."""
    return any(one.opname in _STORING for one in dis.get_instructions(code))
