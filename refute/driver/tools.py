"""Modules beside the implementation's own, which the subject has loaded as well: numpy, a helper in the workspace.

Their functions may have been replaced there: where a test has one of them compare (`numpy.allclose(f(), 5)`), or say
what is expected, the subject decides.
"""

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from refute.driver.proxy.proxied import Proxy

if TYPE_CHECKING:
    from refute.driver.object_table import ObjectTable


class Tools:
    """Knows which functions of the subject's are tools of the test.

    Args:
        objects: know their numbers.
        modules: dotted names of the implementation's own modules.
    """

    def __init__(self, objects: "ObjectTable", modules: Sequence[str]) -> None:
        self._objects = objects
        self._own = {name.partition(".")[0] for name in modules}
        self._found: set[int] = set()

    def are_in(self, module: str) -> bool:
        """Whether a module, by its dotted name, is none of the implementation's own."""
        return module.partition(".")[0] not in self._own

    def add(self, found: Any) -> None:
        """Something that the test took from such a module."""
        if isinstance(found, FunctionType | Proxy) and (oid := self._objects.oid_of(found)) is not None:
            self._found.add(oid)

    def decide(self, operation: str, args: Sequence[Any], answer: Any) -> bool:
        """Whether a tool decides here: it was called, and answers with plain data."""
        oid = None
        if operation == "call_lent":
            oid = args[0]
        elif operation == "member" and args[1] == "__call__":
            oid = self._objects.oid_of(args[2])
        return oid in self._found and not isinstance(answer, Proxy)
