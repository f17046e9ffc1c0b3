"""Containers of a batch, never more at once than there are slots; and the brake that ends them all."""

import os
import threading
from typing import Final

from refute.errors import InfrastructureError
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Job, JobResult

WAIT_S: Final = 0.5


class BatchStopped(InfrastructureError):
    """The batch is being ended; the ticket is not finished and can be resumed."""


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Slots:
    """Permission to run a container; shared by the threads of one process.

    Args:
        count: containers at once.
    """

    def __init__(self, count: int) -> None:
        self._free = threading.BoundedSemaphore(count)
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Let nothing more begin."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether the batch is being ended."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait, but not longer than until the batch is ended; whether it is."""
        return self._stopped.wait(seconds)

    def take(self) -> None:
        """Wait for a free slot.

        Raises:
            BatchStopped: the batch is being ended.
        """
        while not self._free.acquire(timeout=WAIT_S):
            self.check()
        if self.stopped:
            self._free.release()
            self.check()

    def give_back(self) -> None:
        """Free the slot."""
        self._free.release()

    def check(self) -> None:
        """Go on unless the batch is being ended.

        Raises:
            BatchStopped: it is.
        """
        if self.stopped:
            raise BatchStopped("the batch was ended before this ticket was finished")


class SlottedSandbox(DockerSandbox):
    """The sandbox of one ticket of a batch: waits for a slot before each job."""

    def __init__(self, slots: Slots, *, runtime: str = "") -> None:
        super().__init__(runtime=runtime)
        self._slots = slots

    def run(self, job: Job) -> JobResult:
        """Run a job once a slot is free; raises as the sandbox does.

        Raises:
            BatchStopped: the batch is being ended.
        """
        self._slots.take()
        try:
            return super().run(job)
        finally:
            self._slots.give_back()
