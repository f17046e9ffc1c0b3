"""One stream of random numbers for both processes: whoever draws from it or seeds it tells the other."""

import base64
import os
import random
import struct
from collections.abc import Callable
from typing import Any, Final

from refute.driver.errors import Malformed

WORDS: Final = struct.Struct("!625I")


class Stream(random.Random):
    """The generator behind the functions of `random`; it notes that it was used."""

    used = False


def _noting(name: str) -> Callable[..., Any]:
    function = getattr(random.Random, name)

    def use(self: Stream, *args: Any, **kwargs: Any) -> Any:
        self.used = True
        return function(self, *args, **kwargs)

    return use


for _name in ("random", "getrandbits", "seed", "setstate", "gauss"):  # all others go by these
    setattr(Stream, _name, _noting(_name))


class SharedRandom:
    """This side's end of the stream: takes the place of the generator of the module `random`."""

    def __init__(self) -> None:
        before: Any = random._inst  # noqa: SLF001  # what its functions are methods of
        self._stream = Stream()
        self._stream.setstate(before.getstate())
        self._stream.used = False
        for name, function in list(vars(random).items()):
            if getattr(function, "__self__", None) is before:
                setattr(random, name, getattr(self._stream, name))
        os.register_at_fork(after_in_child=self._stream.seed)  # as the module does with its own
        random._inst = self._stream  # noqa: SLF001

    def tell(self) -> list[Any] | None:
        """The state, where it was used since the other side heard of it."""
        if not self._stream.used:
            return None
        self._stream.used = False
        _, words, pair = self._stream.getstate()
        return [base64.b64encode(WORDS.pack(*words)).decode(), pair]

    def hear(self, told: Any) -> None:
        """Go on where the other side left off. Raises Malformed: it told no state."""
        try:
            text, pair = told
            words = WORDS.unpack(base64.b64decode(text, validate=True))
            self._stream.setstate((random.Random.VERSION, words, None if pair is None else float(pair)))
        except (TypeError, ValueError, struct.error) as error:
            raise Malformed("a state of random numbers is none") from error
        self._stream.used = False
