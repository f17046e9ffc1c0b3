"""Making the next stage's container while something else takes its time: a person reads, tests are written.

Nothing of a ticket is in such a container, and what it was made for may still be declined: then it is removed unused.
"""

import contextlib
from dataclasses import replace

from refute.adversary.contract import PLAN
from refute.adversary.suite import attack_limits
from refute.caching.kind import VERIFICATION
from refute.errors import InfrastructureError
from refute.ports import Ports
from refute.stages.jobs import outline_of, verification_limits, verification_of
from refute.ticket.record import Snapshot, Ticket


def prepare_verification(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> None:
    """While the person is asked. Requirements and networks are made only after the answer."""
    if ticket.requirements or ports.allowed_hosts:
        return
    with contextlib.suppress(InfrastructureError):  # the stage itself tells
        if ports.stages.knows(VERIFICATION, ports.result_key([verification_of(ports, ticket, snapshot)])):
            return
        ports.sandbox.prepare(
            outline_of(ports, ticket, "verify", verification_limits(ports.settings)),
            waiting_s=ports.settings.confirmation_timeout_s,
        )


def prepare_attack(ports: Ports, ticket: Ticket) -> None:
    """While tests are written and screened, after a verification that passed."""
    if ports.allowed_hosts:
        return
    with contextlib.suppress(InfrastructureError):  # the stage itself tells
        outline = outline_of(ports, ticket, "attack", attack_limits(ports.settings))
        ports.sandbox.prepare(replace(outline, attack_files={PLAN: b""}))
