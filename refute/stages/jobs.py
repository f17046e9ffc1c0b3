"""The jobs of the executing stages, as they are run, and as cached results are looked up by."""

from collections.abc import Sequence
from dataclasses import replace

from refute.adversary.attack import Attack
from refute.adversary.plain_pytest import plain_job
from refute.adversary.suite import attack_job, attack_limits
from refute.adversary.verification import script_command
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


def outline_of(ports: Ports, ticket: Ticket, name: str, limits: Limits, workspace: bytes = b"") -> Job:
    """As much of a job as its container depends on; raises as `Ports.image_id`."""
    return Job(
        name=name,
        run_id=ports.run_id,
        ticket_id=ticket.id,
        image_id=ports.image_id(ticket),
        command=(),
        workspace=workspace,
        limits=limits,
    )


def site_of(ports: Ports, ticket: Ticket) -> str:
    """Where the image holds what a ticket requires; empty where it requires nothing."""
    return SITE if ports.derived_image(ticket) else ""


def verification_of(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Job:
    """The job of a ticket's own script, with nothing else around it; raises as `Ports.image_id`."""
    outline = outline_of(ports, ticket, "verify", verification_limits(ports.settings), ports.workspace(snapshot))
    script = ticket.verification_script
    environment = {"PATH": SEARCH_PATH} if ports.derived_image(ticket) else {}
    command = script_command(script, ports.contents(snapshot)[script])
    return ports.with_network(replace(outline, command=command, environment=environment))


def attack_of(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack, surroundings: Surroundings = FIRST
) -> Job:
    """The job of an attack; raises as `Ports.image_id`."""
    outline = _attack_outline(ports, ticket, snapshot, surroundings)
    job = attack_job(outline, ticket, attack, ports.settings, requirements_root=site_of(ports, ticket))
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
    outline = _attack_outline(ports, ticket, snapshot, surroundings)
    return ports.with_network(plain_job(outline, ticket, attack, groups, requirements_root=site_of(ports, ticket)))


def _attack_outline(ports: Ports, ticket: Ticket, snapshot: Snapshot, surroundings: Surroundings) -> Job:
    outline = outline_of(ports, ticket, "attack", attack_limits(ports.settings), ports.workspace(snapshot))
    return replace(outline, surroundings=surroundings)
