"""The stages of a ticket without the flow around them, whose tasks take Prefect two seconds of a core."""

from contextlib import nullcontext
from functools import cached_property
from typing import Any
from uuid import uuid4

import pytest

from flows import pipeline
from flows.orchestrator import subtask_events
from flows.pipeline import TicketPorts
from flows.request import VerifyRequest, settings_of
from refute.approval import AdvanceApprover
from refute.case import CaseFile
from refute.observer import Unwatched
from refute.outcome import Outcome
from refute.ports import Ports
from refute.recording import record
from refute.stages.execution import Directly
from refute.ticket.parse import load_ticket


class StraightPorts(TicketPorts):
    """Does the work of a stage at once, where the flow has a task run for it."""

    model_turn = Ports.model_turn

    @cached_property
    def stages(self) -> Any:
        """Carries out the stages; keeps nothing."""
        made: Any = Directly()
        made.storage = None
        return made


def run_straight(request: VerifyRequest) -> Outcome:
    """What `verify-ticket` comes to, approved in advance; recorded as there."""
    ticket = load_ticket(request.ticket)
    ports = StraightPorts(settings_of(request), uuid4().hex, ticket, observer=Unwatched())
    case = CaseFile(ticket=ticket, run_id=ports.run_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "results_kept_in", nullcontext)
        patch.setattr(subtask_events, "_tell", lambda *_: None)
        with case.chain():
            pipeline.run_stages(ports, case, request, AdvanceApprover(by="--yes"))
    ports.discard_prepared()
    return record(ports, case)
