"""An interval for a share of few trials."""

from math import sqrt
from typing import Final

Z_90: Final = 1.6448536269514722
"""Two-sided 90%: the 95th percentile of the normal distribution."""
Z_95: Final = 1.959963984540054
"""Two-sided 95%."""


def wilson(hits: int, trials: int, *, z: float = Z_90) -> tuple[float, float]:
    """Wilson's score interval.

    Args:
        hits: of the trials.
        trials: none: the interval is everything.
        z: quantile of the normal distribution.

    Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    centre = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
