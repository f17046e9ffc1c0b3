"""What operators ask for is read from their own words; what is unclear is asked back."""

from dataclasses import replace

import pytest

from refute.assistant.changes import BLACKLIST_IP, SET_MODE, Wish, is_outage, read_wish
from refute.assistant.table import load
from refute.evaluation.waf import RehearsalWaf
from refute.tables import read_table
from tests.refute.assistant.conftest import Desk

NAMES = {1: "shop.example", 2: "api.example"}
TABLES = [("routes", "route"), ("routes", "log"), ("changes", "action"), ("changes", "mode")]


@pytest.mark.parametrize(("name", "kind"), TABLES)
def test_each_row_finds_its_example_and_not_the_harmless_one(name: str, kind: str) -> None:
    for row, told in zip(load(name, kind).rows, read_table("refute.assistant", name)[kind], strict=True):
        assert row.words.search(told["matches"].lower()), told
        assert not row.words.search(told["harmless"].lower()), told


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("block 203.0.113.7", Wish(action=BLACKLIST_IP, address="203.0.113.7")),
        ("Ban 2001:db8::/32, please!", Wish(action=BLACKLIST_IP, address="2001:db8::/32")),
        (
            "put 192.0.2.0/24 on the blacklist because of scans from 192.0.2.9",
            Wish(action=BLACKLIST_IP, address="192.0.2.0/24", comment="scans from 192.0.2.9"),
        ),
        ("set the protection mode to block", Wish(action=SET_MODE, mode="block")),
        ("take site 2 offline", Wish(action=SET_MODE, mode="off", sites=("2",))),
        ("set the mode to default", Wish(action=SET_MODE, mode="default")),
    ],
)
def test_a_change_is_read(text: str, wish: Wish) -> None:
    assert read_wish(text, NAMES) == wish


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("block 192.0.2.1 and 192.0.2.2", "One address or network at a time"),
        ("block that attacker", "invalid ip"),
        ("do not block 192.0.2.1", "I can set the protection mode"),
        ("", "I can set the protection mode"),
    ],
)
def test_what_is_unclear_is_asked_back(text: str, told: str) -> None:
    assert told in str(read_wish(text, NAMES))


def test_large_networks_are_an_outage() -> None:
    for address, outage in (("0.0.0.0/0", True), ("10.0.0.0/8", False), ("::/0", True), ("192.0.2.1", False)):
        assert is_outage({"action": BLACKLIST_IP, "address": address}) is outage


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("set site 9 to detect", "validation: unknown site 9"),
        ("block 999.1.1.1", "validation: invalid ip"),
        ("set blog.example to detect", "validation: unknown site blog.example; sites: 1 shop.example"),
        ("set the mode to default", "validation: mode"),
        ("disable the waf", "validation: mode"),
        ("set the mode to block", "Nothing to change"),
        ("unblock 203.0.113.7", "Nothing to change"),
    ],
)
def test_what_cannot_be_done_asks_for_no_confirmation(desk: Desk, text: str, told: str) -> None:
    answer = desk.say(text)
    assert answer.text.startswith(told)
    assert answer.challenge is None
    assert not desk.waf.writes


def test_a_blacklist_is_refused_where_it_would_block_nobody(desk: Desk) -> None:
    for site in desk.waf.sites:
        site["mode"] = 2
    answer = desk.say("block 203.0.113.7")
    assert "would block nobody" in answer.text
    assert answer.challenge is None


def test_of_several_wafs_the_change_names_one(desk: Desk) -> None:
    wafs = {"prod": desk.waf, "block-east": RehearsalWaf("block-east")}
    both = replace(desk.assistant, sources=replace(desk.assistant.sources, wafs=wafs))
    assert both.turn("ann/", "set the mode to detect").text == "Which WAF? Name one of: prod, block-east."
    shown = both.turn("ann/", "set the mode to detect on block-east").challenge
    assert "mode detect on site 1, 2 of block-east" in shown.text()
    assert both.turn("ann/", f"confirm {shown.nonce}").text.startswith("✅")
    assert (len(desk.waf.writes), len(wafs["block-east"].writes)) == (0, 1)
