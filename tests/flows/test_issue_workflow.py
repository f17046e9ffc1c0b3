"""The reference workflow's decisions: what follows which verdict, and who is asked. Nodes' effects are fakes."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows import issue_workflow as module
from flows.confirmation.question import Reply
from flows.console import hand_back
from flows.issue import IssueRecord, IssueRequest
from refute.errors import InfrastructureError
from refute.governance.failures import FailureKind, GateFailure
from refute.governance.gate import gate_document
from refute.governance.policy import LoadedPolicy
from refute.outcome import Status
from refute.settings import Settings
from refute.ticket.parse import load_ticket
from tests.fakes.outcomes import fake_outcome
from tests.fakes.tickets import write_ticket

FAILURE = GateFailure(kind=FailureKind.CLAIM_REFUTED, claim_id="C1", expected="A is 1.", observed="A is 2.")
ROOT = Path(__file__).resolve().parents[2]


class Site:
    """Runs the workflow with verdicts and answers that a test names."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_ticket(home)
        self.home, self.patch = home, monkeypatch
        self.settings = Settings(state_dir=home / "state")
        self.routed: list[int] = []
        self.asked: list[str] = []
        critique = SimpleNamespace(judgement=SimpleNamespace(status=None, reason=""), summary="text-1 pass")
        monkeypatch.setattr(module, "review_ticket", lambda _request: hand_back(critique))
        monkeypatch.setattr(module, "check_sandbox", lambda _: None)
        monkeypatch.setattr(module, "file_record", module.file_record.fn)
        monkeypatch.setattr(module, "run_implementer", lambda _, failures: self.routed.append(len(failures)))

    def run(self, verdicts: list[tuple[Status, int]], answers: list[bool], **fields: Any) -> IssueRecord:
        """Each verdict has a status and how many failures go back."""
        gates = [self._document(status, count) for status, count in verdicts]
        self.patch.setattr(module, "gate", lambda _: gates.pop(0))
        said = [Reply(approved=one, by="somebody") for one in answers]

        def ask(_: str, text: str, **__: Any) -> Reply:
            self.asked.append(text.splitlines()[0])
            return said.pop(0)

        self.patch.setattr(module, "ask_person", ask)
        workflow = self.workflow(out=self.home / "out", **fields)
        if workflow.brief() and workflow.implemented() and workflow.reviewed():
            workflow.file()
        assert gates == []
        assert said == []
        return workflow._record

    def workflow(self, **fields: Any) -> Any:
        request = IssueRequest(**{"ticket": self.home, "settings": self.settings, "implement": ("true",), **fields})
        return module._Workflow(request, IssueRecord(ticket_id="T-1", run_id="run-1"))

    def _document(self, status: Status, failures: int) -> Any:
        outcome = fake_outcome(status=status)
        made = gate_document(load_ticket(self.home), outcome, LoadedPolicy(), self.settings)
        return replace(made, failures=(FAILURE,) * failures)


@pytest.fixture
def site(tmp_path, monkeypatch):
    return Site(tmp_path, monkeypatch)


BAD, GOOD, WEAK = (Status.FAILED_ADVERSARIAL, 1), (Status.PASS, 0), (Status.PASS_WEAK, 1)


def test_what_passes_is_reviewed_by_two_persons_and_critics_and_filed(site):
    record = site.run([GOOD], [True, True])
    assert (record.status, record.exit_code, record.rework) == ("FILED", 0, 0)
    assert [one.node for one in record.nodes] == ["N0", "N1", "N2", "N2.5", "N3", "N4", "N5", "N6"]
    assert json.loads((site.home / "out" / "issue.json").read_text())["status"] == "FILED"


def test_failures_go_back_to_the_implementer_at_most_max_rework_times_before_a_person_is_asked(site):
    record = site.run([BAD, BAD, BAD], [False])
    assert (record.status, record.exit_code, record.rework) == ("REJECTED", 13, 2)
    assert site.routed == [0, 1, 1]
    assert site.asked == ["N2.5 FAILED_ADVERSARIAL after 2 returns"]


def test_a_person_may_return_it_once_more(site):
    record = site.run([BAD, BAD, GOOD], [True, True, True], max_rework=1)
    assert (record.status, record.rework) == ("FILED", 2)


@pytest.mark.parametrize("status", [Status.SKIPPED, Status.INCONCLUSIVE, Status.PASS_WEAK])
def test_what_the_implementer_cannot_help_goes_to_a_person(site, status):
    assert site.run([(status, 0)], [False]).status == "REJECTED"
    assert site.asked == ["N3 review of the implementation"]


@pytest.mark.parametrize("status", [Status.ERROR, Status.CANCELLED, Status.SKIPPED_BUDGET, Status.PENDING])
def test_what_has_no_verdict_ends_the_workflow_with_the_gates_exit_code(site, status):
    record = site.run([(status, 0)], [])
    assert (record.status, record.exit_code) == ("STOPPED", status.exit_code)


def test_reviewers_are_told_where_the_implementer_changed_the_ticket(site):
    asked = []

    def ask(_, text, **__):
        asked.append(text)
        return Reply(approved=False, by="somebody")

    def implement(_, failures):
        path = site.home / "ticket.yaml"
        path.write_text(path.read_text().replace("A is 1.", "A is a number."))

    workflow = site.workflow()
    site.patch.setattr(module, "run_implementer", implement)
    site.patch.setattr(module, "gate", lambda _: site._document(Status.PASS, 0))
    site.patch.setattr(module, "ask_person", ask)
    assert workflow.brief()
    assert workflow.implemented()
    assert not workflow.reviewed()
    assert "CHANGED since N0" in asked[0]


def test_without_a_command_a_person_implements(site):
    record = site.run([BAD, GOOD], [True, True, True, True], implement=())
    assert record.status == "FILED"
    assert site.asked[:2] == ["N2 implementation by a person"] * 2


@pytest.mark.parametrize("answers", [[False], [True, False]])
def test_either_reviewer_can_reject_it(site, answers):
    assert site.run([GOOD], answers).status == "REJECTED"


def test_a_blocked_design_ends_it_before_anything_is_implemented(site):
    design = ROOT / "examples" / "designs" / "sliding-window-blocked.md"
    record = site.run([], [], design=design)
    assert (record.status, record.exit_code, [one.node for one in record.nodes]) == ("BLOCKED", 12, ["N0"])
    assert "test T035 matches no scenario" in record.nodes[0].note
    assert site.routed == []


def test_the_implementer_gets_the_failures_as_json_and_its_failure_is_told(site):
    site.patch.undo()
    script = "import json,sys; json.dump(json.load(sys.stdin), open('got.json', 'w')); sys.exit('no')"
    request = IssueRequest(ticket=site.home, implement=("python3", "-c", script), settings=site.settings)
    with pytest.raises(InfrastructureError, match="exit code 1: no"):
        module.run_implementer.fn(request, (FAILURE,))
    assert json.loads((site.home / "got.json").read_text())["failures"][0]["observed"] == "A is 2."
    with pytest.raises(InfrastructureError, match="N2 /nowhere"):
        module.run_implementer.fn(request.model_copy(update={"implement": ("/nowhere",)}), ())
