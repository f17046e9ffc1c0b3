"""The errors that refute raises: one base, one subclass per decision a caller makes, each with what to do."""

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar


class RefuteError(Exception):
    """Base of all errors meant for a person: what happened (subject, got, expected) and what to do about it."""

    exit_code: ClassVar[int] = 1
    """Exit code of the command line where this error reaches it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class UsageError(RefuteError):
    """The command was called with something it cannot use."""

    exit_code = 2


class SettingsInvalid(UsageError):
    """A settings file, environment variable or flag holds a value that is not allowed."""


class TicketNotFound(RefuteError):
    """No ticket file stands where the person pointed."""

    exit_code = 3


class TicketInvalid(UsageError):
    """A ticket file has faults; all of them are reported at once.

    Args:
        source: the ticket file (and line, for JSON Lines).
        problems: one line per fault: the field's path, what it got, what it expected.
        labels: of the ticket, as far as they can be read; None where they cannot.
    """

    def __init__(self, source: str, problems: Iterable[str], *, labels: tuple[str, ...] | None = None) -> None:
        self.source = source
        self.labels = labels
        self.problems = tuple(problems)
        lines = "\n".join(f"  - {problem}" for problem in self.problems)
        count = len(self.problems)
        super().__init__(f"{source}: {count} problem{'s' if count != 1 else ''}\n{lines}")


class SnapshotRefused(UsageError):
    """The files of a ticket cannot be frozen: a path leaves the workspace, a file is missing, too large or too many."""


class InfrastructureError(RefuteError):
    """Something around the code failed. It says nothing about the code and is never a verdict."""


class SnapshotCorrupted(InfrastructureError):
    """The stored files of a snapshot are not those that were frozen and approved."""


class EngineUnavailable(InfrastructureError):
    """No container engine answers."""


class EngineDied(InfrastructureError):
    """The container engine stopped answering while a job ran."""


class ImageMissing(InfrastructureError):
    """The sandbox image is not on the engine."""


class ImageBuildFailed(InfrastructureError):
    """The sandbox image could not be built."""


class NetworkUnavailable(InfrastructureError):
    """A job may reach hosts, and the container engine has no way to let it reach them and nothing else."""


class RequirementsUnavailable(InfrastructureError):
    """What a ticket requires cannot be had as hash-pinned wheels that fit the sandbox image."""


class SandboxFailed(InfrastructureError):
    """The engine answered, but the container could not be created, filled, started or read back."""


class CommandNotStarted(SandboxFailed):
    """For a reason that lies with the engine the job's command never began; running the job again may help."""


class ContainerLost(SandboxFailed):
    """A job's container was ended from outside while the command ran."""


class OrchestratorUnavailable(InfrastructureError):
    """No Prefect server answers and none could be started."""


class AuditUnavailable(InfrastructureError):
    """A gate's decision could not be written to the audit log, so nothing that depends on it may happen."""


class LedgerUnavailable(InfrastructureError):
    """The ledger could not be opened, read or written."""


class CostsCsvUnavailable(InfrastructureError):
    """The cost table could not be appended to; the ledger holds the rows, and the next run appends them."""


class OutputLost(InfrastructureError):
    """A result could not be written where it was asked for."""


class ModelUnavailable(InfrastructureError):
    """A model could not be asked, or gave no answer after every retry.

    Args:
        message: what happened.
        hint: what to do.
        cost_usd: what its lost requests may have cost; None where no price is known.
    """

    def __init__(self, message: str, *, hint: str = "", cost_usd: Decimal | None = Decimal(0)) -> None:
        super().__init__(message, hint=hint)
        self.cost_usd = cost_usd


class BudgetExhausted(RefuteError):
    """A call to a model would, or might, cost more than a budget has left; it was not sent.

    Args:
        message: which budget, and what is left.
        hint: what to do.
        cost_usd: what earlier requests for the same work cost, or may have; None where no price is known.
    """

    exit_code = 14

    def __init__(self, message: str, *, hint: str = "", cost_usd: Decimal | None = Decimal(0)) -> None:
        super().__init__(message, hint=hint)
        self.cost_usd = cost_usd


class ModelUnpriced(UsageError):
    """No price is known for a model, so no budget can hold its cost."""
