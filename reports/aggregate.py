"""Facts added up: by day, week, status, tester, label, claim category and model. Pure: frames in, frames out."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from refute.adversary.attack import TriageVerdict
from refute.statistics.rate import Rate
from reports.facts import Facts
from reports.groups import GROUPS, VERDICTS, Group
from reports.reading import as_usd

LABELS_SHOWN: Final = 50
"""Labels with their own row, those of the most runs."""
P95: Final = 0.95
TEST_ENDS: Final = (*(verdict.value for verdict in TriageVerdict), "rejected")
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


Tables = Mapping[str, pd.DataFrame]
"""Name → frame with one row per kind; cost columns in US dollars as float."""


def totals(facts: Facts) -> Totals:
    """The totals; shares of nothing are None."""
    outcomes = facts.outcomes
    runs, cost = len(outcomes), int(outcomes["cost_nanousd"].sum())
    newest = outcomes[outcomes["group"].isin(VERDICTS)].drop_duplicates("ticket_id", keep="last")
    failing = newest[newest["group"].isin([Group.FAILED, Group.BLOCKED])]["ticket_id"].astype(object)
    tickets = int(outcomes["ticket_id"].nunique())
    groups = outcomes["group"].value_counts(sort=False)
    refuted = int(outcomes["claims_refuted"].sum())
    tests = {name: int(number) for name, number in _by_category(facts).sum().items()}
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
        refuted=Rate(hits=refuted, trials=int(outcomes["claims_judged"].sum())),
        flaky=Rate(hits=tests["flaky"], trials=ran),
        invalid=Rate(hits=tests["invalid"], trials=ran),
        rejected=Rate(hits=tests["rejected"], trials=ran + tests["rejected"]),
        p50_s=_quantile(outcomes["duration_s"], 0.5),
        p95_s=_quantile(outcomes["duration_s"], 0.95),
        sandbox_s=float(outcomes["sandbox_s"].sum()),
        queued=len(facts.queue_s),
        queue_p50_s=_quantile(facts.queue_s, 0.5),
        queue_p95_s=_quantile(facts.queue_s, 0.95),
        **_answers(facts.answers),
        mutants_killed=Rate(
            hits=int(facts.strengths["mutants_killed"].sum()), trials=int(facts.strengths["mutants_counted"].sum())
        ),
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
    return {
        "by_day": _summary(outcomes, day.rename("day")),
        "by_week": _summary(outcomes, monday.rename("week")),
        "by_status": _summary(outcomes, outcomes["status"])[["runs", "cost_usd", "p50_s", "p95_s"]],
        "by_tester": _summary(outcomes, outcomes["tester"]),
        "by_label": _by_label(facts),
        "by_category": _by_category(facts),
        "by_strength": _by_strength(facts.strengths),
        "by_tier": _by_tier(outcomes),
        "by_model": _by_model(facts, saved_usd),
    }


def _summary(outcomes: pd.DataFrame, key: Any) -> pd.DataFrame:
    """Runs, how they ended, cost and time, for each value of a key that occurs."""
    grouped = outcomes.groupby(key, observed=True)
    found = _ends(key, outcomes["group"])
    sums = grouped[["claims_judged", "claims_refuted", "cost_nanousd"]].sum()
    found["claims_judged"], found["claims_refuted"] = sums["claims_judged"], sums["claims_refuted"]
    found["refuted_low"], found["refuted_high"] = _intervals(sums["claims_refuted"], sums["claims_judged"])
    found["cost_usd"] = as_usd(sums["cost_nanousd"])
    durations = grouped["duration_s"]
    found["p50_s"], found["p95_s"] = durations.quantile(0.5), durations.quantile(0.95)
    return found


def _ends(key: "pd.Series[Any]", groups: "pd.Series[Any]", runs: "pd.Series[int] | int" = 1) -> pd.DataFrame:
    """Runs, all and by how they ended, for each value of a key that occurs; `runs`: how many each row stands for."""
    rows = pd.DataFrame({key.name: key, "group": groups, "runs": runs})
    ends = rows.pivot_table(index=key.name, columns="group", values="runs", aggfunc="sum", fill_value=0, observed=True)
    found = pd.DataFrame({"runs": ends.sum(axis="columns")})
    for group in Group:
        found[group.value] = ends.get(group.value, 0)
    return found.astype("int64")


def _intervals(hits: "pd.Series[int]", tries: "pd.Series[int]") -> tuple[list[float], list[float]]:
    """The ends of each share's interval; NaN where nothing was tried."""
    found = [Rate(hits=int(h), trials=int(t)).interval or (np.nan, np.nan) for h, t in zip(hits, tries, strict=True)]
    return [low for low, _ in found], [high for _, high in found]


def _by_tier(outcomes: pd.DataFrame) -> pd.DataFrame:
    """By the tiers of the models that were asked; `NO_MODEL` where none was."""
    named = outcomes["tiers"].cat.rename_categories({"": NO_MODEL}).rename("tier")
    found = _summary(outcomes, named)
    found.insert(1, "share", found["runs"] / max(len(outcomes), 1))
    return found


def _by_label(facts: Facts) -> pd.DataFrame:
    """A run with several labels counts for each."""
    labels = facts.kinds[["labels", "runs"]].explode("labels").dropna(subset="labels")
    shown = labels.groupby("labels")["runs"].sum().nlargest(LABELS_SHOWN).index
    having = labels[labels["labels"].isin(shown)]["labels"].astype("str").rename("label")
    outcomes = facts.outcomes.merge(having, left_on="kind", right_index=True)
    return _summary(outcomes, outcomes["label"]).reindex(shown.rename("label"))


def _by_strength(strengths: pd.DataFrame) -> pd.DataFrame:
    """By the strength's lower end, which the floor is held against, in tenths."""
    tenth = (strengths["strength"] * 10).astype("int64").clip(upper=9).rename("tenth")
    found = _ends(tenth, _groups(strengths), strengths["runs"])
    found.index = pd.Index([f"{low * 10}–{low * 10 + 10} %" for low in found.index], name="strength", dtype="str")
    return found


def _runs_by_model(kinds: pd.DataFrame) -> pd.DataFrame:
    """Runs that called a model; one that called several counts for each."""
    called = kinds[["models", "status", "runs"]].explode("models").dropna(subset="models")
    return _ends(called["models"].astype("str").rename("model"), _groups(called), called["runs"])


def _groups(kinds: pd.DataFrame) -> "pd.Series[str]":
    return kinds["status"].astype("str").map({status.value: group.value for status, group in GROUPS.items()})


def _by_category(facts: Facts) -> pd.DataFrame:
    """Tests by claim category: how many survived, refuted, were flaky, invalid, rejected."""
    counts: Counter[tuple[str, str]] = Counter()
    for tests, runs in zip(facts.kinds["tests"], facts.kinds["runs"], strict=True):
        for kind, number in tests.items():
            category, _, verdict = kind.partition("/")
            counts[category, verdict] += number * int(runs)
    categories = sorted({category for category, _ in counts})
    rows = [[counts[category, verdict] for verdict in TEST_ENDS] for category in categories]
    found = pd.DataFrame(rows, index=pd.Index(categories, name="category", dtype="str"), columns=list(TEST_ENDS))
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


def _quantile(values: "pd.Series[float]", share: float) -> float | None:
    return float(values.quantile(share)) if len(values) else None


def _per(nanodollars: int, count: int) -> float | None:
    return float(as_usd(nanodollars / count)) if count else None
