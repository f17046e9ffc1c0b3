"""What of a WAF a change is about: its sites' modes, our IP group and the policy that makes it block."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

from refute.assistant.safeline import GROUPS, POLICIES, SITES, Waf, WafFailed, read_list
from refute.guardrails.plain_text import printable

BLACKLIST: Final = "refute-blacklist"
"""Comment of the IP group and name of the policy that the assistant manages; it touches no other."""
BLOCKS: Final = 1
"""A policy's action."""
MAX_NAME_CHARS: Final = 60


class SiteMode(IntEnum):
    """A site's mode, as the API numbers it."""

    DEFENCE = 0
    OFFLINE = 1
    DRY_RUN = 2


WORDS: Final = {SiteMode.DEFENCE: "defence", SiteMode.OFFLINE: "OFFLINE", SiteMode.DRY_RUN: "dry-run"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site behind the WAF."""

    id: int
    name: str
    mode: int

    @property
    def mode_words(self) -> str:
        """The mode in a word."""
        return next((words for mode, words in WORDS.items() if mode == self.mode), f"mode {self.mode}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WafState:
    """A WAF as its API tells it."""

    sites: tuple[Site, ...]
    group_id: int | None = None
    """Of our IP group; None: there is none."""
    ips: tuple[str, ...] = ()
    reference: str = ""
    """Of our IP group: where it is loaded from, if it is."""
    policy_id: int | None = None
    """Of our policy; None: there is none."""
    policy_blocks: bool = False
    """Whether it is enabled, blocks, and is about our group."""

    @property
    def digest(self) -> str:
        """Of everything in it, so that a confirmation holds for the state that was shown."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    @property
    def defended(self) -> tuple[Site, ...]:
        """Sites where the blacklist blocks."""
        return tuple(site for site in self.sites if site.mode == SiteMode.DEFENCE)


def read_state(waf: Waf) -> WafState:
    """Ask for all of it; raises WafFailed where an answer failed, or lacks what it must have."""
    try:
        sites = tuple(sorted(map(_site, read_list(waf, SITES)), key=lambda site: site.id))
        groups = [one for one in read_list(waf, GROUPS) if one.get("comment") == BLACKLIST]
        policies = [one for one in read_list(waf, POLICIES) if one.get("name") == BLACKLIST]
        if len(groups) > 1 or len(policies) > 1:
            raise WafFailed(f"SafeLine {waf.name}: several groups or policies are called {BLACKLIST}; expected one")
        group_id = int(groups[0]["id"]) if groups else None
        return WafState(
            sites=sites,
            group_id=group_id,
            ips=tuple(sorted(map(str, groups[0]["ips"] or ()))) if groups else (),
            reference=str(groups[0].get("reference") or "") if groups else "",
            policy_id=int(policies[0]["id"]) if policies else None,
            policy_blocks=any(_blocks(one, group_id) for one in policies),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise WafFailed(f"SafeLine {waf.name}: unexpected answer: {type(error).__name__} {error}") from error


def pattern_of(group_id: int) -> list[list[dict[str, Any]]]:
    """What a policy matches: every client of a group."""
    return [[{"k": "src_ip", "op": "in", "v": [str(group_id)], "sub_k": ""}]]


def with_mode(state: WafState, site_ids: Sequence[int], mode: SiteMode) -> WafState:
    """The state after these sites are in a mode."""
    sites = (replace(site, mode=int(mode)) if site.id in site_ids else site for site in state.sites)
    return replace(state, sites=tuple(sites))


def with_address(state: WafState, address: str, *, listed: bool) -> WafState:
    """The state after an address is, or is no longer, on the blacklist; ids of what is new are not known yet."""
    ips = {*state.ips, address} if listed else {*state.ips} - {address}
    return replace(state, ips=tuple(sorted(ips)), policy_blocks=state.policy_blocks or listed)


def difference(before: WafState, after: WafState) -> tuple[str, ...]:
    """What changes, a line each."""
    return tuple(_differences(before, after))


def _differences(before: WafState, after: WafState) -> Iterator[str]:
    for old, new in zip(before.sites, after.sites, strict=True):
        if old.mode != new.mode:
            yield f"site {old.id} {old.name}: {old.mode_words} → {new.mode_words}"
    added, removed = sorted({*after.ips} - {*before.ips}), sorted({*before.ips} - {*after.ips})
    if added or removed:
        changes = " ".join((*(f"+{ip}" for ip in added), *(f"-{ip}" for ip in removed)))
        made = "" if before.group_id is not None else ", new"
        yield f"IP group {BLACKLIST}{made}: {changes} ({len(before.ips)} → {len(after.ips)} entries)"
    if before.policy_blocks != after.policy_blocks:
        was = "none" if before.policy_id is None else "not blocking"
        yield f"policy {BLACKLIST}: {was} → enabled, blocks the group"


def _site(entry: dict[str, Any]) -> Site:
    names = entry.get("server_names") or entry.get("title") or entry.get("comment") or ""
    name = ", ".join(map(str, names)) if isinstance(names, list) else str(names)
    mode = entry["mode"]
    if not isinstance(mode, int) or isinstance(mode, bool):
        raise TypeError(f"a site's mode is {mode!r}")
    return Site(id=int(entry["id"]), name=printable(name, max_chars=MAX_NAME_CHARS, keep_newlines=False), mode=mode)


def _blocks(policy: dict[str, Any], group_id: int | None) -> bool:
    enabled = policy.get("is_enabled") is True and policy.get("action") == BLOCKS
    return enabled and group_id is not None and policy.get("pattern") == pattern_of(group_id)
