"""Facts added up: by day, week, status, tester, label, claim category and model. Pure: frames in, frames out."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from refute.outcome import Status
from reports.facts import Facts
from reports.groups import GROUPS, VERDICTS, Group
from reports.rates import Rate
from reports.reading import as_usd
from reports.strengths import by_strength, mutation_score

LABELS_SHOWN: Final = 50
"""Labels with their own row, those of the most runs."""
P95: Final = 0.95
NO_MODEL: Final = "no model"
CachedSaving = Callable[[str, int], float | None]
"""Model and cached tokens → US dollars that caching saved; None where no price is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """One number each over all outcomes in scope. US dollars as float: this is where they are shown."""

    runs: int
    tickets: int
    failing_tickets: tuple[str, ...]
    """Whose latest run in scope found the code wrong or dangerous, the latest first."""
    groups: dict[str, int]
    """Group → runs, all groups."""
    cost_usd: float
    unpriced_calls: int
    """Model calls without a known price: no cost here holds theirs."""
    cost_per_run_usd: float | None
    cost_per_ticket_usd: float | None
    cost_per_refutation_usd: float | None
    """All cost over refuted claims."""
    cost_per_pass_usd: float | None
    """All cost over tickets runs that ended PASS."""
    refuted: Rate
    """Of the claims that were decided, refuted or survived."""
    flaky: Rate
    """Of the tests that ran."""
    invalid: Rate
    """Of the tests that ran."""
    rejected: Rate
    """Of all tests, those that the screen let not run."""
    mutants_killed: Rate
    """Of the small faults that were put into code to measure attacks: the mutation score of all attacks together."""
    strength_measured: int
    """Runs whose attack's strength was measured."""
    p50_s: float | None
    p95_s: float | None
    sandbox_s: float
    """Seconds in containers."""
    queued: int
    """Runs that were tickets of a batch."""
    queue_p50_s: float | None
    """Of these: seconds from the batch's opening to the run's beginning."""
    queue_p95_s: float | None
    answers: dict[str, int]
    """Answer → runs for which a person was asked, all answers."""
    answer_p50_s: float | None
    """Of these: seconds from the question to the answer, or to the end of the wait."""
    answer_p95_s: float | None
    overrides: int
    """Runs of scripts that the scan blocks, which somebody let through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Frames with one row per kind; cost columns in US dollars as float."""

    by_day: pd.DataFrame
    by_week: pd.DataFrame
    """Weeks begin on Monday, UTC."""
    by_status: pd.DataFrame
    by_tester: pd.DataFrame
    by_label: pd.DataFrame
    by_category: pd.DataFrame
    """Tests by claim category: how many ran, refuted, were flaky, invalid, rejected."""
    by_strength: pd.DataFrame
    """Runs whose attack was measured, by the lower end of its strength in tenths, and how they ended."""
    by_tier: pd.DataFrame
    """Runs by the tiers of the models that were asked; `NO_MODEL` where none was."""
    by_model: pd.DataFrame
    """Calls, tokens and cost, and how the runs ended that called the model; a run with several counts for each."""


def totals(facts: Facts) -> Totals:
    """The totals; shares of nothing are None."""
    outcomes = facts.outcomes
    runs, cost = len(outcomes), int(outcomes["cost_nanousd"].sum())
    newest = outcomes[outcomes["group"].isin(VERDICTS)].drop_duplicates("ticket_id", keep="last")
    failing = newest[newest["group"].isin([Group.FAILED, Group.BLOCKED])]["ticket_id"].astype(object)
    tickets = int(outcomes["ticket_id"].nunique())
    groups = outcomes["group"].value_counts(sort=False)
    refuted = int(outcomes["claims_refuted"].sum())
    tests = _test_totals(facts)
    ran = sum(tests.values()) - tests["rejected"]
    return Totals(
        runs=runs,
        tickets=tickets,
        failing_tickets=tuple(failing[::-1]),
        groups={str(name): int(count) for name, count in groups.items()},
        cost_usd=as_usd(cost),
        unpriced_calls=int(facts.calls["unpriced"].sum()),
        cost_per_run_usd=_per(cost, runs),
        cost_per_ticket_usd=_per(cost, tickets),
        cost_per_refutation_usd=_per(cost, refuted),
        cost_per_pass_usd=_per(cost, int(groups[Group.PASSED])),
        refuted=Rate(hits=refuted, tries=int(outcomes["claims_judged"].sum())),
        flaky=Rate(hits=tests["flaky"], tries=ran),
        invalid=Rate(hits=tests["invalid"], tries=ran),
        rejected=Rate(hits=tests["rejected"], tries=ran + tests["rejected"]),
        p50_s=_quantile(outcomes["duration_s"], 0.5),
        p95_s=_quantile(outcomes["duration_s"], 0.95),
        sandbox_s=float(outcomes["sandbox_s"].sum()),
        queued=len(facts.queue_s),
        queue_p50_s=_quantile(facts.queue_s, 0.5),
        queue_p95_s=_quantile(facts.queue_s, 0.95),
        **_answers(facts.answers),
        mutants_killed=mutation_score(facts.strengths),
        strength_measured=int(facts.strengths["runs"].sum()),
    )


def _answers(answers: pd.DataFrame) -> dict[str, Any]:
    asked = answers[answers["waited_s"].notna()]
    counts = asked["answer"].value_counts(sort=False)
    return {
        "answers": {str(name): int(count) for name, count in counts.items()},
        "answer_p50_s": _quantile(asked["waited_s"], 0.5),
        "answer_p95_s": _quantile(asked["waited_s"], P95),
        "overrides": int(answers["overrides"].sum()),
    }


def tables(facts: Facts, saved_usd: CachedSaving) -> Tables:
    """All tables.

    Args:
        facts: what to add up.
        saved_usd: prices what caching saved.
    """
    outcomes = facts.outcomes
    day = outcomes["started_at"].dt.floor("D")
    monday = day - pd.to_timedelta(day.dt.day_of_week, unit="D")
    return Tables(
        by_day=_summary(outcomes, day.rename("day")),
        by_week=_summary(outcomes, monday.rename("week")),
        by_status=_summary(outcomes, outcomes["status"])[["runs", "cost_usd", "p50_s", "p95_s"]],
        by_tester=_summary(outcomes, outcomes["tester"]),
        by_label=_by_label(facts),
        by_category=_by_category(facts),
        by_model=_by_model(facts, saved_usd),
        by_strength=by_strength(facts.strengths),
        by_tier=_by_tier(outcomes),
    )


def _summary(outcomes: pd.DataFrame, key: Any) -> pd.DataFrame:
    """Runs, how they ended, cost and time, for each value of a key that occurs."""
    grouped = outcomes.groupby(key, observed=True)
    ends = pd.crosstab(key, outcomes["group"], dropna=False) if len(outcomes) else pd.DataFrame()
    found = pd.DataFrame({"runs": grouped.size()})
    for group in Group:
        column = ends.get(group.value)
        found[group.value] = 0 if column is None else column.reindex(found.index, fill_value=0).astype("int64")
    sums = grouped[["claims_judged", "claims_refuted", "cost_nanousd"]].sum()
    found["claims_judged"], found["claims_refuted"] = sums["claims_judged"], sums["claims_refuted"]
    found["refuted_low"], found["refuted_high"] = _intervals(sums["claims_refuted"], sums["claims_judged"])
    found["cost_usd"] = as_usd(sums["cost_nanousd"])
    durations = grouped["duration_s"]
    found["p50_s"], found["p95_s"] = durations.quantile(0.5), durations.quantile(0.95)
    return found


def _intervals(hits: "pd.Series[int]", tries: "pd.Series[int]") -> tuple[list[float], list[float]]:
    """The ends of each share's interval; NaN where nothing was tried."""
    found = [Rate(hits=int(h), tries=int(t)).interval or (np.nan, np.nan) for h, t in zip(hits, tries, strict=True)]
    return [low for low, _ in found], [high for _, high in found]


def _by_tier(outcomes: pd.DataFrame) -> pd.DataFrame:
    named = outcomes["tiers"].cat.rename_categories({"": NO_MODEL}).rename("tier")
    found = _summary(outcomes, named)
    found.insert(1, "share", found["runs"] / max(len(outcomes), 1))
    return found


def _by_label(facts: Facts) -> pd.DataFrame:
    """A run with several labels counts for each."""
    runs: Counter[str] = Counter()
    for labels, count in zip(facts.kinds["labels"], facts.kinds["runs"], strict=True):
        runs.update(dict.fromkeys(labels, int(count)))
    parts = {}
    for label, _ in runs.most_common(LABELS_SHOWN):
        having = np.asarray([label in labels for labels in facts.kinds["labels"]])
        some = facts.outcomes[having[facts.outcomes["kind"].to_numpy()]]
        parts[label] = _summary(some, pd.Series(label, index=some.index, name="label"))
    none = facts.outcomes.iloc[:0]
    return pd.concat(parts.values()) if parts else _summary(none, pd.Series([], dtype="str", name="label"))


def _runs_by_model(kinds: pd.DataFrame) -> pd.DataFrame:
    """Runs that called a model, all and by group: the few kinds of runs, each weighed by how many there are."""
    counts: Counter[tuple[str, str]] = Counter()
    for models, status, runs in zip(kinds["models"], kinds["status"], kinds["runs"], strict=True):
        for model in models:
            counts[model, "runs"] += int(runs)
            counts[model, GROUPS[Status(status)].value] += int(runs)
    names = sorted({model for model, _ in counts})
    columns = ["runs", *(group.value for group in Group)]
    rows = [[counts[model, column] for column in columns] for model in names]
    return pd.DataFrame(rows, index=pd.Index(names, name="model", dtype="str"), columns=columns).astype("int64")


def _by_category(facts: Facts) -> pd.DataFrame:
    counts = _tests(facts)
    names = ("survived", "refuted", "flaky", "invalid", "needs_review", "rejected")
    categories = sorted({category for category, _ in counts})
    rows = [[counts[category, verdict] for verdict in names] for category in categories]
    found = pd.DataFrame(rows, index=pd.Index(categories, name="category", dtype="str"), columns=list(names))
    return found.astype("int64")


def _by_model(facts: Facts, saved_usd: CachedSaving) -> pd.DataFrame:
    """A model stands here for its calls, or for runs whose calls the ledger does not have (imported ones)."""
    runs = _runs_by_model(facts.kinds)
    found = facts.calls.set_index("model")
    found = found.reindex(found.index.union(runs.index), fill_value=0)
    known = found.pop("cost_nanousd").where(found["unpriced"] < found["calls"])  # else NaN
    found["cost_usd"] = as_usd(known)
    saved = [saved_usd(str(model), int(tokens)) for model, tokens in found["cached_tokens"].items()]
    found["saved_usd"] = np.asarray(saved, dtype="float64")  # None becomes NaN
    found["latency_s"] = found["latency_s"] / found["calls"]
    found["latency_p95_s"] = _latency_p95_s(facts.latencies).reindex(found.index)
    return found.join(runs.reindex(found.index, fill_value=0))  # calls for other things than a ticket have no run


def _latency_p95_s(latencies: pd.DataFrame) -> "pd.Series[float]":
    """By model: so many seconds, to a tenth, are enough for 95 % of its calls; lost ones took what they took."""
    shortest_first = latencies.sort_values(["model", "tenths"])
    by_model = shortest_first.groupby("model")["calls"]
    enough = shortest_first[by_model.cumsum() >= P95 * by_model.transform("sum")]
    return enough.groupby("model")["tenths"].first() / 10


def _tests(facts: Facts) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for tests, runs in zip(facts.kinds["tests"], facts.kinds["runs"], strict=True):
        for kind, number in tests.items():
            category, _, verdict = kind.partition("/")
            counts[category, verdict] += number * int(runs)
    return counts


def _test_totals(facts: Facts) -> Counter[str]:
    found: Counter[str] = Counter()
    for (_, verdict), number in _tests(facts).items():
        found[verdict] += number
    return found


def _quantile(values: "pd.Series[float]", share: float) -> float | None:
    return float(values.quantile(share)) if len(values) else None


def _per(nanodollars: int, count: int) -> float | None:
    return float(as_usd(nanodollars / count)) if count else None
