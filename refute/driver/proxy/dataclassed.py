"""What `dataclasses` makes: fields to look up, and comparisons that are decided here, on plain data."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from refute.driver.proxy.current import Current
from refute.driver.proxy.roots import ProxyMeta

Description = dict[str, Any]
COMPARE: Final = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")


def be_dataclass(kind: type, told: Description) -> None:
    """Make `dataclasses.fields` and the like work, and compare fields here, where nobody can lie about the result."""
    generated = told["generated"]
    fields = {one[0]: _field(kind, one) for one in told["all"]}
    type.__setattr__(kind, "__dataclass_fields__", fields)
    given = (True, True, told["eq"], told["order"], False, told["frozen"])  # init, repr, eq, order, unsafe_hash, frozen
    parameters = dataclasses._DataclassParams(*given)  # type: ignore[attr-defined]  # noqa: SLF001  # no public way
    type.__setattr__(kind, "__dataclass_params__", parameters)
    compared = [one[0] for one in told["all"] if one[1] == 0 and one[6]]
    ignored = [one[0] for one in told["all"] if one[1] == 0 and not one[6]]
    hashed = [one[0] for one in told["all"] if one[1] == 0 and (one[6] if one[7] is None else one[7])]
    for name in COMPARE:
        if name in generated:
            type.__setattr__(kind, name, _comparison(name, compared, ignored))
    if "__hash__" in generated:
        type.__setattr__(kind, "__hash__", lambda self: hash(_values(self, hashed)))


def give_types(kind: type, annotations: dict[str, Any]) -> None:
    """Let the fields of a test's dataclass name their types."""
    fields = vars(kind).get("__dataclass_fields__", {})
    for name, annotation in annotations.items():
        if name in fields:
            fields[name].type = annotation


def _comparison(name: str, compared: list[str], ignored: list[str]) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        if not compared:  # the class, and so its author, says that all its objects are equal
            Current.link.judged()
        if self is other:
            return name in {"__eq__", "__le__", "__ge__"}
        if name != "__eq__" or not ignored:
            return getattr(_values(self, compared), name)(_values(other, compared))
        ours, theirs = _values(self, [*compared, *ignored]), _values(other, [*compared, *ignored])
        equal = ours[: len(compared)] == theirs[: len(compared)]
        if equal and any(map(_differ, ours[len(compared) :], theirs[len(compared) :])):
            Current.link.judged()  # equal only because the author says that this difference is none
        return equal

    return compare


def _differ(one: Any, other: Any) -> bool:
    """Whether two values differ; of objects that stay in the other process nothing is asked."""
    return not isinstance(type(one), ProxyMeta) and not isinstance(type(other), ProxyMeta) and bool(one != other)


def _values(one: Any, names: list[str]) -> tuple[Any, ...]:
    values: tuple[Any, ...] = Current.link.request("fields", one, names)
    return values


def _field(owner: type, told: list[Any]) -> Any:
    name, kind, has, plain, init, shown, compared, hashed, keyword, made = told
    ask = "get" if has else "fresh"  # a default that is no plain value stays there, as what makes one does
    given = {"default": plain} if has == 1 else {"default_factory": partial(_default, ask, owner, name)}
    one: Any = dataclasses.field(
        **(given if has or made else {}), init=init, repr=shown, compare=compared, hash=hashed, kw_only=keyword
    )
    one.name, one.type = name, Any
    one._field_type = (dataclasses._FIELD, dataclasses._FIELD_CLASSVAR, dataclasses._FIELD_INITVAR)[kind]  # type: ignore[attr-defined]  # noqa: SLF001
    return one


def _default(ask: str, owner: type, name: str) -> Any:
    """The default of a field: of a class that the test derives, or that code which builds by fields was given."""
    return Current.link.request(ask, owner, name)
