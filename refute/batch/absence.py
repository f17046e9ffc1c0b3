"""Owners that are not heard of any more, told by this process's own time, whatever the clocks of machines say."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime


class Absences:
    """Watches leases that their owners renew: one that stays as it is belongs to somebody who is gone.

    A lease also ends by the clock. But where a clock was set back, a killed process's lease would last as long as that.

    Args:
        limit_s: for how long a lease must have stayed as it is.
        monotonic: seconds that nobody can set back.
    """

    def __init__(self, limit_s: float, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._monotonic = monotonic
        self._seen: dict[str, tuple[datetime, float]] = {}
        """Owner → its lease, and since when it has been that."""

    def among(self, leases: Mapping[str, datetime]) -> set[str]:
        """Those whose lease has not changed for longer than the limit.

        Args:
            leases: owner → the end of its lease, of all owners there are now.
        """
        now, before = self._monotonic(), self._seen
        self._seen = {
            owner: before[owner] if owner in before and before[owner][0] == lease else (lease, now)
            for owner, lease in leases.items()
        }
        return {owner for owner, (_, since) in self._seen.items() if now - since > self._limit_s}
