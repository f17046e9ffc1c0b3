"""The plan: which pages are fetched and read, in which order. Made and signed before any page is seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from refute.errors import BudgetExhausted, ModelUnavailable
from refute.guardrails.audit import Gate
from refute.guardrails.urls import PinnedUrl, UrlDenied
from refute.llm.answer_json import read_object
from refute.llm.model import Model
from refute.research.fetching import Check, Fetcher
from refute.research.intents import SignedIntent, Signer, Tool
from refute.research.prompting import plan_prompt
from refute.research.record import Goal
from refute.research.settings import ResearchSettings
from refute.research.stops import Stops
from refute.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is done for a goal, whatever its pages say."""

    fetches: tuple[SignedIntent, ...]
    reads: tuple[SignedIntent, ...]
    """One for each fetch."""
    hosts: tuple[str, ...]
    """That pages and their redirects may lie on."""
    page_bytes: int
    """Of each page, fixed beforehand: no page takes another one's share."""
    tries: int
    """Questions to the model about each page, at most."""
    notes: tuple[str, ...] = ()
    cost_usd: Decimal | None = Decimal(0)


def make_plan(  # two planes meet here
    goal: Goal, settings: ResearchSettings, *, model: Model, fetcher: Fetcher, signer: Signer, stops: Stops
) -> Plan:
    """Decide what is fetched and read.

    Args:
        goal: with the addresses that a person gave: these come first.
        settings: what may be fetched and spent.
        model: asked for further pages where the settings want any.
        fetcher: whose policy an address must pass.
        signer: of this run.
        stops: hears of each address.
    """
    hosts = settings.allowed_hosts or hosts_of(goal.urls, fetcher)
    notes: list[str] = []
    cost: Decimal | None = Decimal(0)
    chosen: list[str] = []
    room = min(settings.max_fetches, settings.max_model_calls - bool(settings.follow))
    for url in dict.fromkeys(goal.urls):
        _admit(url, lambda one: fetcher.check(one, settings.allowed_hosts, resolved=False), chosen, room, stops)
    wanted = min(settings.follow, room - len(chosen)) if chosen else 0
    if wanted > 0:
        proposed, note, cost = _proposed(goal, hosts, wanted, model)
        notes += [note] if note else []
        for url in proposed[:wanted]:
            _admit(url, lambda one: _plain(fetcher.check(one, hosts, resolved=False)), chosen, room, stops)
    calls = settings.max_model_calls - bool(settings.follow)
    stops.allow(Gate.RESEARCH_PLAN, "fixed before any page is fetched", {"goal": goal.id, "pages": len(chosen)})
    numbered = list(enumerate(chosen, start=1))
    return Plan(
        fetches=tuple(signer.sign(Tool.FETCH, source=number, url=url) for number, url in numbered),
        reads=tuple(signer.sign(Tool.READ, source=number) for number, _ in numbered),
        hosts=hosts,
        page_bytes=settings.max_bytes // max(1, len(chosen)),
        tries=2 if 2 * len(chosen) <= calls else 1,
        notes=tuple(notes),
        cost_usd=cost,
    )


def hosts_of(urls: Sequence[str], fetcher: Fetcher) -> tuple[str, ...]:
    """The hosts of addresses, each with and without `www.`."""
    found: list[str] = []
    for url in urls:
        try:
            host = fetcher.check(url, (), resolved=False).host
        except UrlDenied:
            continue
        found += [host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"]
    return tuple(dict.fromkeys(found))


def _admit(url: str, check: Check, chosen: list[str], room: int, stops: Stops) -> None:
    """Add an address to the plan, or have the gate say why not."""
    try:
        pinned = check(url)
    except UrlDenied as error:
        stops.deny(Gate.URL, url, error.reason)
        return
    if len(chosen) >= room:
        stops.deny(Gate.BUDGET, url, f"the budget allows {counted(room, 'page')}")
    elif pinned.url not in chosen:
        chosen.append(pinned.url)


def _plain(pinned: PinnedUrl) -> PinnedUrl:
    """What the planner chooses carries nothing of the goal along."""
    if urlsplit(pinned.url).query:
        raise UrlDenied(pinned.url, "the planner's addresses carry no query")
    return pinned


def _proposed(goal: Goal, hosts: Sequence[str], wanted: int, model: Model) -> tuple[list[str], str, Decimal | None]:
    """What the planner names, a note where it could not be asked, and what that cost."""
    try:
        completion = model.generate(plan_prompt(goal, hosts, wanted))
    except (ModelUnavailable, BudgetExhausted) as error:
        return [], f"the planner chose no further pages: {error.message}", error.cost_usd
    urls = (read_object(completion.reply.text) or {}).get("urls")
    if not isinstance(urls, list):
        return [], "the planner's answer cannot be read; it chose no further pages", completion.cost_usd
    return [url for url in urls if isinstance(url, str)], "", completion.cost_usd
