"""The two tools that write. Arguments are validated before any call, and done is only what reading back shows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from refute.assistant.changes import BLACKLIST_IP, MODES, SET_MODE, UNBLACKLIST_IP, applied, in_words
from refute.assistant.safeline import GROUPS, POLICIES, SITE_MODE, Waf, WafFailed, data_of
from refute.assistant.waf import BLACKLIST, BLOCKS, WafState, difference, pattern_of, read_state
from refute.errors import RefuteError
from refute.guardrails.gates import Gates
from refute.guardrails.results import change_reply
from refute.guardrails.validators import normalize_mode, sanitize_comment, validate_ip_or_cidr, validation_error

Arguments = Mapping[str, Any]
_WRONG_MODE: Final = (
    "mode: expected block, detect or off. default and disable are strengths of detection modules, not modes of a site"
)


class Invalid(RefuteError):
    """An argument of a tool is not what it must be; nothing was called."""


def valid_mode(gates: Gates, raw: str) -> str:
    """A mode in its normal form; raises Invalid where a site cannot be in it."""
    mode = gates.argument("mode", raw, _settable)
    if mode not in MODES:
        raise Invalid(_WRONG_MODE)
    return mode


def valid_address(gates: Gates, raw: str) -> str:
    """An address or network in its normal form; raises Invalid where it is none."""
    address = gates.argument("ip", raw, validate_ip_or_cidr)
    if address is None or validate_ip_or_cidr(address) is None:  # observed, a gate lets it through; the API would not
        raise Invalid(f"invalid ip: {sanitize_comment(raw)}")
    return address


def tool_set_protection_mode(waf: Waf, gates: Gates, *, mode: str, site_ids: Sequence[int]) -> str:
    """Put sites into a mode (block, detect, off) as a person confirmed it; done is what reading back shows."""
    action: dict[str, Any] = {"action": SET_MODE, "mode": mode, "site_ids": [*site_ids], "instance": waf.name}

    def write(_: WafState) -> None:
        action["mode"] = valid = valid_mode(gates, mode)
        _send(waf, gates, "PUT", SITE_MODE, {"ids": [*site_ids], "mode": int(MODES[valid])})

    return _change(waf, gates, action, write)


def tool_manage_ip_blacklist(waf: Waf, gates: Gates, *, address: str, comment: str = "", listed: bool = True) -> str:
    """Have an address listed or not, as a person confirmed it; done is what reading back shows."""
    action = {"action": BLACKLIST_IP if listed else UNBLACKLIST_IP, "address": address, "instance": waf.name}

    def write(before: WafState) -> None:
        action["address"] = valid = valid_address(gates, address)
        gates.argument("comment", comment, sanitize_comment)  # for the audit log: the API has no place for it
        group = {"comment": BLACKLIST, "reference": before.reference}
        if not listed:
            left = [ip for ip in before.ips if ip != valid]
            _send(waf, gates, "PUT", GROUPS, {"id": before.group_id, **group, "ips": left})
            return
        if before.group_id is None:
            _send(waf, gates, "POST", GROUPS, {**group, "ips": [valid]})
        else:  # never PUT: it would undo what somebody else adds meanwhile
            _send(waf, gates, "POST", f"{GROUPS}/append", {"ip_group_ids": [before.group_id], "ips": [valid]})
        _ensure_policy(waf, gates)

    return _change(waf, gates, action, write)


def execute(waf: Waf, gates: Gates, action: Arguments) -> str:
    """Do what a person confirmed; the only caller of the tools. Says "✅ Executed: …" or "❌ Change failed: …"."""
    if action["action"] == SET_MODE:
        return tool_set_protection_mode(waf, gates, mode=action["mode"], site_ids=action["site_ids"])
    listed = action["action"] == BLACKLIST_IP
    comment = str(action.get("comment", ""))
    return tool_manage_ip_blacklist(waf, gates, address=action["address"], comment=comment, listed=listed)


def _change(waf: Waf, gates: Gates, action: dict[str, Any], write: Callable[[WafState], None]) -> str:
    """Write, read back, and say what came of it."""
    before: WafState | None = None
    try:
        before = read_state(waf)
        write(before)
        after = read_state(waf)
    except Invalid as error:
        return change_reply(validation_error(error.message), done="", took_effect=False)
    except WafFailed as error:
        problem = {"error": f"{error.message}; {_left_behind(waf, before)}"}
        gates.result(problem, tool="read back")
        return change_reply(problem, done="", took_effect=False)
    open_ends = [*difference(after, applied(after, action)), *_not_in_effect(after, action)]
    found = {"error": f"it did not take effect; still missing: {'; '.join(open_ends)}"} if open_ends else {"ok": True}
    gates.result(found, tool="read back")
    return change_reply(found, done=in_words(action) + _where(after, action), took_effect=not open_ends)


def _left_behind(waf: Waf, before: WafState | None) -> str:
    """What a write that was not acknowledged came to: it may have been done all the same."""
    if before is None:
        return "nothing was written"
    try:
        changed = difference(before, read_state(waf))
    except (WafFailed, ValueError):  # another number of sites
        return "whether anything was changed is unknown: look at the WAF"
    return f"changed all the same: {'; '.join(changed)}" if changed else "read back: nothing was changed"


def _not_in_effect(after: WafState, action: Arguments) -> Sequence[str]:
    """What is written as it should be, and still does nothing."""
    if action["action"] == SET_MODE:
        missing = {*action["site_ids"]} - {site.id for site in after.sites}
        return [f"site {site} does not exist" for site in sorted(missing)]
    if action["action"] == BLACKLIST_IP and not after.defended:
        return ["no site is in defence mode, so the blacklist blocks nobody"]
    return []


def _where(after: WafState, action: Arguments) -> str:
    """Where a blacklist blocks, and where it does not."""
    if action["action"] != BLACKLIST_IP:
        return ""
    idle = [site for site in after.sites if site not in after.defended]
    names = ", ".join(f"{site.name} ({site.mode_words})" for site in idle)
    return "; read back: group, policy, site modes" + (f"; it blocks nobody on {names}" if idle else "")


def _ensure_policy(waf: Waf, gates: Gates) -> None:
    """Have a policy block our group: without one a group does nothing."""
    state = read_state(waf)
    if state.policy_blocks or state.group_id is None:
        return
    policy = {"name": BLACKLIST, "is_enabled": True, "action": BLOCKS, "pattern": pattern_of(state.group_id)}
    if state.policy_id is None:
        _send(waf, gates, "POST", POLICIES, policy)
    else:
        _send(waf, gates, "PUT", POLICIES, {"id": state.policy_id, **policy})


def _send(waf: Waf, gates: Gates, method: str, path: str, body: Arguments) -> None:
    """Write once; what is not a clear success is a failure, whatever a switch lets through."""
    tool = f"{method} {path}"
    try:
        raw = waf.send(method, path, body)
    except WafFailed as error:
        gates.result({"error": error.message}, tool=tool)
        raise
    gates.result(raw, tool=tool)
    data_of(waf, raw)


def _settable(raw: str) -> str | None:
    mode = normalize_mode(raw)
    return mode if mode in MODES else None
