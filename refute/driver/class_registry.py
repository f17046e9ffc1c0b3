"""Which class here stands for which class there."""

import enum
from datetime import tzinfo
from typing import Any

from refute.driver.codec import Decoder, Encoder
from refute.driver.known import is_known, named, place_of
from refute.driver.proxy.classes import build, build_bare, build_enum
from refute.driver.proxy.describing import HOLDING, checked, describe, is_interface, stands_alone
from refute.driver.proxy.roots import ProxyMeta, ProxyObject
from refute.driver.values import base_value
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed, SubjectGone


class ClassRegistry:
    """Classes of this side as they are told, classes of the other side as they were told.

    Args:
        table: the object table that it is a part of.
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        self.news: list[list[Any]] = []
        """Classes that the other side is told of with the next message."""
        self._unbuilt: dict[int, str] = {}
        """Classes of the other side that can have no proxy, and why: a test that meets one is noted."""
        self.expected: type | None = None
        """A class that the other side is having made: it may refer to it before it says its number."""
        self.standing: set[str] = set()
        """Names of Python's own classes whose objects have proxies here or there."""

    def token(self, kind: type) -> list[Any]:
        """How a class is called between the two sides."""
        if (cid := self._table.proxies.oid_of(kind)) is not None:
            return ["y", cid]
        if kind is ProxyMeta:
            return ["K", "builtins", "type"]
        if kind is ProxyObject or is_known(kind, to_driver=not self._table.in_driver):
            return ["K", *place_of(kind)]
        return ["c", self.tell(kind)]

    def token_of_object(self, kind: type) -> list[Any]:
        """How the class of an object that stays here is called: its proxy, whoever knows it besides."""
        cid = self._table.proxies.oid_of(kind)
        return ["c", self.tell(kind)] if cid is None else ["y", cid]

    def token_of_base(self, kind: type) -> list[Any]:
        """How a base is called: one that holds no value has a proxy, whoever knows it; C asks a zone for its type."""
        real = kind is object or issubclass(kind, (*HOLDING, tzinfo))
        return self.token(kind) if real else self.token_of_object(kind)

    def tell(self, kind: type) -> int:
        """Tell the other side of a class of ours, once; its number."""
        if (known := self._table.exports.number_of(kind)) is not None:
            return int(known)
        self._table.exports.may_lend(kind)
        if isinstance(kind, ProxyMeta):
            raise CannotCarry(
                "needs the implementation in the test's process: derives from classes of it and of the test at once"
            )
        alone = stands_alone(kind)
        above = [object] if alone else [one for one in kind.__bases__ if not is_interface(one)]
        bases = [self.token_of_base(one) for one in above]
        members = self._members_of(kind) if issubclass(kind, enum.Enum) else None
        cid: int = self._table.exports.lend(kind)
        self.standing |= {kind.__name__} if alone else set()
        # Annotations of the implementation's classes are not told: text among them would be code here.
        annotations = self._table.annotations(kind) if self._table.in_driver else {}
        self.news.append([cid, describe(kind, bases), *(members or self._named(annotations))])
        return cid

    def _members_of(self, kind: type[enum.Enum]) -> list[Any]:
        for name, one in kind.__members__.items():
            if (content := base_value(one)) is not None and content != one._value_:
                raise CannotCarryBack(f"member {name} of {kind.__qualname__} is another value than it says of itself")
        return self._named({name: one._value_ for name, one in kind.__members__.items()})

    def _named(self, values: dict[str, Any]) -> list[Any]:
        """A table of its own, and name and value of each."""
        encoder = Encoder(self._table)
        return [encoder.table, [[name, encoder.atom(one)] for name, one in values.items()]]

    def class_of(self, token: list[Any]) -> type:
        """The class that is called so."""
        how, *rest = token
        if how == "c" and rest[0] in self._unbuilt:
            self._table.lose(self._unbuilt[rest[0]])
        return self._called(how, rest)

    def _called(self, how: Any, rest: list[Any]) -> type:
        if how == "K":
            return named(rest[0], rest[1], in_driver=self._table.in_driver)
        if how == "c" and self.standing_for(rest[0]) is None and self.expected is not None:
            self._table.proxies.remember(rest[0], self.expected)
        kind = self.standing_for(rest[0]) if how == "c" else self._table.exports.own(rest[0])
        if not isinstance(kind, type):
            raise Malformed("a class that nobody was told of is referred to")
        return kind

    def learn(self, cid: int, told: dict[str, Any], table: Any, atoms: Any) -> None:
        """Make the proxy of a class of the other side."""
        if self.standing_for(cid) is not None or not isinstance(told, dict):
            raise Malformed("a class was told of twice")
        bases = [self._called(how, rest) for how, *rest in told["bases"]]
        checked(told)
        self.standing |= {str(told["name"])} if told["standard"] else set()
        if above := [self._unbuilt[one] for how, one, *_ in told["bases"] if how == "c" and one in self._unbuilt]:
            self._unbuilt[cid] = above[0]
        try:
            kind = self._built(cid, told, bases, table, atoms)
        except (Malformed, SubjectGone):
            raise
        except Exception as error:  # whatever Python's own classes of classes say; honest code gets here
            reason = f"class {told['qualname']} cannot be made in the other process: {type(error).__name__}: {error}"
            self._unbuilt[cid] = reason[:500]
            kind = build_bare(cid, told, bases)
        self._table.proxies.remember(cid, kind)

    def _built(self, cid: int, told: dict[str, Any], bases: list[type], table: Any, atoms: Any) -> type:
        if told.get("is_meta"):
            raise TypeError("it is a class of classes")
        if told["meta"] and not told.get("enum"):
            raise TypeError("its class has operators of its own")
        if not told.get("enum"):
            return build(cid, told, bases)
        value = Decoder(table, self._table).value
        return build_enum(cid, told, bases, [(str(name), value(one)) for name, one in atoms])

    def annotate(self, cid: int, told: dict[str, Any], table: Any, atoms: Any) -> None:
        """Give a proxy class its annotations, once all classes of a message are known.

        Raises:
            Malformed: the subject tells some.
        """
        if not atoms or told.get("enum"):
            return
        if self._table.in_driver:
            raise Malformed("annotations are told")
        value = Decoder(table, self._table).value
        type.__setattr__(self.standing_for(cid), "__annotations__", {str(name): value(one) for name, one in atoms})

    def standing_for(self, cid: int) -> type | None:
        """The class here that stands for one of theirs."""
        kind = self._table.proxies.standing_for(cid)
        return kind if isinstance(kind, type) else None
