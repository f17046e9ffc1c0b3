"""Containers that both processes hold: a change on either side reaches the other with the next message."""

from array import array
from operator import is_not
from sys import getrefcount
from typing import Any

from refute.driver.containers import SCALARS, parts_of, refill
from refute.driver.order import Order

OWN_REFERENCES = 2
"""References to a container that are ours: the entry's, and the argument of `getrefcount`."""

LOOKS = 2
"""Times that a container must be found unused before it is let go."""


class Shared:
    """One container, and what it held when both sides last agreed."""

    __slots__ = ("heard", "nested", "parts", "sid", "told", "value")

    def __init__(self, sid: int, value: Any) -> None:
        self.sid = sid
        self.value = value
        self.told = 0
        """Number of the message that last told the other side of a change here."""
        self.heard = 0
        """Number of the newest message that told of a change there."""
        self.agree()

    def agree(self, *, without: int = 0) -> None:
        """Take what it holds now for what the other side knows, but for so many at its end."""
        self.parts = parts_of(self.value)
        if without:
            self.parts = self.parts[:-without]
        self.nested = not SCALARS.issuperset(map(type, self.parts))

    @property
    def changed(self) -> bool:
        """Whether it holds anything else than when both sides last agreed."""
        now = parts_of(self.value)
        if isinstance(self.value, array):  # whose parts are made anew whenever one looks
            return bool(now != self.parts)
        return len(now) != len(self.parts) or any(map(is_not, now, self.parts))


class SharedContainers:
    """All shared containers of one side."""

    def __init__(self, first: int) -> None:
        self._next = self._first = first
        self._by_sid: dict[int, Shared] = {}
        self._by_id: dict[int, Shared] = {}
        self.own_changed = False
        """Whether the other side has changed a container of this one."""
        self.lingers = False
        """Whether threads talk over connections of their own, so that messages overtake one another."""
        self._lingering: dict[int, tuple[Shared, int]] = {}
        """What was let go, and the number of our message that the other side must have heard before it is forgotten."""

    def sid_of(self, value: object) -> int | None:
        """The number of a shared container."""
        shared = self._by_id.get(id(value))
        return shared.sid if shared is not None else None

    def container(self, sid: int) -> Any:
        """The container of a number, or None."""
        shared = self._by_sid.get(sid)
        if shared is None and sid in self._lingering:
            shared, _ = self._lingering.pop(sid)
            self._by_sid[sid] = shared
            self._by_id.setdefault(id(shared.value), shared)
        return shared.value if shared is not None else None

    def refill(self, sid: int, parts: Any, order: Order) -> bool:
        """Give a container what the other side says that it holds, and keep what was put behind it here meanwhile.

        Args:
            sid: of a shared container.
            parts: as of `parts_of`.
            order: of the message. What an older one says is not news.

        Returns:
            False where a change is lost: both sides made one, neither knowing of the other's, or a view holds its size.
        """
        shared = self._by_sid[sid]
        if order.number:
            if order.number < shared.heard:
                return True
            shared.heard = order.number
        self.own_changed = self.own_changed or sid % 2 == self._first
        added = _added(shared) if order.number else []
        alone = not order.number or (shared.told <= order.heard and (bool(added) or not shared.changed))
        try:
            refill(shared.value, parts + added)
        except BufferError:
            return False
        shared.agree(without=len(added))
        return alone

    def tell(self, sids: list[int], number: int) -> None:
        """The message of this number tells the other side how these have changed."""
        for sid in sids:
            self._by_sid[sid].told = number

    def share(self, value: Any) -> int:
        """Share a container of this side."""
        sid, self._next = self._next, self._next + 2
        self.adopt(sid, value)
        return sid

    def adopt(self, sid: int, value: Any) -> None:
        """Share a container under a number of the other side's."""
        self._by_sid[sid] = self._by_id[id(value)] = Shared(sid, value)

    def agree(self, sids: list[int]) -> None:
        """After a message: both sides hold the same again."""
        for sid in sids:
            if sid in self._by_sid:
                self._by_sid[sid].agree()

    def changed(self) -> list[Shared]:
        """Containers that changed since both sides last agreed."""
        return [shared for shared in list(self._by_sid.values()) if shared.changed]

    def drop(self, sids: list[int], *, until: int) -> None:
        """Stop sharing. Messages that are on their way may still name them.

        Args:
            sids: of shared containers.
            until: they are known until the other side has heard our message of this number.
        """
        for sid in sids:
            shared = self._by_sid.pop(sid, None)
            if shared is None:
                continue
            if self._by_id.get(id(shared.value)) is shared:
                del self._by_id[id(shared.value)]
            if self.lingers:
                self._lingering[sid] = shared, until

    def let_go(self, *, until: int) -> list[int]:
        """Stop sharing what nobody on this side but us still refers to, as in `drop`; their numbers."""
        if not self._by_sid:
            return []
        kept: set[int] = set()
        # Other threads go on meanwhile: one may take a part out of what holds it just before that is let go, or change
        # a container. What this message has not told is told with the next one, so it is looked at again.
        for _ in range(LOOKS):
            inner = self._inner_references()
            left = [one for one in list(self._by_sid.values()) if one.sid not in kept]
            self._keep([one for one in left if self._is_held(one, inner) or one.changed], kept)
            if len(kept) == len(self._by_sid):
                return []
        released = [sid for sid in self._by_sid if sid not in kept]
        self.drop(released, until=until)
        return released

    def forget(self, heard: int) -> None:
        """The other side has heard our messages up to this one: nothing on its way names what was dropped by then."""
        for sid in [sid for sid, (_, until) in self._lingering.items() if until <= heard]:
            del self._lingering[sid]

    @staticmethod
    def _is_held(one: Shared, inner: dict[int, int]) -> bool:
        return getrefcount(one.value) - OWN_REFERENCES > inner.get(id(one.value), 0)

    def _keep(self, held: list[Shared], kept: set[int]) -> None:
        """Add the numbers of these containers, and of all that they hold."""
        while held:
            one = held.pop()
            if one.sid in kept:
                continue
            kept.add(one.sid)
            if one.nested:
                held.extend(self._by_id[key] for key in map(id, one.parts) if key in self._by_id)

    def _inner_references(self) -> dict[int, int]:
        """How often each shared container is referred to by shared containers and by what we remember of them."""
        found: dict[int, int] = {}
        for one in self._by_sid.values():
            if one.nested:
                for parts in (one.parts, parts_of(one.value)):
                    for key in map(id, parts):
                        if key in self._by_id:
                            found[key] = found.get(key, 0) + 1
        return found


def _added(shared: Shared) -> list[Any]:
    """What was put at the end of a list on this side since both agreed."""
    if type(shared.value) is not list or not shared.changed:
        return []
    known = len(shared.parts)
    now = parts_of(shared.value)
    return now[known:] if not any(map(is_not, now, shared.parts)) and len(now) > known else []
