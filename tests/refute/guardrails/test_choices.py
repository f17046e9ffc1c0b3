"""Routes, arguments and results: exact words, normal forms, and no success that a tool did not report (S320, S340).

What `refute/evaluation/gates.toml` tries is not tried here again.
"""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refute import guardrails
from refute.guardrails import (
    normalize_mode,
    parse_supervisor_route,
    parse_tool_result,
    sanitize_comment,
    validate_ip_or_cidr,
)
from refute.guardrails.results import change_reply
from refute.guardrails.routes import ROUTES

GARBAGE = [None, "", "   ", "\0", 7, 1.5, True, b"monitor", [], {}, object()]


@pytest.mark.parametrize("route", ROUTES)
def test_an_exact_route_is_taken_in_any_case_and_spacing(route: str) -> None:
    assert parse_supervisor_route(route) == route
    assert parse_supervisor_route(f" \t{route.upper()}\r\n") == route


NO_ROUTE = ["monitor\nconfig_manager", "ｍonitor", "moni\u200btor", "mоnitor", *GARBAGE]
NO_ADDRESS = ["192.168.1.7/33", "192.168.01.7", "192.168.1.7\n10.0.0.1", "3232235783", 3232235783, *GARBAGE]


@pytest.mark.parametrize(
    ("read", "raw", "nothing"),
    [
        *((parse_supervisor_route, raw, "direct") for raw in NO_ROUTE),
        *((validate_ip_or_cidr, raw, None) for raw in NO_ADDRESS),
        *((normalize_mode, raw, None) for raw in ["blocked", "ｂlock", *GARBAGE]),
    ],
)
def test_what_is_no_route_address_or_mode_is_taken_for_none(read, raw: object, nothing: str | None) -> None:
    assert read(raw) == nothing


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        (" 192.168.1.7\n", "192.168.1.7"),
        ("192.168.1.7/24", "192.168.1.0/24"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("0.0.0.0/0", "0.0.0.0/0"),
    ],
)
def test_an_address_or_network_gets_its_normal_form(raw: str, normal: str) -> None:
    assert validate_ip_or_cidr(raw) == normal


@pytest.mark.parametrize("mode", ["block", "detect", "default", "off", "disable"])
def test_a_known_mode_is_taken(mode: str) -> None:
    assert normalize_mode(f" {mode.upper()} ") == mode


def test_a_comment_is_one_short_line_of_visible_characters() -> None:
    assert sanitize_comment(" by\x00 Alice\r\n\x1b[31m\u202eof\u200b ops ") == "by Alice  [31mof ops"
    assert len(sanitize_comment("a" * 200)) == 128
    assert len(sanitize_comment("\x07" * 200 + "a" * 200)) == 128
    assert sanitize_comment("naïve 🚀") == "naïve 🚀"


@pytest.mark.parametrize(
    "raw",
    [
        '{"status": "ok"}',
        '{"status": "OK", "error": null}',
        '{"status": "success", "data": []}',
        '{"status": 200}',
        '{"data": {"id": 1}}',
        '{"ok": true, "error": ""}',
        b'{"status": "ok"}',
        {"status": "ok"},
    ],
)
def test_a_result_without_error_whose_status_is_good_is_success(raw: str) -> None:
    assert parse_tool_result(raw) == (True, "")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"error": "api timeout"}', "api timeout"),
        ('{"status": "ok", "error": "not applied"}', "not applied"),
        ('{"data": {}, "err": "denied", "msg": "ok"}', "denied"),
        ('{"error": {"code": 7}}', '{"code": 7}'),
        ('{"status": "accepted"}', "unexpected status: accepted"),
        ('{"status": null}', "unexpected status: null"),
        ('{"status_code": 502, "data": 1}', "unexpected status_code: 502"),
        ('{"ok": false}', "unexpected ok: false"),
        ('{"success": "true"}', "unexpected success: true"),
        ('{"error": "failed", "error": null}', "not valid JSON"),
        ("{}", "no answer"),
        ("", "no answer"),
        (None, "no answer"),
        ("ok", "not valid JSON"),
        ('{"status": "ok"', "not valid JSON"),
        (b"\xff\xfe{}", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('"ok"', "not a JSON object"),
        ('[{"status": "ok"}]', "not a JSON object"),
        ('{"status": "ok", "x": "' + "a" * 1_000_000 + '"}', "characters, expected at most"),
    ],
)
def test_everything_else_is_a_failure_with_its_reason(raw: str, why: str) -> None:
    ok, message = parse_tool_result(raw)
    assert not ok
    assert why in message


def test_the_reason_of_a_failure_is_short_and_holds_no_secret_and_no_control_character() -> None:
    _, message = parse_tool_result(json.dumps({"error": "\x1b[31mtoken=abc " + "x" * 5_000}))
    assert "\x1b" not in message
    assert "abc" not in message
    assert len(message) < 400


def test_a_change_is_only_said_to_be_done_after_it_was_read_back() -> None:
    assert change_reply('{"status": "ok"}', done="mode is block", took_effect=True) == "✅ Executed: mode is block"
    for raw, took_effect in (('{"status": "ok"}', False), ('{"error": "timeout"}', True), (None, True), ("", False)):
        assert change_reply(raw, done="mode is block", took_effect=took_effect).startswith("❌ Change failed: ")


VALUES = st.one_of(st.none(), st.integers(), st.text('ab{}":\n\0\u200b7./', max_size=20), st.binary(max_size=5))


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_no_function_raises_whatever_it_is_given(value: object) -> None:
    for name in guardrails.__all__:
        if name != "build_pending_action":
            getattr(guardrails, name)(value)
    guardrails.build_pending_action(value)
