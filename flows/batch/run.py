"""What the tickets of a batch share in one process."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flows.batch.progress import Progress
from flows.batch.watcher import BatchWatcher
from flows.containers import Containers
from refute.batch.allowance import Allowance
from refute.batch.entry import Entry
from refute.errors import InfrastructureError
from refute.ledger.batches import Answer, Batches, BatchTicket
from refute.ledger.store import Ledger
from refute.ports import DerivedImages
from refute.sandbox.image import SandboxImage
from refute.sandbox.reaper import remove_leftovers
from refute.settings import Settings


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """One process's part in a batch."""

    batch_id: str
    entries: Mapping[str, Entry]
    """Ticket id → what was read."""
    settings: Settings
    ledger: Ledger
    containers: Containers
    progress: Progress
    watcher: BatchWatcher
    allowances: Mapping[str, Allowance] = field(default_factory=dict)
    """Ticket id → what the allow-file says."""
    images: dict[str, SandboxImage] = field(default_factory=dict)
    """Images that were looked up, for all tickets."""
    derived: DerivedImages = field(default_factory=dict)
    said: dict[str, object] = field(default_factory=dict)
    """What a ticket has warned of: the same words of another one are no news."""

    @property
    def batches(self) -> Batches:
        """The ledger's side of the batch."""
        return Batches(self.ledger)

    def due(self) -> list[BatchTicket]:
        """Its tickets that were answered and have no outcome."""
        rows = [row for row in self.batches.tickets(self.batch_id) if row.ticket_id in self.entries]
        return [row for row in rows if not row.finished and row.answer is not Answer.WAITING]

    def remove_containers(self, tickets: Iterable[str] | None = None) -> None:
        """Remove those of these tickets, or of all, that are on the engine; where it fails, they end by themselves."""
        with contextlib.suppress(InfrastructureError):
            remove_leftovers(self.batch_id, tickets=tickets)
