"""How the work of a stage is carried out: at once, or as an orchestrator's task with retries, a timeout and a cache."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from refute.caching.kind import Kind
from refute.outcome import KeptFrom

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran(Generic[R]):
    """What a stage's work came to."""

    record: R
    kept: KeptFrom | None = None
    """The earlier run that it is from; None where it was done now."""


class StageRunner(Protocol):
    """Carries out the work of stages. What judges a result, and its line in the audit log, stay outside of the work."""

    def run(self, stage: str, work: Callable[[], R]) -> R:
        """Do the work now; raises what it raises."""
        ...

    def cached(self, kind: Kind[R], key: str | None, work: Callable[[], R]) -> Ran[R]:
        """Do the work, or take what it came to before.

        Args:
            kind: of result.
            key: digest over everything that decides the result; None where nothing stands for it.
            work: the work.
        """
        ...

    def knows(self, kind: Kind[R], key: str | None) -> bool:
        """Whether `cached` would not do the work."""
        ...


class Directly:
    """Does the work at once and remembers nothing."""

    def run(self, stage: str, work: Callable[[], R]) -> R:
        """Do it."""
        del stage
        return work()

    def cached(self, kind: Kind[R], key: str | None, work: Callable[[], R]) -> Ran[R]:
        """Do it."""
        del kind, key
        return Ran(record=work())

    def knows(self, kind: Kind[R], key: str | None) -> bool:
        """Nothing is remembered."""
        del kind, key
        return False
