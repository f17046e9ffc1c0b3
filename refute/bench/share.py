"""A part of a whole, with how sure that is."""

from dataclasses import dataclass

from refute.statistics.interval import Z_95, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A part of a whole with its 95% interval (Wilson)."""

    hits: int
    trials: int

    @property
    def share(self) -> float | None:
        """None without trials."""
        return self.hits / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends, 0 to 1."""
        return wilson(self.hits, self.trials, z=Z_95)
