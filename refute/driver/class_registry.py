"""Which class here stands for which class there."""

import enum
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol

from refute.driver.base_values import VALUE_TYPES, base_value
from refute.driver.decoder import Decoder
from refute.driver.encoder import Encoder
from refute.driver.errors import CannotCarry, CannotCarryBack, Malformed, SubjectGone
from refute.driver.exports import Exports
from refute.driver.known import is_known, named, place_of
from refute.driver.plain_values import VALUES
from refute.driver.proxies import Proxies
from refute.driver.proxy.classes import build, build_bare
from refute.driver.proxy.describing import checked, describe, stands_alone
from refute.driver.proxy.enums import build_enum
from refute.driver.proxy.proxied import ProxyObject
from refute.driver.proxy.roots import ProxyMeta
from refute.driver.proxy.signatures import annotations_of

PLACELESS: Final = (Protocol, Generic, type)
"""Bases that act when a class derives from them; what they give comes from the other side."""


class ClassRegistry(Exports, Proxies):
    """Classes of this side as they are told, classes of the other side as they were told."""

    def __init__(self, first: int, may_lend: Callable[[Any], None]) -> None:
        Exports.__init__(self, first, may_lend)
        Proxies.__init__(self)
        self._told: dict[int, int] = {}
        self._classes: dict[int, type] = {}
        self.news: list[list[Any]] = []
        """Classes that the other side is told of with the next message."""
        self._named: set[tuple[str, ...]] = set()
        """Functions of Python's own that the test has handed over: the subject may hand these back by name."""
        self.link: Any = None
        self.function_of_member: Callable[[Any, Any], Any]
        self._unbuilt: dict[int, str] = {}
        """Classes of the other side that could not be mirrored, and why: a test that meets one is noted."""
        self.expected: type | None = None
        """A class that the other side is having made: it may refer to it before it says its number."""
        self.standing: set[str] = set()
        """Names of Python's own classes whose objects have stand-ins here or there."""
        self.lost: list[str] = []
        """What could not be carried, for the driver to note beside the test's result."""

    def lose(self, reason: str) -> None:
        """Something of the running test could not be carried; the implementation may swallow the error that says so."""
        if self.in_driver:
            self.link.lost(reason)
        else:
            self.lost.append(reason[:1000])

    def hear_of_loss(self, reason: str) -> None:
        """The subject could not carry something."""
        if self.in_driver:
            self.link.lost(reason)

    @property
    def whole(self) -> Any:
        """The object of which this is one part: what writes and reads wants all of it."""
        return self

    def token(self, kind: type) -> list[Any]:
        """How a class is called between the two sides."""
        cid = self._borrowed_ids.get(id(kind))
        if cid is not None:
            return ["y", cid]
        if kind is ProxyMeta:
            return ["K", "builtins", "type"]
        if kind is ProxyObject or is_known(kind, to_driver=not self.in_driver):
            return ["K", *place_of(kind)]
        return ["c", self.tell_class(kind)]

    def _token_of_object(self, kind: type) -> list[Any]:
        """How the class of an object that stays here is called: mirrored, whoever knows it besides."""
        cid = self._borrowed_ids.get(id(kind))
        return ["c", self.tell_class(kind)] if cid is None else ["y", cid]

    def tell_class(self, kind: type) -> int:
        """Tell the other side of a class of ours, once; its number."""
        cid = self._told.get(id(kind))
        if cid is None:
            self._may_lend(kind)
            if isinstance(kind, ProxyMeta):
                raise CannotCarry(
                    "needs the implementation in the test's process: derives from classes of it and of the test at once"
                )
            cid = self._told[id(kind)] = self.lend(kind)
            alone = stands_alone(kind)
            self.standing |= {kind.__name__} if alone else set()
            bases = (
                [["K", "builtins", "object"]]
                if alone
                else [self.token(base) for base in kind.__bases__ if not any(base is one for one in PLACELESS)]
            )
            self.news.append([cid, describe(kind, bases), self._members_of(kind), self._annotations_of(kind)])
        return cid

    def tell_nothing_of(self, kind: type, cid: int) -> None:
        """The other side knows this class of ours already: it had it made."""
        self._told[id(kind)] = cid

    def _annotations_of(self, kind: type) -> list[Any]:
        """Of a test's class: name, value, and the value's table. The other way text among them would be code here."""
        found = annotations_of(kind) if self.in_driver else {}
        return [[name, *self.whole.packed(self.whole.annotation(one))] for name, one in found.items()]

    def _members_of(self, kind: type) -> Any:
        """The members of an enumeration: a table of its own, and name and value of each."""
        if not issubclass(kind, enum.Enum):
            return None
        encoder = Encoder(self.whole)
        for name, one in kind.__members__.items():
            if (content := base_value(one)) is not None and content != one._value_:
                raise CannotCarryBack(f"member {name} of {kind.__qualname__} is another value than it says of itself")
        return [encoder.table, [[name, encoder.atom(one._value_)] for name, one in kind.__members__.items()]]

    def class_of(self, token: list[Any]) -> type:
        """The class that is called so."""
        how, *rest = token
        if how == "c" and rest[0] in self._unbuilt:
            self.lose(self._unbuilt[rest[0]])
        return self._called(how, rest)

    def _called(self, how: Any, rest: list[Any]) -> type:
        if how == "K":
            return named(rest[0], rest[1], in_driver=self.in_driver)
        if how == "c" and rest[0] not in self._classes and self.expected is not None:
            self.bind_class(rest[0], self.expected)
        kind = self._classes.get(rest[0]) if how == "c" else self.own(rest[0])
        if not isinstance(kind, type):
            raise Malformed("a class that nobody was told of is referred to")
        return kind

    def learn(self, cid: int, told: dict[str, Any], members: Any) -> None:
        """Mirror a class of the other side."""
        if cid in self._classes or not isinstance(told, dict):
            raise Malformed("a class was told of twice")
        bases = [self._called(how, rest) for how, *rest in told["bases"]]
        checked(told)
        self.standing |= {str(told["name"])} if told["standard"] else set()
        if above := [self._unbuilt[one] for how, one, *_ in told["bases"] if how == "c" and one in self._unbuilt]:
            self._unbuilt[cid] = above[0]
        try:
            kind = self._built(cid, told, bases, members)
        except (Malformed, SubjectGone):
            raise
        except Exception as error:  # whatever Python's own classes of classes say; honest code gets here
            reason = f"class {told['qualname']} cannot be made in the other process: {type(error).__name__}: {error}"
            self._unbuilt[cid] = reason[:500]
            kind = build_bare(cid, told, bases)
        self.bind_class(cid, kind)

    def _built(self, cid: int, told: dict[str, Any], bases: list[type], members: Any) -> type:
        if told.get("is_meta"):
            raise TypeError("it is a class of classes")
        if told["meta"] and not told.get("enum"):
            raise TypeError("its class has operators of its own")
        if whole := next((base for base in bases if base in VALUES and base not in VALUE_TYPES), None):
            raise TypeError(f"it derives from {whole.__name__}")
        if not told.get("enum"):
            return build(cid, told, bases)
        table, atoms = members
        value = Decoder(table, self.whole).value
        return build_enum(cid, told, bases, [(str(name), value(one)) for name, one in atoms])

    def annotate(self, cid: int, annotations: list[Any]) -> None:
        """Give a mirrored class what `_annotations_of` tells, once all classes of a message are known.

        Raises:
            Malformed: the subject tells some.
        """
        if annotations and self.in_driver:
            raise Malformed("annotations are told")
        values = {str(name): self.whole.unpacked(packed) for name, *packed in annotations}
        if values:
            type.__setattr__(self._classes[cid], "__annotations__", values)

    def bind_class(self, cid: int, kind: type) -> None:
        """Let a class of ours stand for one of theirs."""
        self._classes[cid] = kind
        self._borrowed_ids[id(kind)] = cid

    def member_of(self, cid: int, name: str) -> Any:
        """A member of a mirrored class."""
        return vars(self._classes[cid]).get(name) if cid in self._classes else None
