"""Rounds after a review that fails: a command mends a copy, which is reviewed again. The submitted files stay.

What a rework comes to is told beside the verdict and never changes it: neither the author's script nor the attack has
run on it. Whoever wants it verified applies its diff and verifies the ticket again.
"""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from refute.critics.record import Rework, ReworkEnd
from refute.critics.rework import Unfit, diff_of, failures_json
from refute.errors import InfrastructureError
from refute.guardrails.audit import Decision, Gate
from refute.llm.pricing import total
from refute.places import evidence_directory
from refute.ports import Ports
from refute.stages.critics import criticise
from refute.stages.evidence import Critique, Reworking
from refute.stages.mending import mend, write_files
from refute.stages.usage import added
from refute.ticket.record import Snapshot, Ticket
from refute.ticket.snapshot import snapshot_digest

STAGE: Final = "rework"


def rework(ports: Ports, ticket: Ticket, snapshot: Snapshot, critique: Critique) -> Reworking:
    """Have a change that failed its review reworked and reviewed again, until it passes or the rounds are used up.

    Args:
        ports: effects and settings.
        ticket: what is verified.
        snapshot: the files as submitted.
        critique: what critics say of them.
    """
    settings, done, submitted = ports.settings.critics, Reworking(), snapshot
    for number in range(2, settings.max_attack_rounds + 1):
        failures = critique.judgement.decisive
        if not settings.rework_command or not failures:
            break
        _audit(ports, ticket, snapshot, number)
        told = failures_json(failures, critique.tests)
        try:
            mended = ports.stages.run(STAGE, partial(mend, ports, ticket, snapshot, told))
            if isinstance(mended, Unfit):
                return _with(done, Rework(round=number, end=mended.end, reason=mended.reason))
            changed = tuple(path for path, content in mended.items() if content != ports.contents(snapshot)[path])
            snapshot = _frozen(ports, ticket, snapshot, mended)
            kept = _kept(ports, ticket, submitted, snapshot, number)
            focuses = tuple(one.focus for one in critique.reviews)
            critique = criticise(ports, ticket, snapshot, focuses, remediation=False, earlier=critique)
        except (InfrastructureError, OSError) as error:  # what was submitted keeps its verdict
            return _with(done, Rework(round=number, end=ReworkEnd.FAILED, reason=f"not reviewed: {error}"))
        done = _reviewed(done, replace(kept, changed=changed), critique)
    return done


def _audit(ports: Ports, ticket: Ticket, snapshot: Snapshot, number: int) -> None:
    settings = ports.settings.critics
    place = "on this machine (critics.rework_on_host)" if settings.rework_on_host else "in the sandbox"
    ports.audit.record(
        Gate.REVIEW,
        Decision.ALLOW,
        run_id=ports.run_id,
        reason=f"rework_command mends a copy {place}",
        metadata={
            "ticket": ticket.id,
            "snapshot": snapshot.digest,
            "round": number,
            "command": " ".join(settings.rework_command),
        },
    )


def _frozen(ports: Ports, ticket: Ticket, snapshot: Snapshot, mended: Mapping[str, bytes]) -> Snapshot:
    """The snapshot with what was mended."""
    contents = {**ports.store.contents(snapshot), **mended}
    files = [
        replace(one, sha256=sha256(contents[one.path]).hexdigest(), size_bytes=len(contents[one.path]))
        for one in snapshot.files
    ]
    digest = snapshot_digest(ticket, files, snapshot.before)
    return ports.store.add(digest, files, contents, before=snapshot.before, left_out=snapshot.left_out)


def _kept(ports: Ports, ticket: Ticket, submitted: Snapshot, snapshot: Snapshot, number: int) -> Rework:
    """The rework, with copy and diff where the ticket's evidence lies."""
    place = evidence_directory(ports.settings.state_dir, ports.run_id, ticket.id).absolute()
    folder, diff = place / f"rework-{number}", place / f"rework-{number}.diff"
    shutil.rmtree(folder, ignore_errors=True)
    write_files(folder, snapshot.files, ports.contents(snapshot))
    text = diff_of(ports.contents(submitted), ports.contents(snapshot))
    Path(diff).write_bytes(text.encode("utf-8", "surrogateescape"))
    return Rework(round=number, end=ReworkEnd.FAILED, reason="", folder=str(folder), diff=str(diff))


def _reviewed(done: Reworking, kept: Rework, critique: Critique) -> Reworking:
    failed = critique.judgement.status is not None
    rework = replace(
        kept,
        end=ReworkEnd.FAILED_REVIEW if failed else ReworkEnd.PASSED_REVIEW,
        reason=critique.judgement.reason,
        reviews=critique.reviews,
    )
    return replace(
        _with(done, rework),
        cost_usd=total([done.cost_usd, critique.cost_usd]),
        models=added(done.models, critique.models),
        sandbox_s=done.sandbox_s + critique.sandbox_s,
    )


def _with(done: Reworking, rework: Rework) -> Reworking:
    return replace(done, reworks=(*done.reworks, rework))
