"""A share with the interval in which the true one lies."""

from dataclasses import dataclass

from refute.statistics.interval import Z_95, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Hits of trials."""

    hits: int
    trials: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None where nothing was tried."""
        return self.hits / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval; None where nothing was tried."""
        return wilson(self.hits, self.trials, z=Z_95) if self.trials else None
