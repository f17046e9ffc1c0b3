"""A SafeLine WAF in memory: what its API does with requests. For rehearsals, evaluation and the server of the tests."""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from refute.assistant.safeline import EVENTS, GROUPS, POLICIES, SITE_MODE, SITES, STRENGTH, WafFailed
from refute.assistant.waf import SiteMode
from refute.guardrails.validators import validate_ip_or_cidr

MODULES: Final = ("m_sqli", "m_xss", "m_cmd_injection", "m_file_include", "m_ssrf")
SAMPLE_EVENTS: Final = tuple(
    {
        "id": number,
        "ip": f"203.0.113.{number % 4 + 5}",
        "country": "NL",
        "host": "shop.example",
        "dst_port": 443,
        "url_path": "/search" if number % 3 else "/login",
        "attack_type": "sqli" if number % 3 else "xss",
        "start_at": 1_795_000_000 + 60 * number,
        "deny_count": number % 5 + 1,
        "pass_count": 0,
        "finished": True,
    }
    for number in range(1, 10)
)


class Refused(Exception):
    """The API answers with `err`."""


class RehearsalWaf:
    """Keeps what a WAF keeps.

    Args:
        name: of the instance.
    """

    def __init__(self, name: str = "rehearsal") -> None:
        self.name = name
        self.writes: list[tuple[str, str, Any]] = []
        """Every request but GETs, in the order of arrival."""
        self.applies = True
        """False: writes are accepted, and nothing comes of them."""
        names = ("shop.example", "api.example")
        self.sites: list[dict[str, Any]] = [
            {"id": number, "server_names": [name], "ports": ["443_ssl"], "mode": 0}
            for number, name in enumerate(names, start=1)
        ]
        self.groups: list[dict[str, Any]] = []
        self.policies: list[dict[str, Any]] = []
        self.strength: dict[str, str] = dict.fromkeys(MODULES, "default")
        self.events: list[dict[str, Any]] = [dict(event) for event in SAMPLE_EVENTS]
        self._ids = 0

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Answer as the API does."""
        status, envelope = self.answer(method, path, body)
        if status != 200:  # noqa: PLR2004  # HTTP
            raise WafFailed(f"SafeLine {self.name}: HTTP {status}")
        return json.dumps(envelope).encode()

    def answer(self, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        """Status and envelope of an answer."""
        parts = urlsplit(path)
        handler = self._handlers().get((method, parts.path))
        if handler is None:
            return 404, {"data": None, "err": "not found", "msg": "not found"}
        if method != "GET":
            self.writes.append((method, parts.path, copy.deepcopy(body)))
            if not self.applies:
                return 200, {"data": 1, "err": None, "msg": ""}
        given = parse_qs(parts.query) if method == "GET" else body
        try:
            return 200, {"data": copy.deepcopy(handler(given)), "err": None, "msg": ""}
        except (Refused, KeyError, TypeError, ValueError) as error:
            return 200, {"data": None, "err": "parameter-error", "msg": str(error)}

    def blocks(self, address: str, site_id: int) -> bool:
        """Whether a client is blocked: listed, by an enabled policy, on a site in defence mode."""
        groups = {str(group["id"]) for group in self.groups if address in group["ips"]}
        defended = any(site["id"] == site_id and site["mode"] == SiteMode.DEFENCE for site in self.sites)
        return defended and any(
            policy["is_enabled"] and policy["action"] == 1 and groups & {*condition["v"]}
            for policy in self.policies
            for conditions in policy["pattern"]
            for condition in conditions
            if condition["k"] == "src_ip" and condition["op"] == "in"
        )

    def _handlers(self) -> dict[tuple[str, str], Callable[[Any], Any]]:
        return {
            ("GET", SITES): lambda query: _page(self.sites, query, "data"),
            ("GET", GROUPS): lambda query: _page(self.groups, query, "nodes"),
            ("GET", POLICIES): lambda query: _page(self.policies, query, "data"),
            ("GET", EVENTS): lambda query: _page(self.events[::-1], query, "nodes"),
            ("GET", STRENGTH): lambda _: self.strength,
            ("PUT", SITE_MODE): self._set_mode,
            ("PUT", STRENGTH): self._set_strength,
            ("POST", GROUPS): lambda body: self._put(self.groups, self._group(body)),
            ("PUT", GROUPS): lambda body: self._replace(self.groups, body["id"], self._group(body)),
            ("POST", f"{GROUPS}/append"): self._append,
            ("POST", POLICIES): lambda body: self._put(self.policies, self._policy(body)),
            ("PUT", POLICIES): lambda body: self._replace(self.policies, body["id"], self._policy(body)),
        }

    def _set_mode(self, body: dict[str, Any]) -> None:
        mode = int(SiteMode(body["mode"]))
        sites = [site for site in self.sites if site["id"] in body["ids"]]
        if len(sites) != len(body["ids"]) or not sites:
            raise Refused("unknown site")
        for site in sites:
            site["mode"] = mode

    def _set_strength(self, body: dict[str, str]) -> None:
        if not {*body.values()} <= {"strict", "default", "disable"}:
            raise Refused("unknown strength")
        self.strength.update(body)

    def _group(self, body: dict[str, Any]) -> dict[str, Any]:
        ips = list(body["ips"])
        if not all(map(validate_ip_or_cidr, ips)):
            raise Refused("invalid ip")
        return {"comment": str(body["comment"]), "reference": str(body["reference"]), "ips": ips, "builtin": False}

    def _policy(self, body: dict[str, Any]) -> dict[str, Any]:
        known = {str(group["id"]) for group in self.groups}
        for conditions in body["pattern"]:
            for condition in conditions:
                if condition["op"] == "in" and not {*condition["v"]} <= known:
                    raise Refused("unknown IP group")
        return {name: body[name] for name in ("name", "is_enabled", "action", "pattern")}

    def _append(self, body: dict[str, Any]) -> None:
        groups = [group for group in self.groups if group["id"] in body["ip_group_ids"]]
        if not groups or not all(map(validate_ip_or_cidr, body["ips"])):
            raise Refused("unknown IP group or invalid ip")
        for group in groups:
            group["ips"] += [ip for ip in body["ips"] if ip not in group["ips"]]

    def _put(self, kept: list[dict[str, Any]], entry: dict[str, Any]) -> int:
        self._ids += 1
        kept.append({"id": self._ids, **entry})
        return self._ids

    def _replace(self, kept: list[dict[str, Any]], entry_id: int, entry: dict[str, Any]) -> None:
        """The whole entry: what is not sent is gone."""
        for number, one in enumerate(kept):
            if one["id"] == entry_id:
                kept[number] = {"id": entry_id, **entry}
                return
        raise Refused(f"unknown id {entry_id}")


def _page(entries: list[dict[str, Any]], query: dict[str, list[str]], name: str) -> dict[str, Any]:
    page, size = (int(query.get(key, [default])[0]) for key, default in (("page", "1"), ("page_size", "20")))
    return {name: entries[(page - 1) * size : page * size], "total": len(entries)}
