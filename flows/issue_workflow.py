"""The reference workflow of an issue, N0 to N6: implemented by a command or a person, refuted, reviewed, filed.

N0 load brief → N1 sandbox checks → N2 implementation → N2.5 gate → N3 person → N4 critics → N5 person → N6 file.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from prefect import task
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed, Failed

from flows.confirmation.approver import ask_person
from flows.console import current_console, hand_back, listening
from flows.gate import gate
from flows.issue import SCHEMA_VERSION, IssueRecord, IssueRequest, Node
from flows.refute_flow import refute_flow
from flows.request import VerifyRequest, refuse_foreign_settings
from flows.review_ticket import ReviewRequest, review_ticket
from refute.critics.focus import Focus
from refute.doctor import examine
from refute.errors import InfrastructureError
from refute.governance.design.check import BLOCKED_EXIT_CODE, check_design, render_text
from refute.governance.failures import GateFailure
from refute.governance.gate import GateDocument, ticket_digest
from refute.governance.policy import load_policy
from refute.outcome import Status
from refute.settings import Settings
from refute.ticket.parse import load_ticket

if TYPE_CHECKING:
    from refute.stages.evidence import Critique

TO_PERSON: Final = frozenset({Status.PASS, Status.PASS_WEAK, Status.SKIPPED, Status.INCONCLUSIVE})
"""Where nothing goes back to the implementer, these go on to N3; every other status ends the workflow."""
TAIL_CHARS: Final = 2_000
FAILURES_SHOWN: Final = 10


@refute_flow("issue-workflow", run_name="issue {request.title}")
def issue_workflow(request: IssueRequest) -> State[None]:
    """Take an issue from its brief to the file. Green only where it is filed.

    Raises:
        UsageError: ticket, policy or design cannot be used.
        InfrastructureError: sandbox, implementer, ledger or server did not do their part.
    """
    refuse_foreign_settings(request, started_by_worker=current_console() is None)
    record = IssueRecord(ticket_id=load_ticket(request.ticket).id, run_id=str(flow_run.id))
    workflow = _Workflow(request, record)
    if workflow.brief() and workflow.implemented() and workflow.reviewed():
        workflow.file()
    hand_back(record)
    make = {"FILED": Completed, "REJECTED": Cancelled}.get(record.status, Failed)
    return make(name=record.status, message=f"{record.nodes[-1].node}: {record.nodes[-1].note or record.status}")


class _Workflow:
    """The nodes; each notes its result, and says whether the next may follow."""

    def __init__(self, request: IssueRequest, record: IssueRecord) -> None:
        self._request = request
        self._record = record
        self._settings = request.settings
        self._agreed = ("", "")
        """Digests of ticket and policy at N0."""

    def brief(self) -> bool:
        """N0 and N1."""
        ticket, policy = load_ticket(self._request.ticket), load_policy(self._request.policy)
        self._agreed = (ticket_digest(ticket), policy.sha256)
        design = self._request.design
        if design is not None:
            checked = check_design(design, ticket.workspace)
            if checked.blocked:
                self._record.end("BLOCKED", BLOCKED_EXIT_CODE)
                self._note("N0", "blocked", render_text(checked))
                return False
        self._note("N0", "loaded")
        check_sandbox(self._settings)
        self._note("N1", "ready")
        return True

    def implemented(self) -> bool:
        """N2 and N2.5, with at most `max_rework` returns before a person is asked."""
        failures: Sequence[GateFailure] = ()
        while True:
            if not self._implement(failures):
                return False
            document = self._record.gate = gate(self._gate_request())
            self._note("N2.5", document.status, document.reason)
            failures = document.failures
            if not failures:
                self._record.end("STOPPED", document.exit_code)
                return document.status in TO_PERSON
            if self._record.rework >= self._request.max_rework:
                weak = document.status is Status.PASS_WEAK
                ask = "Go on with weak evidence?" if weak else "Return it once more?"
                heading = f"N2.5 {document.status} after {self._record.rework} returns"
                if not self._ask("N2.5", f"{heading}\n{_told(document)}\n{ask}") or weak:
                    return self._record.status != "REJECTED"
            self._record.rework += 1

    def reviewed(self) -> bool:
        """N3, N4 and N5."""
        document = self._record.gate
        if document is None:
            return False
        told = _told(document)
        if (document.evidence.ticket, document.policy.sha256) != self._agreed:
            told = f"The ticket or the policy was CHANGED since N0.\n{told}"
        if not self._ask("N3", f"N3 review of the implementation\n{told}\nGo on to the critics?"):
            return False
        request = ReviewRequest(
            ticket=self._request.ticket, focuses=tuple(Focus), remediation=False, settings=self._settings
        )
        with listening() as heard:
            review_ticket(request)
        critique: Critique = heard[0]
        judgement = critique.judgement
        critics = f"{judgement.status or 'content'}: {judgement.reason or critique.summary}"
        self._note("N4", judgement.status or "content", judgement.reason or critique.summary)
        return self._ask("N5", f"N5 review of the verdict\n{told}\nCritics: {critics}\nFile it?")

    def file(self) -> None:
        """N6."""
        place = self._request.out or self._settings.state_dir / "issues" / self._record.run_id
        self._record.filed_in = str(place)
        self._record.end("FILED", 0)
        self._note("N6", "filed", str(place))
        file_record(self._record, place)

    def _implement(self, failures: Sequence[GateFailure]) -> bool:
        if self._request.implement:
            run_implementer(self._request, failures)
            self._note("N2", "implemented", by=self._request.implement[0])
            return True
        shown = "\n".join(map(_words, failures[:FAILURES_SHOWN]))
        return self._ask("N2", f"N2 implementation by a person\n{shown}\nIs it implemented?")

    def _gate_request(self) -> VerifyRequest:
        fields: dict[str, Any] = {"settings": self._settings} if current_console() else {}  # a worker has its own
        approval = self._request.approval
        return VerifyRequest(ticket=self._request.ticket, approval=approval, policy=self._request.policy, **fields)

    def _ask(self, node: str, text: str) -> bool:
        answer = ask_person(self._record.ticket_id, text, settings=self._settings, run_id=self._record.run_id)
        self._note(node, "approved" if answer.approved else "rejected", answer.note, by=answer.by)
        if not answer.approved:
            self._record.end("REJECTED", Status.CANCELLED.exit_code)
        return bool(answer.approved)

    def _note(self, node: str, result: str, note: str = "", *, by: str = "") -> None:
        self._record.nodes.append(Node(node=node, result=result, note=note, by=by))


@task(name="N1 sandbox checks")
def check_sandbox(settings: Settings) -> None:
    """Raises InfrastructureError where the sandbox lacks something."""
    faults = [check for check in examine(settings) if check.ok is False]
    if faults:
        told = "; ".join(f"{check.name}: {check.found}" for check in faults)
        raise InfrastructureError(f"N1 sandbox checks: {told}", hint=faults[0].advice)


@task(name="N2 implementation")
def run_implementer(request: IssueRequest, failures: Sequence[GateFailure]) -> None:
    """Run the command of N2 in the workspace; stdin has the failures. Raises InfrastructureError where it fails."""
    said = json.dumps({"schema_version": SCHEMA_VERSION, "node": "N2", "failures": [asdict(one) for one in failures]})
    workspace = load_ticket(request.ticket).workspace
    try:
        done = subprocess.run(  # noqa: S603  # the caller's own command; it runs as the caller, not in the sandbox
            request.implement,
            cwd=workspace,
            input=said.encode(),
            capture_output=True,
            check=False,
            timeout=request.implement_timeout_s,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"N2 {request.implement[0]}: {error}") from error
    if done.returncode:
        tail = (done.stderr or done.stdout).decode("utf-8", "replace")[-TAIL_CHARS:].strip()
        raise InfrastructureError(f"N2 {request.implement[0]}: exit code {done.returncode}: {tail}")


@task(name="N6 file")
def file_record(record: IssueRecord, place: Path) -> None:
    """Write the record, the gate's document in it."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "issue.json").write_text(json.dumps(record.document(), indent=2) + "\n", encoding="utf-8")


def _told(document: GateDocument) -> str:
    lines = [f"{document.status}: {document.reason}", *map(_words, document.failures[:FAILURES_SHOWN])]
    return "\n".join([*lines, *document.caveats])


def _words(failure: GateFailure) -> str:
    given = f"; input {' '.join(failure.smallest_input.split())}" if failure.smallest_input else ""
    return f"- {failure.kind} {failure.claim_id}: expected {failure.expected}; observed {failure.observed}{given}"
