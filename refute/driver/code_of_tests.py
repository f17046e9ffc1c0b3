"""What the code of a test names, and whether a helper of its file may keep what it was told for later tests."""

import dis
import functools
import re
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final

STORING: Final = frozenset({"STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR"})
FIXED: Final = (
    ModuleType, FunctionType, BuiltinFunctionType, type, str, bytes, int, float, type(None), frozenset, re.Pattern,
)  # fmt: skip
"""What cannot hold an answer; a module, a class or a function would have to be written to."""
INLINE: Final = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})


def names_in(test: Any) -> set[str]:
    """Names in the code of a test and its file's functions that it calls by name, and of classes of what it names."""
    function = test.__func__ if type(test) is MethodType else test
    while type(function) is FunctionType and {"hypothesis", "__wrapped__"} & vars(function).keys():
        drawn = vars(function).get("hypothesis")
        function = vars(function)["__wrapped__"] if drawn is None else drawn.inner_test
    if type(function) is not FunctionType:
        return set()
    names = function.__globals__
    found = {name for code in _reached(function.__code__, names) for name in code.co_names}
    return found | {type(names[name]).__name__ for name in found if name in names}


def may_remember(frame: FrameType, is_theirs: Callable[[Any], bool]) -> bool:
    """Whether a running function of the test file, or one that it may call by name, has where to keep a value.

    Args:
        frame: of the function.
        is_theirs: whether a value is the subject's, which remembers on its own side whatever it likes.
    """
    names = frame.f_globals
    for code in _reached(frame.f_code, names):
        held = (names[name] for name in code.co_names if name in names)
        if _stores(code) or any(not isinstance(one, FIXED) and not is_theirs(one) for one in held):
            return True
    return False


def _reached(code: CodeType, names: dict[str, Any]) -> Iterator[CodeType]:
    """A code, what is defined in it, and the file's functions that it names."""
    seen, waiting = set(), [code]
    while waiting:
        if (one := waiting.pop()) in seen:
            continue
        seen.add(one)
        yield one
        waiting += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
        called = [names[name] for name in one.co_names if type(names.get(name)) is FunctionType]
        waiting += [function.__code__ for function in called if function.__globals__ is names]


@functools.cache
def _stores(code: CodeType) -> bool:
    """Whether code writes to anything beside its locals; asked for every comparison, told by the code alone."""
    closed = bool(code.co_freevars) and code.co_name not in INLINE
    return closed or any(one.opname in STORING for one in dis.get_instructions(code))
