"""The config manager: what a change would do to a WAF, said by our code from what its API answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from refute.assistant.changes import SET_MODE, applied, in_words, is_outage, named, read_wish
from refute.assistant.safeline import Waf, WafFailed
from refute.assistant.sources import plain
from refute.assistant.tools import Invalid, valid_address, valid_mode
from refute.assistant.waf import WafState, difference, read_state
from refute.guardrails.gates import Gates
from refute.guardrails.pending import Pending
from refute.guardrails.results import change_reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """What a person confirms, on a channel that no model reads or writes."""

    nonce: str
    title: str
    lines: tuple[str, ...]
    """Before and after."""
    expires_at: datetime
    outage: bool = False
    """Whether it takes something off the network, which is confirmed twice."""

    def description(self) -> str:
        """All but the nonce."""
        return "\n".join((self.title, *(f"  {line}" for line in self.lines)))

    def text(self) -> str:
        """All of it."""
        until = f"{self.expires_at:%H:%M:%S} UTC"
        return f"{self.description()}\nTo do this, say until {until}: confirm {self.nonce}"


def propose(text: str, wafs: Mapping[str, Waf], gates: Gates) -> dict[str, Any] | str:
    """The action that an operator's words ask for, checked against the WAF, or what to tell them instead."""
    waf = _chosen(text, wafs)
    if isinstance(waf, str):
        return waf
    try:
        before = read_state(waf)
        words = named(waf.name).sub(" ", text)  # a WAF may be called `block`, or `offline`
        wish = read_wish(words, {site.id: site.name for site in before.sites})
        if isinstance(wish, str):
            return wish
        arguments: dict[str, Any] = {"action": wish.action, "instance": waf.name, "before": before.digest}
        if wish.action == SET_MODE:
            arguments |= {"mode": valid_mode(gates, wish.mode), "site_ids": _site_ids(wish.sites, before)}
        else:
            arguments |= {"address": valid_address(gates, wish.address), "comment": wish.comment}
    except Invalid as error:
        return f"validation: {error.message}"
    except WafFailed as error:
        gates.result({"error": error.message}, tool="read")
        return change_reply({"error": error.message}, done="", took_effect=False)
    return _with_difference(arguments, before)


def challenge_of(pending: Pending) -> Challenge:
    """What is shown of an action that waits."""
    outage = bool(pending["twice"])
    step = f" (confirmation {3 - pending['confirmations_left']} of 2)" if outage else ""
    return Challenge(
        nonce=pending["nonce"],
        title=f"{'OUTAGE: ' if outage else ''}{in_words(pending)}{step}",
        lines=tuple(pending["difference"]),
        expires_at=datetime.fromtimestamp(pending["expires_at"], UTC),
        outage=outage,
    )


def _with_difference(arguments: dict[str, Any], before: WafState) -> dict[str, Any] | str:
    lines = difference(before, applied(before, arguments))
    if not lines:
        return f"Nothing to change: {in_words(arguments)} already."
    if arguments["action"] == "blacklist_ip" and not before.defended:
        return (
            f"Refused: no site of {arguments['instance']} is in defence mode, so a blacklist would block nobody. "
            "Set the mode to block first."
        )
    if comment := arguments.get("comment"):
        lines = (*lines, f"comment: {plain(comment)}")
    twice = is_outage(arguments)
    return {**arguments, "difference": [*lines], "twice": twice, "confirmations_left": 2 if twice else 1}


def _chosen(text: str, wafs: Mapping[str, Waf]) -> Waf | str:
    """The WAF that is meant: the one that is named, or the only one."""
    meant = [waf for name, waf in wafs.items() if named(name).search(text)]
    if len(meant) == 1 or (len(wafs) == 1 and not meant):
        return meant[0] if meant else next(iter(wafs.values()))
    if not wafs:
        return "No WAF is configured: add one to the setting `safeline`."
    return f"Which WAF? Name one of: {', '.join(wafs)}."


def _site_ids(wanted: tuple[str, ...], state: WafState) -> list[int]:
    """Ids of the sites that are named, all where none is; raises Invalid where there is no such site."""
    known = {str(site.id): f"{site.id} {site.name}" for site in state.sites}
    if unknown := [one for one in wanted if one not in known]:
        raise Invalid(f"unknown site {', '.join(unknown)}; sites: {', '.join(known.values())}")
    return sorted(map(int, wanted or known))
