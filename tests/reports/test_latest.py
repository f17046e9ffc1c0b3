"""What is the latest outcome of a ticket is one rule, also where a clock was set back between two of them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from refute.ledger.batches import Batches
from refute.outcome import Status
from refute.ticket.record import TicketId
from reports.aggregate import totals
from reports.facts import read_facts
from reports.findings import newest_findings
from reports.scope import Scope

EARLIER = timedelta(hours=3)


@pytest.mark.parametrize("last", [Status.PASS, Status.FAILED_ADVERSARIAL])
def test_after_a_clock_is_set_back_report_and_batch_still_agree_on_the_last_recorded_outcome(ledger, outcomes, last):
    failed = outcomes["failed_adversarial"]
    failing = last is not Status.PASS
    ledger.record(replace(failed, run_id="first", status=Status.PASS if failing else Status.FAILED_ADVERSARIAL))
    ledger.record(replace(failed, run_id="last", status=last, started_at=failed.started_at - EARLIER))
    facts = read_facts(ledger, Scope(), datetime.now(UTC))
    assert totals(facts).failing_tickets == ((failed.ticket_id,) if failing else ())
    (finding,) = newest_findings(ledger, Scope())
    assert (finding.run_id, finding.settled) == (("last", False) if failing else ("first", True))
    assert Batches(ledger).last_outcomes([failed.ticket_id])[failed.ticket_id].status is last


def test_what_failed_comes_by_kind_refuted_claims_first_and_of_each_kind_the_newest_first(ledger, outcomes):
    failed = outcomes["failed_adversarial"]
    plain = replace(failed, failures=(), claims=())
    kinds = [Status.ERROR, Status.INCONCLUSIVE, Status.BLOCKED_DANGEROUS_SCRIPT, Status.FAILED_IMPORT]
    for hour, status in enumerate([Status.FAILED_ADVERSARIAL, *kinds, Status.FAILED_ADVERSARIAL]):
        at = failed.started_at + timedelta(hours=hour)
        one = failed if status is Status.FAILED_ADVERSARIAL else plain
        ledger.record(replace(one, ticket_id=TicketId(f"T-{hour}"), status=status, started_at=at))
    assert [one.ticket_id for one in newest_findings(ledger, Scope())] == ["T-5", "T-0", "T-4", "T-3", "T-2", "T-1"]
