"""Classes of classes: a mirrored metaclass is one here too, whose methods ask the other process."""

import enum
from typing import Any

from refute.driver.proxy.current import JUDGING
from refute.driver.proxy.members import made_member
from refute.driver.proxy.roots import ProxyMeta


class MetaProxy(ProxyMeta):
    """The class of mirrored metaclasses. They make classes here, which are made in the other process as well."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Make a class."""
        return type.__call__(self, *args, **kwargs)

    def __instancecheck__(self, instance: Any) -> bool:
        """Whether a class is one of this metaclass: nothing but Python decides."""
        return type.__instancecheck__(self, instance)

    def __subclasscheck__(self, subclass: type) -> bool:
        """Whether a metaclass derives from this one."""
        return type.__subclasscheck__(self, subclass)


MetaProxy.__name__ = MetaProxy.__qualname__ = "type"


def build_meta(cid: int, told: dict[str, Any], bases: list[type]) -> type:
    """The mirrored metaclass.

    Args:
        cid: its number.
        told: what the other side says of it.
        bases: its bases as they are here; `type` itself is never told.
    """
    root: type = enum.EnumMeta if any(issubclass(base, enum.EnumMeta) for base in bases) else ProxyMeta
    mirrored = [base for base in bases if isinstance(base, MetaProxy)]
    namespace: dict[str, Any] = {
        "_refute_proxy_": True,
        "__module__": told["module"],
        "__qualname__": told["qualname"],
        "__doc__": told["doc"],
    }
    for name, member in told["members"].items():
        namespace[name] = made_member(cid, str(name), member, judging=name in JUDGING)
    made: type = MetaProxy(told["name"], tuple(mirrored or [root]), namespace)
    return made
