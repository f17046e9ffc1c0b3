"""Charts as inline SVG: statuses over time, cost burn against the budget. No script, no network.

Colours are classes that the page's style sheet fills for light and dark. Text in a chart would shrink with it, so each
chart is drawn for the width at which it is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import pandas as pd
from markupsafe import Markup, escape

from refute.wording import counted
from reports.budget import BudgetState
from reports.groups import Group
from reports.phrases import budget_line, usd

WIDE: Final = 680
NARROW: Final = 340
HEIGHT: Final = 220
BARS_AT_MOST: Final = 62
LINE: Final = Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
BAR: Final = Markup('<rect class="g-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
TEXT: Final = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
"""What is formatted into them is escaped."""
STACK: Final = (
    Group.FAILED,
    Group.BLOCKED,
    Group.UNDECIDED,
    Group.ERROR,
    Group.WEAK,
    Group.PASSED,
    Group.NOT_RUN,
)
"""From the ground up: what failed stands on the axis, where heights compare best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Where the data stands inside the picture, in pixels."""

    width: int
    left: int = 44
    right: int = 12
    top: int = 14
    bottom: int = 26

    def x(self, share: float) -> float:
        """From a share of the axis."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, share: float) -> float:
        """From a share of the axis, 0 at the ground."""
        return HEIGHT - self.bottom - share * (HEIGHT - self.top - self.bottom)


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """Runs by group over time, gaps filled."""

    unit: str
    """`day`, `week` or `month`."""
    starts: Sequence[date]
    runs: pd.DataFrame
    """A column per group."""


def periods(by_day: pd.DataFrame) -> Periods:
    """Days, or weeks or months where there would be more bars than anyone can tell apart."""
    groups = by_day[[group.value for group in Group]]
    unit, summed = "day", groups
    for unit, rule in (("day", "D"), ("week", "W-MON"), ("month", "MS")):  # noqa: B007  # the last one is used
        summed = groups.resample(rule, label="left", closed="left").sum() if len(groups) else groups
        if len(summed) <= BARS_AT_MOST:
            break
    summed = summed.tail(BARS_AT_MOST)
    return Periods(unit=unit, starts=[moment.date() for moment in summed.index], runs=summed)


def status_chart(shown: Periods, *, width: int) -> Markup:
    """A stacked bar per period."""
    area = Area(width=width)
    heights = shown.runs.sum(axis=1)
    top = nice_top(float(heights.max()) if len(heights) else 0)
    slot = 1 / max(len(shown.starts), 8)
    parts = list(_grid(area, top, {value: f"{value:,.0f}" for value in whole_ticks(top)}))
    for number, (start, (_, row)) in enumerate(zip(shown.starts, shown.runs.iterrows(), strict=True)):
        ground = 0.0
        told = ", ".join(f"{int(row[group])} {group}" for group in STACK if row[group])
        parts.append(Markup("<g><title>{} {}: {}</title>").format(shown.unit, start, told or "no runs"))
        for group in (group for group in STACK if row[group]):
            height = row[group] / top
            parts.append(_bar(area, number * slot, slot, ground, height, group))
            ground += height
        parts.append(Markup("</g>"))
    parts += _dates(area, shown.starts, slot)
    runs = int(heights.sum())
    failed = int(shown.runs[Group.FAILED].sum())
    span = counted(len(shown.starts), shown.unit)
    label = f"Runs by {shown.unit}: {runs:,} in {span}, {failed:,} of them failed. The table by {shown.unit} says more."
    return _svg(width, label, parts)


def burn_chart(state: BudgetState, *, width: int) -> Markup:
    """Cumulated cost of the month, the way it goes on, and the budget."""
    area = Area(width=width, left=52)
    budget = None if state.budget_usd is None else float(state.budget_usd)
    spent, forecast = float(state.spent_usd), float(state.forecast_usd)
    top = nice_top(max(spent, forecast, budget or 0) * 1.05)
    total, points = 0.0, [(area.x(0), area.y(0))]
    now = 1 - float(state.days_left) / state.days
    for day, amount in state.by_day.items():
        total += float(amount)
        points.append((area.x(min(day.day / state.days, now)), area.y(total / top)))
    parts = list(_grid(area, top, {value: usd(value) for value in _ticks(top)}))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    floor = f"{area.x(now):.1f},{area.y(0):.1f}"
    parts.append(Markup('<polygon class="burn-area" points="{} {}"/>').format(line, floor))
    parts.append(Markup('<polyline class="burn" points="{}"/>').format(line))
    end = (area.x(now), area.y(spent / top), area.x(1), area.y(forecast / top))
    parts.append(LINE.format("forecast", *end))
    parts.append(Markup('<circle class="burn-now" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(*end[:2]))
    if budget is not None:
        parts += _budget_line(area, budget, top)
    parts.append(_text(area.x(1), end[3] - 6, f"forecast {usd(forecast)}", "end", "mark"))
    for day_number in (1, 8, 15, 22, state.days):
        x = area.x((day_number - 0.5) / state.days)
        parts.append(_text(x, HEIGHT - 8, str(day_number), "middle", "axis"))
    return _svg(width, f"Cost burn. {budget_line(state)}.", parts)


def nice_top(highest: float) -> float:
    """The end of an axis: 1, 2, 4, 5 or 10 times a power of ten, never below the data."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** (len(f"{int(highest)}") - 1) if highest >= 1 else 1.0
    while highest < power:
        power /= 10
    return next(power * step for step in (1, 2, 4, 5, 8, 10) if power * step >= highest)


def _ticks(top: float) -> list[float]:
    return [top * share / 4 for share in range(5)] if top >= 4 or top < 1 else [0, top / 2, top]  # noqa: PLR2004


def whole_ticks(top: float) -> list[float]:
    """Of an axis that counts: no half of a run."""
    steps = next(steps for steps in (4, 5, 2, 1) if top % steps == 0)
    return [top * step / steps for step in range(steps + 1)]


def _grid(area: Area, top: float, names: Mapping[float, str]) -> Iterator[Markup]:
    for value, name in names.items():
        y = area.y(value / top)
        yield LINE.format("grid", area.x(0), y, area.x(1), y)
        yield _text(area.left - 6, y + 4, name, "end", "axis")


def _budget_line(area: Area, budget: float, top: float) -> Iterator[Markup]:
    y = area.y(budget / top)
    yield LINE.format("budget", area.x(0), y, area.x(1), y)
    yield _text(area.x(0) + 4, y - 6, f"budget {usd(budget)}", "start", "mark")


def _bar(area: Area, left: float, slot: float, ground: float, height: float, group: Group) -> Markup:
    x, width = area.x(left + slot * 0.12), area.x(slot * 0.76) - area.x(0)
    y, tall = area.y(ground + height), area.y(0) - area.y(height)
    return BAR.format(group.value.replace(" ", "-"), x, y, width, max(tall, 0.8))


def _dates(area: Area, starts: Sequence[date], slot: float) -> Iterator[Markup]:
    """As many dates as fit."""
    years = len(starts) > 1 and (starts[-1] - starts[0]).days > 300  # noqa: PLR2004  # a day would name two
    name, wide = ("%b %Y", 64) if years else ("%d %b", 52)
    each = max(1, -(-len(starts) * wide // (area.width - area.left)))
    for number in range(0, len(starts), each):
        yield _text(area.x((number + 0.5) * slot), HEIGHT - 8, f"{starts[number]:{name}}", "middle", "axis")


def _text(x: float, y: float, text: str, anchor: str, kind: str) -> Markup:
    return TEXT.format(kind, x, y, anchor, text)


def _svg(width: int, label: str, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(width, HEIGHT, escape(label))
    return Markup("").join([head, *parts, Markup("</svg>")])
