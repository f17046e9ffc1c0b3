"""The jobs of the executing stages, as they are run, and as cached results are looked up by."""

from collections.abc import Sequence
from dataclasses import replace

from refute.adversary.attack import Attack
from refute.adversary.plain_pytest import plain_job
from refute.adversary.suite import attack_job
from refute.adversary.verification import verification_job
from refute.ports import Ports
from refute.sandbox.job import Job, Limits
from refute.sandbox.requirements_layer import SEARCH_PATH, SITE
from refute.sandbox.surroundings import FIRST, Surroundings
from refute.settings import Settings
from refute.ticket.record import Snapshot, Ticket


def verification_limits(settings: Settings) -> Limits:
    """What a verification script may use."""
    return Limits(
        timeout_s=settings.verification_timeout_s,
        memory_bytes=settings.memory_bytes,
        cpus=settings.cpus,
        output_bytes=settings.output_bytes,
    )


def verification_of(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Job:
    """The job of a ticket's own script; raises as `Ports.image_id`."""
    job = verification_job(
        ticket,
        ports.contents(snapshot)[ticket.verification_script],
        run_id=ports.run_id,
        archive=ports.workspace(snapshot),
        image_id=ports.image_id(ticket),
        limits=verification_limits(ports.settings),
    )
    if ports.derived_image(ticket):
        job = replace(job, environment={"PATH": SEARCH_PATH})
    return ports.with_network(job)


def attack_of(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack, surroundings: Surroundings = FIRST
) -> Job:
    """The job of an attack; raises as `Ports.image_id`."""
    job = attack_job(
        ticket,
        attack,
        run_id=ports.run_id,
        archive=ports.workspace(snapshot),
        image_id=ports.image_id(ticket),
        settings=ports.settings,
        requirements_root=SITE if ports.derived_image(ticket) else "",
        surroundings=surroundings,
    )
    return ports.with_network(job)


def plain_of(
    ports: Ports,
    ticket: Ticket,
    snapshot: Snapshot,
    attack: Attack,
    groups: Sequence[Sequence[str]],
    surroundings: Surroundings,
) -> Job:
    """The job of an attack's tests under pytest alone, each group in a process; raises as `Ports.image_id`."""
    job = plain_job(
        ticket,
        attack,
        groups,
        run_id=ports.run_id,
        archive=ports.workspace(snapshot),
        image_id=ports.image_id(ticket),
        settings=ports.settings,
        surroundings=surroundings,
        requirements_root=SITE if ports.derived_image(ticket) else "",
    )
    return ports.with_network(job)
