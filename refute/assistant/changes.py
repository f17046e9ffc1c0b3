"""Changes of a WAF: read from the operator's own words, never from a model's; what each would do, said beforehand."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from refute.assistant.table import load
from refute.assistant.waf import SiteMode, WafState, with_address, with_mode
from refute.guardrails.validators import sanitize_comment

SET_MODE: Final = "set_mode"
BLACKLIST_IP: Final = "blacklist_ip"
UNBLACKLIST_IP: Final = "unblacklist_ip"
MODES: Final = {"block": SiteMode.DEFENCE, "detect": SiteMode.DRY_RUN, "off": SiteMode.OFFLINE}
"""What an operator may ask for. `default` and `disable` are strengths of detection modules, and refused: the one would
leave a site as it is, the other sounds harmless and would take it offline."""
BROAD: Final = {4: 8, 6: 16}
"""IP version → a network with a shorter prefix is an outage for everybody in it."""
_ADDRESS: Final = re.compile(
    r"(?<![\w.:/-])(?:[0-9][0-9.]*\.[\w.]*|(?:[0-9a-f]{0,4}:){2,}[0-9a-f:.]*)(?:%\w+)?(?:/[\w.]+)?", re.IGNORECASE
)
_SITES: Final = re.compile(r"\bsites?\s+#?((?:\d+(?:\s*(?:,|and|&)\s*(?:sites?\s*)?#?)?)+)", re.IGNORECASE)
_HOST: Final = re.compile(r"(?<![\w.-])(?:[\w-]+\.)+[a-z][\w-]*", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\b(?:because(?: of)?|reason:?|comment:?|note:?)\s+(.+)$", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A change as an operator worded it; nothing in it is checked yet."""

    action: str
    mode: str = ""
    address: str = ""
    comment: str = ""
    sites: tuple[str, ...] = ()
    """Ids, and names that no site has; empty: none was named."""


def read_wish(text: str, names: Mapping[int, str]) -> Wish | str:
    """The change that an operator's words ask for, or what to ask them for.

    Args:
        text: of the operator.
        names: site id → its names, to know one that is named.
    """
    comment = _COMMENT.search(text)
    words = text[: comment.start()] if comment else text
    addresses = list(dict.fromkeys(found.rstrip(".,:;!?") for found in _ADDRESS.findall(words)))
    addresses = [one for one in addresses if not any(one.lower() in name.lower() for name in names.values())]
    action = load("changes", "action").best(words)
    if len(addresses) > 1:
        return "One address or network at a time, please: each change has its own confirmation."
    mode = load("changes", "mode").best(words)
    if action in {BLACKLIST_IP, UNBLACKLIST_IP}:
        if not addresses:
            return "invalid ip: I found no IP address or network in that. Name one, such as 203.0.113.7."
        note = sanitize_comment(comment[1]) if comment else ""
        return Wish(action=action, address=addresses[0], comment=note)
    if mode and action == SET_MODE:
        return Wish(action=SET_MODE, mode=mode, sites=_named_sites(words, names))
    return (
        "I can set the protection mode (block, detect, off) and put an IP address on the blacklist or take it off. "
        'Say which, such as "block 203.0.113.7" or "set shop.example to detect".'
    )


def is_outage(action: Mapping[str, Any]) -> bool:
    """Whether an action takes something off the network, and so is confirmed twice."""
    if action.get("action") == SET_MODE:
        return action.get("mode") == "off"
    if action.get("action") != BLACKLIST_IP:
        return False
    network = ipaddress.ip_network(str(action.get("address")), strict=False)
    return network.prefixlen < BROAD[network.version]


def applied(state: WafState, action: Mapping[str, Any]) -> WafState:
    """The state that an action asks for."""
    if action["action"] == SET_MODE:
        return with_mode(state, action["site_ids"], MODES[action["mode"]])
    return with_address(state, action["address"], listed=action["action"] == BLACKLIST_IP)


def in_words(action: Mapping[str, Any]) -> str:
    """An action on one line."""
    if action["action"] == SET_MODE:
        return f"mode {action['mode']} on site {', '.join(map(str, action['site_ids']))} of {action['instance']}"
    where = "on" if action["action"] == BLACKLIST_IP else "off"
    return f"{action['address']} {where} the blacklist of {action['instance']}"


def named(name: str) -> re.Pattern[str]:
    """A name of a WAF or site, where it stands as a word of its own."""
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", re.IGNORECASE)


def _named_sites(words: str, names: Mapping[int, str]) -> tuple[str, ...]:
    """Ids of sites that are named, and names that no site has."""
    numbers = [number for found in _SITES.finditer(words) for number in re.findall(r"\d+", found[1])]
    known = {part: str(site) for site, name in names.items() for part in name.lower().split(", ") if part}
    by_name = [site for part, site in known.items() if named(part).search(words)]
    unknown = [host for host in _HOST.findall(words.lower()) if host not in known]
    return tuple(dict.fromkeys([*numbers, *by_name, *unknown]))
