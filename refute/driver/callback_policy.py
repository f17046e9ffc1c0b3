"""What the subject may do in the driver: call what a test handed over, and use it as any stranger would. No more."""

import copy
import dataclasses
import enum
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from refute.driver.containers import MUTABLE
from refute.driver.known import (
    BUILDING,
    LEADING,
    LIBRARY,
    RECORDS,
    SPECIAL,
    TELLTALE,
    TESTING,
    is_built_in,
    is_of_failing,
    is_of_testing,
    takes_records,
)
from refute.driver.object_table import CALLABLE
from refute.driver.operations import as_class, call_member, function_of, is_owner, lookup, read_member, refuse
from refute.driver.proxy.describing import FUNCTIONS, is_hidden, shape_of
from refute.driver.values import VALUE_TYPES
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed

if TYPE_CHECKING:
    from refute.driver.object_table import ObjectTable


DECLARED: Final = frozenset({"__dataclass_fields__", "__dataclass_params__", "_field_type"})
"""What `dataclasses.fields` and the like read."""
NAMES: Final = frozenset({"__name__", "__qualname__", "__module__", "__doc__", "__wrapped__"})
"""What a function is called, and what it stands for."""


class CallbackPolicy:
    """The driver's operations, each checked; what a test file defines is as open as Python leaves it to a stranger."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.objects: ObjectTable

    def may_lend(self, value: Any) -> None:
        """Whether an object of the driver may be handed over. Raises CannotCarry."""
        if isinstance(value, LEADING):
            # The implementation's own tracebacks are here as such.
            kind_of_error = CannotCarryBack if isinstance(value, types.TracebackType) else CannotCarry
            raise kind_of_error(
                f"needs the implementation in the test's process: passes a {type(value).__name__} to it"
            )
        if isinstance(value, (*CALLABLE, BaseException)):
            return
        kind = value if isinstance(value, type) else type(value)
        if (
            self.is_ours(kind)
            or is_of_failing(value)
            or kind.__module__.partition(".")[0] in LIBRARY
            or is_built_in(kind)
        ):
            return
        named = kind.__module__ in {"builtins", "types", "_collections_abc", "pathlib"} and not is_of_testing(kind)
        if isinstance(value, type) and named:
            return
        raise CannotCarry(
            f"needs the implementation in the test's process: passes a {kind.__module__}.{kind.__qualname__} to it"
        )

    def operations(self) -> dict[str, Callable[..., Any]]:
        """By name."""
        return {
            "isinstance": lambda one, kind: isinstance(one, as_class(kind)),
            "issubclass": lambda one, kind: issubclass(as_class(one), as_class(kind)),
            "call": self._call,
            "get": self._get,
            "shape": self._shape,
            "set": self._set,
            "vars": self._vars,
            "dir": lambda one: [name for name in dir(one) if not name.startswith("_")],
            "repr": repr,
            "str": str,
            "format": format,
            "copy": lambda one: copy.copy(self._copied(one)),
            "deepcopy": lambda one: copy.deepcopy(self._copied(one)),
            "member": self._member,
            "member_get": self._member_get,
            **dict.fromkeys(("put", "del", "register", "subclasses"), refuse),
        }

    def _call(self, target: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.require_lent(target)
        if self.objects.shared.sid_of(target) is not None or isinstance(target, LEADING):
            raise Malformed("something was called that is no function of the test's")
        if isinstance(target, type) and not self.is_ours(target):
            refuse()
        return target(*args, **kwargs)

    def require_lent(self, one: Any) -> None:
        """The subject works on what a test handed over, never on what it names or makes up itself."""
        if self.objects.exports.number_of(one) is None and not self._is_own_value(one):
            raise Malformed("an object that no test handed over was worked on")

    def _is_own_value(self, one: Any) -> bool:
        """Whether it is a value of one of the test's classes, such as a named tuple: it is made anew when it comes."""
        return issubclass(type(one), (*VALUE_TYPES, *MUTABLE, enum.Enum)) and self.is_ours(type(one))

    def is_ours(self, kind: type) -> bool:
        """Whether the test file defines a class."""
        if kind.__module__ == "types" and type(kind) is type:  # as `make_dataclass` calls the module until Python 3.12
            return "__dataclass_fields__" in vars(kind)
        return kind.__module__ == self.module

    def _get(self, one: Any, name: Any, /, *default: Any) -> Any:
        if name in DECLARED and self._is_declared(one):
            self.require_lent(one)
            found = getattr(one, name)
            return dict(found) if isinstance(found, dict) else found
        if type(one) is types.MethodType and name in {"__self__", "__func__"}:
            raise CannotCarry("needs the implementation in the test's process: reaches the object of a method")
        if not self._is_of_function(one, name):
            self._check(one, name)
        return getattr(one, name, *default)

    def _is_of_function(self, one: Any, name: Any) -> bool:
        """Whether it is what a function is called, or what was put on one of the test's."""
        if type(name) is not str or not issubclass(type(one), CALLABLE):
            return False
        self.require_lent(one)
        return name in NAMES or (type(one) is types.FunctionType and name in vars(one) and not is_hidden(name))

    def _shape(self, function: Any) -> Any:
        self.require_lent(function)
        return shape_of(function, self.objects.annotation)

    def function_of_member(self, cid: Any, name: Any) -> Any:
        """The function of a method of the test's class, which it is handed with."""
        try:
            function = function_of(self._known(cid, name), name)
        except AttributeError:
            function = None
        if not isinstance(function, FUNCTIONS):
            self.objects.lose(f"needs the implementation in the test's process: uses .{str(name)[:80]} of a class")
            return None
        self.objects.exports.lend(function)
        return function

    def _set(self, one: Any, name: Any, value: Any) -> None:
        if type(one) is types.FunctionType and one.__module__ == self.module and self._may_be_put(name, value):
            self.require_lent(one)
        elif isinstance(one, type) and str(name).startswith("__"):
            self.require_lent(one)
            refuse()
        else:
            self._check(one, name)
            if (isinstance(one, type) and not self.is_ours(one)) or self.objects.exports.number_of(one) is None:
                refuse()
        setattr(one, name, value)

    @staticmethod
    def _may_be_put(name: Any, value: Any) -> bool:
        """Whether an attribute of a test's function may be set: no more than its name or what nobody here reads."""
        return type(name) is str and (not is_hidden(name) or (name in NAMES - {"__wrapped__"} and type(value) is str))

    def _is_declared(self, one: Any) -> bool:
        """Whether it is a dataclass of the test's, or a field of one: what they declare is open to whoever has them."""
        return isinstance(one, dataclasses.Field) or self.is_ours(one if isinstance(one, type) else type(one))

    def _copied(self, one: Any) -> Any:
        self.require_lent(one)
        if not self.is_ours(type(one)) and not isinstance(one, RECORDS):
            refuse()
        return one

    def _check(self, one: Any, name: Any) -> None:
        if type(name) is not str:
            raise Malformed("an attribute's name is none")
        self.require_lent(one)
        kind = one if isinstance(one, type) else type(one)
        ours = self.is_ours(kind)
        telling = name in TELLTALE and not ours and not takes_records(kind, name)
        leads_on = telling or isinstance(one, functools.partial)
        if (
            (name.startswith("_") and not (ours and self._is_private(kind, name)))
            or isinstance(one, (*FUNCTIONS, *LEADING))
            or name[:3] in {"gi_", "cr_", "ag_", "tb_", "co_", "f_"}
            or (callable(one) and not isinstance(one, type) and type(one).__module__ == "builtins")
            or (leads_on and not hasattr(one, name))
        ):
            raise AttributeError(f"{type(one).__name__!r} object has no attribute {name!r}")
        if leads_on:
            raise CannotCarry(f"needs the implementation in the test's process: uses .{name} of {type(one).__name__}")

    @staticmethod
    def _is_private(kind: type, name: str) -> bool:
        """Whether a name is private in no more than a class of the test's; a descriptor keeps its values under such."""
        tops = {str(base.__module__).partition(".")[0] for base in kind.__mro__}
        return name[:2] != "__" and tops.isdisjoint(TESTING)

    def _vars(self, one: Any) -> dict[str, Any]:
        self.require_lent(one)
        if type(one) is types.FunctionType:
            return {name: value for name, value in vars(one).items() if not is_hidden(name)}
        if not self.is_ours(type(one)) and not isinstance(one, RECORDS):
            raise AttributeError("__dict__")
        found: dict[str, Any] = vars(one)
        if not any(name.startswith("__") for name in found):
            return found  # itself, so that what is put into it is put there
        return {name: value for name, value in found.items() if not name.startswith("__")}

    def _member(self, cid: Any, name: Any, /, *args: Any, **kwargs: Any) -> Any:
        kind, this = self._known(cid, name), args[0] if args else None
        if not self.is_ours(kind):
            self.require_lent(this)
        owner: Any = this if is_owner(this, kind) else type(this)
        if not issubclass(owner, kind) and not isinstance(lookup(kind, name), staticmethod):
            raise Malformed("a method was called on an object of another class")
        return call_member(kind, name, *args, **kwargs)

    def _member_get(self, cid: Any, name: Any, this: Any) -> Any:
        kind = self._known(cid, name)
        self.require_lent(this)
        if not isinstance(this, kind):
            raise Malformed("a property was read on an object of another class")
        return read_member(kind, name, this)

    def _known(self, cid: Any, name: Any) -> type:
        kind = self.objects.exports.own(cid)
        if not isinstance(kind, type) or type(name) is not str:
            raise AttributeError(f"no attribute {str(name)[:80]!r}")
        hidden = name.startswith("_") and name not in SPECIAL
        if hidden and not (self.is_ours(kind) and self._is_private(kind, name)):
            raise AttributeError(f"no attribute {name[:80]!r}")
        if name in BUILDING | TELLTALE and not self.is_ours(kind) and not takes_records(kind, name):
            raise AttributeError(f"no attribute {name!r}")
        return kind
