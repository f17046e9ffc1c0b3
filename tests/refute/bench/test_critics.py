"""Precision and recall of what critics block, by focus."""

from dataclasses import replace

from refute.bench.critics import score_critics
from refute.bench.dataset import Pair, Program
from refute.critics.focus import Focus
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing, verdict_of
from refute.ticket.record import TicketId
from tests.fakes.outcomes import fake_outcome

PROGRAM = Program(id="p", entry_point="f", claims=("c",), correct="right", wrong="wrong")
PAIRS = [
    Pair(program=PROGRAM, right=TicketId(f"right-{number}"), wrong=TicketId(f"wrong-{number}")) for number in range(2)
]


def review(*standings: Standing) -> Review:
    failures = tuple(
        ReviewFailure(severity=Severity.MAJOR, description="d", evidence="e", standing=one) for one in standings
    )
    return Review(
        critic_id="correctness-1",
        focus=Focus.CORRECTNESS,
        verdict=verdict_of(failures),
        failures=failures,
        model="m",
        input_tokens=90,
        output_tokens=10,
    )


def test_only_confirmed_failures_block_and_opinions_are_counted_apart():
    said = {
        "wrong-0": review(Standing.CONFIRMED),
        "wrong-1": review(Standing.UNCONFIRMED),
        "right-0": review(Standing.UNCONFIRMED),
        "right-1": replace(review(), verdict=ReviewVerdict.UNAVAILABLE),
    }
    outcomes = {name: fake_outcome(name, reviews=(one,)) for name, one in said.items()}
    (score,) = score_critics(PAIRS, outcomes)
    assert (score.precision.hits, score.precision.trials) == (1, 1)
    assert (score.recall.hits, score.recall.trials) == (1, 2)
    assert (score.opinions.hits, score.opinions.trials) == (2, 3)
    assert (score.unavailable, score.tokens_each) == (1, 100)


def test_the_critic_that_reads_text_alone_is_not_measured():
    one = replace(review(Standing.CONFIRMED), model="")
    assert score_critics(PAIRS, {"wrong-0": fake_outcome("wrong-0", reviews=(one,))}) == ()
