from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from refute.approval import IN_ADVANCE, Approval, Beforehand, Denial
from refute.batch.allowance import Allowance, load_allowances
from refute.batch.approval import NOBODY_IN_BATCH, ListedApprover
from refute.errors import UsageError

FILES = "sha256:" + "a" * 64
OTHERS = "sha256:" + "b" * 64
ALLOWANCE = Allowance(ticket="T", snapshot=FILES, reason="looked at by Ada")
DANGERS = (SimpleNamespace(rule_id="rm-root"),)


def question(digest: str = FILES, dangers: tuple[object, ...] = ()) -> SimpleNamespace:
    return SimpleNamespace(snapshot=SimpleNamespace(digest=digest), dangers=dangers, opinions=())


def test_an_answer_about_a_list_says_nothing_about_what_critics_say():
    asked = question()
    asked.opinions = ("security, critical: a secret is logged",)
    decision = ListedApprover(by="Ada", digest=FILES).ask(asked)
    assert decision == Denial(reason=NOBODY_IN_BATCH)


def test_listed_files_are_approved_by_who_approved_the_list():
    when = Beforehand(asked_at=datetime(2026, 3, 1, 2, tzinfo=UTC), answered_at=datetime(2026, 3, 1, 8, tzinfo=UTC))
    decision = ListedApprover(by="Ada", digest=FILES, when=when).ask(question())
    assert decision == Approval(snapshot_digest=FILES, by="Ada", beforehand=when)


def test_in_advance_whatever_scans_clean_is_approved_and_a_danger_never():
    assert isinstance(ListedApprover(by="--yes", digest=None).ask(question()), Approval)
    approver = ListedApprover(by="--yes", digest=None)
    assert isinstance(approver.ask(question(dangers=DANGERS)), Denial)
    assert approver.blocked


def test_a_danger_runs_where_the_allow_file_names_these_very_files():
    decision = ListedApprover(by="--yes", digest=None, allowance=ALLOWANCE).ask(question(dangers=DANGERS))
    assert decision == Approval(snapshot_digest=FILES, by="allow-file: looked at by Ada", beforehand=IN_ADVANCE)


def test_a_declined_list_stays_declined_whatever_is_allowed():
    approver = ListedApprover(by="Ada", digest=None, declined=True, allowance=ALLOWANCE)
    decision = approver.ask(question(dangers=DANGERS))
    assert isinstance(decision, Denial)
    assert decision.by == "Ada"


@pytest.mark.parametrize(
    "text",
    [
        "- {ticket: T, snapshot: nonsense, reason: looked at by Ada}",
        f"- {{ticket: T, snapshot: '{FILES}', reason: short}}",
        "[",
        f"- &a {{ticket: T, snapshot: '{FILES}', reason: looked at by Ada}}\n- *a",
    ],
)
def test_a_faulty_allow_file_is_refused_with_what_is_expected(tmp_path, text):
    (tmp_path / "allowed.yaml").write_text(text)
    with pytest.raises(UsageError, match="snapshot_digest"):
        load_allowances(tmp_path / "allowed.yaml")


def test_an_allow_file_is_read_by_ticket(tmp_path):
    text = f"- {{ticket: T, snapshot: '{FILES}', reason: looked at by Ada}}"
    (tmp_path / "allowed.yaml").write_text(text)
    assert load_allowances(tmp_path / "allowed.yaml") == {"T": ALLOWANCE}
