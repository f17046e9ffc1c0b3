"""One stream of random numbers for both processes: whoever draws from it or seeds it tells the other."""

import base64
import os
import random
import struct
from typing import Any, Final

from refute.driver.errors import Malformed

WORDS: Final = struct.Struct("!625I")
State = tuple[int, tuple[int, ...], float | None]


class Stream(random.Random):
    """The generator behind the functions of `random`; it notes that it was used."""

    used = False

    def random(self) -> float:
        """Draw a number."""
        self.used = True
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """Draw bits."""
        self.used = True
        return super().getrandbits(k)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Start anew."""
        self.used = True
        super().seed(a, version)

    def setstate(self, state: Any) -> None:
        """Go to a state."""
        self.used = True
        super().setstate(state)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Draw a number; the second of a pair is no drawing but changes the state too."""
        self.used = True
        return super().gauss(mu, sigma)


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
            self._stream.setstate((3, words, None if pair is None else float(pair)))
        except (TypeError, ValueError, struct.error) as error:
            raise Malformed("a state of random numbers is none") from error
        self._stream.used = False
