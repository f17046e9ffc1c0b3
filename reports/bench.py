"""A tester's score as a terminal table, Markdown or JSON."""

from decimal import Decimal
from typing import Final

from pydantic import TypeAdapter

from refute.bench.critics import CriticScore
from refute.bench.score import BenchScore, Catch, ProgramScore
from refute.bench.share import Share
from refute.outcome import RoundYield

SCORE_VERSION: Final = 1
_JSON: Final = TypeAdapter(BenchScore)
PUBLIC: Final = "Public benchmarks are part of models' training data: figures of a model on them are upper bounds."


def render_bench(score: BenchScore, form: str, *, color: bool = False) -> str:
    """The score as `table`, `markdown` or `json`; ends with a newline."""
    match form:
        case "json":
            return _json(score)
        case "markdown":
            return _markdown(score)
        case _:
            return _table(score, color=color)


def _json(score: BenchScore) -> str:
    import json  # beside its only use

    data = _JSON.dump_python(score, mode="json")
    for name in _SHARES:
        part: Share = getattr(score, name)
        data[name] |= {"share": part.share, "interval_95": list(part.interval)}
    return json.dumps({"version": SCORE_VERSION, **data, "note": PUBLIC}, indent=2) + "\n"


def _rows(score: BenchScore) -> list[tuple[str, str]]:
    rows = [(label, _share(getattr(score, name))) for name, label in _SHARES.items()]
    return [
        *rows,
        ("refuted only by tests that the right version fails too", str(score.bad)),
        ("versions without a verdict (infrastructure, budget)", str(score.no_outcome)),
        ("cost", f"${score.cost_usd:f}, ${score.cost_per_ticket_usd.quantize(Decimal('0.000001')):f} a ticket"),
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


def _markdown(score: BenchScore) -> str:
    lines = [
        f"# Tester `{score.tester}` on {score.dataset}",
        "",
        f"{len(score.programs)} programs, SHA-256 `{score.dataset_sha256[:16]}…`. {PUBLIC}",
        "",
        "| | |",
        "|---|---|",
        *(f"| {label} | {value} |" for label, value in _rows(score)),
        "",
        "| program | wrong version | by | right version | claims untested |",
        "|---|---|---|---|---|",
    ]
    lines += [
        "| " + " | ".join([one.program, one.catch, _by(one), one.right or "", f"{one.untested} of {one.claims}"]) + " |"
        for one in score.programs
    ]
    failed = [one for one in score.programs if one.false_fail]
    if failed:
        lines += ["", "Right versions that failed:", ""]
        lines += [f"- {one.program}: `{one.false_fail.replace('`', chr(39))}`" for one in failed]
    return "\n".join(lines) + "\n"


def _table(score: BenchScore, *, color: bool) -> str:
    from rich.console import Console  # slow to import
    from rich.table import Table
    from rich.text import Text

    console = Console(width=110, force_terminal=color, no_color=not color, highlight=False)
    sums = Table(title=f"Tester {score.tester} on {score.dataset}: {len(score.programs)} programs", show_header=False)
    for label, value in _rows(score):
        sums.add_row(Text(label), Text(value))
    each = Table("program", "wrong version", "by", "right version", "untested")
    for one in score.programs:
        style = {Catch.REFUTED: "green", Catch.BAD: "red"}.get(one.catch, "yellow")
        each.add_row(
            Text(one.program),
            Text(one.catch, style=style),
            Text(_by(one)),
            Text(one.right or "", style="red" if one.false_fail else ""),
            f"{one.untested} of {one.claims}",
        )
    with console.capture() as captured:
        console.print(each)
        for one in score.programs:
            if one.false_fail:
                console.print(Text(f"false fail of {one.program}: {one.false_fail}", style="red"))
        console.print(sums)
        console.print(Text(PUBLIC, style="dim"))
    return captured.get()


def _by(one: ProgramScore) -> str:
    return one.by.replace("_", " ")


def _share(share: Share) -> str:
    if share.share is None:
        return "none"
    low, high = share.interval
    return f"{share.hits} of {share.trials} ({share.share:.0%}, 95%: {low:.0%} to {high:.0%})"


_SHARES: Final = {
    "refuted": "wrong versions refuted",
    "refuted_by_examples": "of these by examples alone",
    "false_fail": "right versions that failed (false fails)",
    "inconclusive": "undecided, of both",
    "claims_attacked": "claims attacked",
}
