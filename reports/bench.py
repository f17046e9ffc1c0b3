"""A tester's score as a terminal table, Markdown or JSON."""

import json
from collections.abc import Iterator
from typing import Final

from pydantic import TypeAdapter
from rich.text import Text

from refute.bench.critics import CriticScore
from refute.bench.score import BenchScore, Catch
from refute.outcome import RoundYield
from refute.statistics.rate import Rate
from refute.wording import dollars
from reports.rendering import REPORT, rendered
from reports.sections import Grid, Section, in_markdown, on_terminal

SCORE_VERSION: Final = 1
_JSON: Final = TypeAdapter(BenchScore)
_STYLES: Final = {Catch.REFUTED: "green", Catch.BAD: "red"}
PUBLIC: Final = "Public benchmarks are part of models' training data: figures of a model on them are upper bounds."


def render_bench(score: BenchScore, form: str, *, color: bool = False) -> str:
    """The score as `table`, `markdown` or `json`; ends with a newline."""
    if form == "json":
        return _json(score)
    if form == "table":
        return rendered([*on_terminal(_sections(score)), Text(PUBLIC, style="dim")], REPORT, color=color, width=None)
    first = (f"# Tester `{score.tester}` on {score.dataset}", f"SHA-256 `{score.dataset_sha256[:16]}…`. {PUBLIC}")
    return "\n\n".join([*first, *in_markdown(reversed([*_sections(score)]))]) + "\n"


def _sections(score: BenchScore) -> Iterator[Section]:
    yield Section(
        title="Programs",
        parts=[
            Grid(
                headings=("program", "wrong version", "by", "right version", "claims untested"),
                rows=[
                    (
                        one.program,
                        one.catch,
                        one.by.replace("_", " "),
                        one.right or "",
                        f"{one.untested} of {one.claims}",
                    )
                    for one in score.programs
                ],
                styles=[_STYLES.get(one.catch, "yellow") for one in score.programs],
                styled=1,
            )
        ],
    )
    if failed := [f"{one.program}: {one.false_fail}" for one in score.programs if one.false_fail]:
        yield Section(title="Right versions that failed", parts=[failed])
    title = f"Tester {score.tester} on {score.dataset}: {len(score.programs)} programs"
    yield Section(title=title, parts=[Grid(headings=("", ""), rows=_rows(score))])


def _json(score: BenchScore) -> str:
    data = _JSON.dump_python(score, mode="json")
    for name in _SHARES:
        part: Rate = getattr(score, name)
        data[name] |= {"share": part.value, "interval_95": part.interval or (0.0, 1.0)}
    return json.dumps({"version": SCORE_VERSION, **data, "note": PUBLIC}, indent=2) + "\n"


def _rows(score: BenchScore) -> list[tuple[str, str]]:
    rows = [(label, _share(getattr(score, name))) for name, label in _SHARES.items()]
    return [
        *rows,
        ("refuted only by tests that the right version fails too", str(score.bad)),
        ("versions without a verdict (infrastructure, budget)", str(score.no_outcome)),
        ("cost", f"{dollars(score.cost_usd)}, {dollars(score.cost_per_ticket_usd)} a ticket"),
        ("seconds a ticket (median)", f"{score.seconds_per_ticket:.1f}"),
        *(row for one in score.critics for row in _critic(one)),
        *((f"versions asked of the {tier} tier", str(count)) for tier, count in score.tiers),
        *((f"tests of {one.tester}{f', {one.round}' if one.round else ''}", _yield(one)) for one in score.rounds),
    ]


def _critic(one: CriticScore) -> list[tuple[str, str]]:
    focus = one.focus.replace("_", " ")
    return [
        (f"{focus} critic: what it blocks is wrong", _share(one.precision)),
        (f"{focus} critic: wrong versions that it blocks", _share(one.recall)),
        (f"{focus} critic: with opinions counted too", _share(one.opinions)),
        (f"{focus} critic: tokens a review, without an answer", f"{one.tokens_each:,}, {one.unavailable}"),
    ]


def _yield(one: RoundYield) -> str:
    return f"{one.written} written, {one.accepted} accepted, {one.refuting} refuting"


def _share(rate: Rate) -> str:
    if rate.interval is None:
        return "none"
    low, high = rate.interval
    return f"{rate.hits} of {rate.trials} ({rate.value:.0%}, 95%: {low:.0%} to {high:.0%})"


_SHARES: Final = {
    "refuted": "wrong versions refuted",
    "refuted_by_examples": "of these by examples alone",
    "false_fail": "right versions that failed (false fails)",
    "inconclusive": "undecided, of both",
    "claims_attacked": "claims attacked",
}
