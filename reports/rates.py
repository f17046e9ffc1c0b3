"""Shares with the interval in which the true one lies."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

Z_95: Final = 1.959963984540054
"""Standard normal quantile of 0.975."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Hits of tries."""

    hits: int
    tries: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None where nothing was tried."""
        return self.hits / self.tries if self.tries else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval (https://doi.org/10.1080/01621459.1927.10502953), also right near 0 and 1."""
        if not self.tries:
            return None
        share, tries, z2 = self.hits / self.tries, self.tries, Z_95**2
        middle = (share + z2 / (2 * tries)) / (1 + z2 / tries)
        half = Z_95 * sqrt(share * (1 - share) / tries + z2 / (4 * tries**2)) / (1 + z2 / tries)
        return max(0.0, middle - half), min(1.0, middle + half)
