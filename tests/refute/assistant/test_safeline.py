"""SafeLine's API over TLS: only a clear success is one, and the token goes nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from refute.assistant.instances import SafeLineInstance
from refute.assistant.safeline import EVENTS, GROUPS, SITES, SafeLine, WafFailed, read, read_list
from refute.assistant.tools import tool_manage_ip_blacklist, tool_set_protection_mode
from refute.evaluation.waf import RehearsalWaf
from refute.guardrails.audit import AuditLog
from refute.guardrails.gates import Gates
from tests.fakes.safeline import Fault, SafeLineServer, another_ca

GATES = Gates(audit=AuditLog(Path(), enabled=False), run_id="test")
LATE, LATE_S = (Fault.SLOW, Fault.DRIP), 0.3
Connect = Callable[..., SafeLine]


@pytest.fixture
def connect(server: SafeLineServer) -> Connect:
    def made(**changes: object) -> SafeLine:
        given = {"url": server.url, "token_env": "SAFELINE_TOKEN", "ca": server.ca, "timeout_s": 20, **changes}
        return SafeLine("prod", SafeLineInstance.model_validate(given))

    return made


def test_lists_are_read_page_by_page(connect: Connect, server: SafeLineServer) -> None:
    server.waf.events = [{"id": number, "ip": "192.0.2.1"} for number in range(250)]
    assert len(read_list(connect(), EVENTS)) == 250
    assert len(read_list(connect(), EVENTS, limit=30)) == 30


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault.HTTP_500, "HTTP 500"),
        (Fault.GARBAGE, "not valid JSON"),
        (Fault.EMPTY, "gave no answer"),
        (Fault.SLOW, r"no whole answer within 0\.3 s"),
        (Fault.DRIP, r"no whole answer within 0\.3 s"),
        (Fault.HANG_UP, "prod: "),
        (Fault.REDIRECT, "HTTP 302: redirects are not followed"),
    ],
)
def test_what_is_no_answer_fails_and_is_asked_once(connect, server, fault, told) -> None:
    server.fault = fault
    with pytest.raises(WafFailed, match=told):
        read(connect(timeout_s=LATE_S if fault in LATE else 20), SITES)
    assert [path for _, path, _ in server.asked] == [SITES]


@pytest.mark.parametrize("envelope", ['{"data": []}', '{"err": null}', '{"data": 1, "err": ""}', "[]", '{"err": "x"}'])
def test_an_envelope_is_whole_and_its_err_is_null(connect, server, envelope, monkeypatch) -> None:
    monkeypatch.setattr(SafeLine, "send", lambda *_: envelope.encode())
    with pytest.raises(WafFailed):
        read(connect(), SITES)


def test_a_certificate_of_another_ca_gets_no_token(connect, server, tmp_path) -> None:
    with pytest.raises(WafFailed, match="certificate verify failed"):
        read(connect(ca=another_ca(tmp_path)), SITES)
    with pytest.raises(WafFailed, match="certificate verify failed"):
        read(connect(ca="system"), SITES)
    assert not server.asked


def test_without_a_token_nothing_is_sent(connect, server, monkeypatch) -> None:
    for token in ("", "a b", "tök", "a\nb"):
        monkeypatch.setenv("SAFELINE_TOKEN", token)
        with pytest.raises(WafFailed, match="environment variable SAFELINE_TOKEN"):
            read(connect(), SITES)
    assert not server.asked
    monkeypatch.setenv("SAFELINE_TOKEN", "another")
    with pytest.raises(WafFailed, match="HTTP 401: is the API token right"):
        read(connect(), SITES)


@pytest.mark.parametrize("url", ["http://waf:9443", "https://waf/path", "https://user@waf", "waf", ""])
def test_an_instance_is_reached_over_tls_alone(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        SafeLineInstance(url=url, token_env="T", ca="system")


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.NONE])
@pytest.mark.parametrize("writes_only", [True, False])
def test_no_change_that_failed_is_told_as_done(connect, server, fault, writes_only) -> None:
    server.fault, server.faulty = fault, "writes" if writes_only else "all"
    waf = connect(timeout_s=LATE_S if fault in LATE else 20)
    assert tool_manage_ip_blacklist(waf, GATES, address="203.0.113.7").startswith("❌ Change failed: ")
    if fault not in LATE:  # each costs its time
        reply = tool_set_protection_mode(waf, GATES, mode="detect", site_ids=[1])
        assert reply.startswith("❌ Change failed: ")


class Deaf(RehearsalWaf):
    """Does what it is asked, and its answer is lost."""

    def send(self, method, path, body=None):
        answer = super().send(method, path, body)
        if method != "GET":
            raise WafFailed("no whole answer within 1 s")
        return answer


def test_a_write_whose_answer_was_lost_says_what_it_left_behind() -> None:
    reply = tool_set_protection_mode(Deaf(), GATES, mode="detect", site_ids=[1])
    assert reply.startswith("❌ Change failed: no whole answer")
    assert "changed all the same: site 1 shop.example: defence → dry-run" in reply


def test_a_group_is_appended_to_never_replaced_and_keeps_its_source(connect, server) -> None:
    server.waf.groups = [
        {"id": 7, "comment": "refute-blacklist", "reference": "https://list.example", "ips": ["192.0.2.1"]},
        {"id": 8, "comment": "theirs", "reference": "", "ips": ["192.0.2.9"]},
    ]
    waf = connect()
    assert tool_manage_ip_blacklist(waf, GATES, address="203.0.113.7").startswith("✅")
    assert [(method, path) for method, path, _ in server.waf.writes] == [
        ("POST", f"{GROUPS}/append"),
        ("POST", "/api/open/policy"),
    ]
    assert tool_manage_ip_blacklist(waf, GATES, address="192.0.2.1", listed=False).startswith("✅")
    mine, theirs = server.waf.groups
    assert (mine["ips"], mine["reference"], theirs["ips"]) == (["203.0.113.7"], "https://list.example", ["192.0.2.9"])


def test_a_policy_that_is_off_is_switched_on(connect, server) -> None:
    waf = connect()
    tool_manage_ip_blacklist(waf, GATES, address="203.0.113.7")
    server.waf.policies[0]["is_enabled"] = False
    assert tool_manage_ip_blacklist(waf, GATES, address="203.0.113.8").startswith("✅")
    assert server.waf.blocks("203.0.113.8", site_id=1)


def test_a_blacklist_without_a_site_in_defence_mode_is_no_success(connect, server) -> None:
    for site in server.waf.sites:
        site["mode"] = 2
    reply = tool_manage_ip_blacklist(connect(), GATES, address="203.0.113.7")
    assert reply.startswith("❌ Change failed: ")
    assert "no site is in defence mode" in reply


@pytest.mark.parametrize("address", ["", "999.1.1.1", None])
def test_an_invalid_address_calls_nothing(connect, server, address) -> None:
    reply = tool_manage_ip_blacklist(connect(), GATES, address=address)
    assert reply.startswith("❌ Change failed: validation: invalid ip")
    assert not server.waf.writes


@pytest.mark.parametrize("mode", ["", "default", "disable", "defence", "block; off", None])
def test_an_invalid_mode_calls_nothing(connect, server, mode) -> None:
    reply = tool_set_protection_mode(connect(), GATES, mode=mode, site_ids=[1])
    assert reply.startswith("❌ Change failed: validation: mode")
    assert not server.waf.writes


@pytest.mark.parametrize(("mode", "number"), [("block", 0), ("off", 1), ("detect", 2), (" DETECT ", 2)])
def test_a_mode_is_what_the_api_calls_it(connect, server, mode, number) -> None:
    assert tool_set_protection_mode(connect(), GATES, mode=mode, site_ids=[2]).startswith("✅ Executed")
    assert server.waf.writes[-1][2] == {"ids": [2], "mode": number}
    assert [site["mode"] for site in server.waf.sites] == [0, number]
