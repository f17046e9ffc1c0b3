"""An interval for a share of few trials."""

from math import sqrt
from typing import Final

Z_90: Final = 1.6448536269514722
"""Two-sided 90%: the 95th percentile of the normal distribution."""
Z_95: Final = 1.959963984540054
"""Two-sided 95%."""


def wilson(hits: int, trials: int, *, z: float = Z_90, population: int | None = None) -> tuple[float, float]:
    """Wilson's score interval.

    Args:
        hits: of the trials.
        trials: none: the interval is everything.
        z: quantile of the normal distribution.
        population: how many there are in all, where that is known. The more of them were tried, the narrower the
            interval; where all were, the share is known and no interval is left.

    Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212; finite population: Cochran,
    Sampling Techniques (1977), 2.6, by the number of trials that tell as much of an endless population.
    """
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    if population is not None and population <= trials:
        return share, share
    n = trials if population is None else trials * (population - 1) / (population - trials)
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
