"""What the subject does for the driver: each operation is an ordinary one of Python's, on the object itself."""

import copy
import importlib
import types
from collections.abc import Callable
from types import ModuleType
from typing import Any

from refute.driver.extending import as_member
from refute.driver.object_table import ObjectTable
from refute.driver.proxy.describing import shape_of, text_of
from refute.driver.wire import CannotCarry, Malformed


def as_class(kind: Any) -> type:
    """A class, as it is. Raises Malformed: it is none."""
    if not isinstance(kind, type):
        raise Malformed("a class is none")
    return kind


def refuse(*_: Any, **__: Any) -> Any:
    """The subject may not. Raises CannotCarry: always."""
    raise CannotCarry("needs the implementation in the test's process: it copies or changes an object of the test")


Operations = dict[str, Callable[..., Any]]


def lookup(kind: type, name: str) -> Any:
    """What a class or its bases hold under a name, as it stands there."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")


def is_owner(this: Any, kind: type) -> bool:
    """Whether a class is what a class's member is used on, and not, as with a metaclass, its object."""
    of_type = issubclass(type(this), type)  # whatever it says of itself: a proxy of a class is none
    return of_type and not (issubclass(kind, type) and isinstance(this, kind))


def function_of(kind: type, name: str) -> Any:
    """The function of a method, that of a static or class method too."""
    member = lookup(kind, name)
    return member.__func__ if isinstance(member, staticmethod | classmethod) else member


def call_member(kind: type, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Call a method of a class as in `Class.name`: an override further down does not count.

    An attribute of the object's own does, unless a class further down overrides the member: whether the test wrote
    `one.name` or `super().name` is not told. The first argument is what it is bound to, None for a static one.
    """
    this, *rest = args or (None,)
    member = lookup(kind, name)
    if isinstance(member, staticmethod):
        return member.__func__(*rest, **kwargs)
    if is_owner(this, kind):
        bound = member.__get__(None, this)
    else:
        values = getattr(this, "__dict__", None)
        shadowed = type(values) is dict and name in values and lookup(type(this), name) is member
        bind = getattr(type(member), "__get__", None)  # what is no function, but can be called, is not bound
        bound = values[name] if shadowed else member if bind is None else bind(member, this, type(this))  # type: ignore[index]
    del args, this
    return bound(*rest, **kwargs)


def read_member(kind: type, name: str, this: Any) -> Any:
    """The value of a property of a class."""
    return lookup(kind, name).__get__(this, type(this))


def extend(objects: ObjectTable) -> Callable[..., int]:
    """The operation that makes a class of the driver's, which derives from classes of ours."""

    def make(place: tuple[str, str, str], bases: tuple[type, ...], members: list[Any], keywords: Any) -> int:
        name, *names = place
        namespace = dict(zip(("__qualname__", "__module__"), names, strict=True))
        namespace |= {member: as_member(how, value) for member, how, value in members}
        kind = types.new_class(name, bases, keywords, lambda body: body.update(namespace))
        return objects.exports.lend(kind)

    return make


def load(name: str) -> list[Any]:
    """Import a module; the module, its doc, file and, for a package, its path."""
    module = importlib.import_module(name)
    path = getattr(module, "__path__", None)
    told = [getattr(module, key, None) for key in ("__doc__", "__file__")]
    return [module, *(one if isinstance(one, str) else None for one in told), path and [str(one) for one in path]]


def star(module: ModuleType) -> dict[str, Any]:
    """What `from module import *` gives."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if not name.startswith("_")]
    return {name: getattr(module, name) for name in names}


def subject_operations(objects: ObjectTable) -> Operations:
    """All operations of the subject."""
    own = objects.exports.own
    objects.function_of_member = lambda cid, name: function_of(own(cid), name)
    return {
        "register": lambda kind, other: kind.register(other) and None,
        "isinstance": isinstance,
        "issubclass": issubclass,
        "call": lambda function, /, *args, **kwargs: function(*args, **kwargs),
        "get": getattr,
        "shape": lambda function: shape_of(function, text_of),
        "set": setattr,
        "del": delattr,
        "put": lambda kind, name, how, value: setattr(kind, name, as_member(how, value)),
        "vars": lambda one: one.__dict__,
        "dir": dir,
        "repr": repr,
        "str": str,
        "format": format,
        "subclasses": lambda kind: kind.__subclasses__(),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "member": lambda cid, name, /, *args, **kwargs: call_member(own(cid), name, *args, **kwargs),
        "member_get": lambda cid, name, this: read_member(own(cid), name, this),
        "extend": extend(objects),
        "load": load,
        "reload": importlib.reload,
        "star": star,
    }
