"""Containers of a batch, never more at once than its bound; and the brake that ends it."""

import os
import threading
from typing import Final

from refute.errors import InfrastructureError
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Job, JobResult

WAIT_S: Final = 0.5


class BatchStopped(InfrastructureError):
    """The batch is being ended; the ticket is not finished, and runs when the batch is resumed."""


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Containers:
    """Permission to run a container; shared by the threads of one process.

    Args:
        most: containers at once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.failure: Exception | None = None
        """Why the batch cannot go on, where that is no ticket's outcome."""
        self._free = threading.BoundedSemaphore(most)
        self._stopped = threading.Event()

    def stop(self, failure: Exception | None = None) -> None:
        """Let nothing more begin, or be recorded.

        Args:
            failure: why, where it was not a person.
        """
        self.failure = self.failure or failure
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether the batch is being ended."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than until the batch is ended.

        Raises:
            BatchStopped: it is.
        """
        self._stopped.wait(seconds)
        self.check()

    def check(self) -> None:
        """Go on unless the batch is being ended.

        Raises:
            BatchStopped: it is.
        """
        if self.stopped:
            raise BatchStopped("the batch was ended before this ticket was finished")

    def take(self) -> None:
        """Wait for a free one.

        Raises:
            BatchStopped: the batch is being ended.
        """
        while not self._free.acquire(timeout=WAIT_S):
            self.check()

    def give_back(self) -> None:
        """Free it."""
        self._free.release()


class BoundedSandbox(DockerSandbox):
    """The sandbox of one ticket of a batch: waits its turn before each job."""

    def __init__(self, containers: Containers, *, runtime: str = "") -> None:
        super().__init__(runtime=runtime)
        self._containers = containers

    def run(self, job: Job) -> JobResult:
        """Run a job in its turn; raises as the sandbox does.

        Raises:
            BatchStopped: the batch is being ended, and with it this job: nothing tries it again.
        """
        self._containers.take()
        try:
            self._containers.check()
            return super().run(job)
        except InfrastructureError:
            self._containers.check()  # its container was removed on purpose
            raise
        finally:
            self._containers.give_back()
