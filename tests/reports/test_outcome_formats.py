"""Every format of every kind of outcome: golden files, and hostile text that stays text."""

import json
import re
import unicodedata
from dataclasses import replace

import pytest
from defusedxml import ElementTree

from refute.outcome import ClaimVerdict, Outcome, Status
from reports.outcome_formats import FORMATS, render, render_table
from tests.fakes.outcomes import fake_use

REPRODUCERS = {"test_c2_limit": "/state/runs/3d5f0a77-0c53-4f0e-8f1e-8a2d6c1b2c02/reproduce_test_c2_limit.py"}
SUFFIX = {"table": "txt", "json": "json", "markdown": "md", "junit": "xml"}


@pytest.mark.parametrize("form", FORMATS)
def test_an_outcome_looks_as_agreed(named_outcome, form, golden):
    name, outcome = named_outcome
    golden(f"{name}.{SUFFIX[form]}", render(outcome, form, reproducers=REPRODUCERS))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("color", [False, True])
def test_nothing_of_a_hostile_ticket_acts_on_a_terminal(outcomes, form, color, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    text = render(outcomes["failed_adversarial"], form, color=color)
    own_styles = re.compile(r"\x1b\[[0-9;]*m")
    left = own_styles.sub("", text) if color and form == "table" else text
    acting = {char for char in left if unicodedata.category(char) in {"Cc", "Cf", "Cs"}} - {"\n", "\t"}
    assert acting == set()


def test_an_unknown_format_is_an_error(outcomes):
    with pytest.raises(ValueError, match="got 'pdf', expected one of table, json, markdown, junit"):
        render(outcomes["blocked"], "pdf")


def test_markdown_holds_no_html(outcomes):
    text = render(outcomes["failed_adversarial"], "markdown")
    outside_blocks = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "<" not in outside_blocks
    assert "# PASS" not in [line.strip() for line in outside_blocks.splitlines()]


def test_an_undecided_claim_is_an_error_in_junit(outcomes):
    weak = outcomes["pass_weak"]
    undecided = replace(weak.claims[0], verdict=ClaimVerdict.INCONCLUSIVE, reason="only flaky tests")
    outcome = replace(weak, status=Status.INCONCLUSIVE, claims=(undecided,))
    (case,) = ElementTree.fromstring(render(outcome, "junit")).iter("testcase")
    error = case.find("error")
    assert error.get("message") == "only flaky tests"


def test_a_claim_refuted_without_a_test_is_a_failure_with_its_reason_in_junit(outcomes):
    exposed = replace(
        outcomes["failed_adversarial"].claims[1], reason="verify.py:3 mocks what it integrates", decided_by=""
    )
    outcome = replace(outcomes["failed_adversarial"], claims=(exposed,), failures=())
    failure = ElementTree.fromstring(render(outcome, "junit")).find(".//failure")
    assert failure.get("message") == failure.text == "verify.py:3 mocks what it integrates"


def test_long_lists_are_cut_with_what_is_left_out(outcomes):
    failed, scan = outcomes["failed_adversarial"], outcomes["blocked"].scan
    caveats, scan = tuple(f"caveat {number}" for number in range(40)), replace(scan, findings=scan.findings * 40)
    many = replace(failed, failures=failed.failures * 12, caveats=caveats, scan=scan)
    markdown, table = render(many, "markdown"), render(many, "table")
    assert "2 more refutations in the outcome's JSON" in markdown
    assert "and 10 more" in markdown
    assert "and 28 more findings" in table
    assert "and 28 more\n" in table


def test_a_failure_without_message_input_and_traceback_can_be_shown(outcomes):
    failed = outcomes["failed_adversarial"]
    bare = replace(failed.failures[0], error_message="", smallest_input="", traceback="")
    outcome = replace(failed, failures=(bare,), tests=(), scan=None)
    for form in FORMATS:
        assert "AssertionError" in render(outcome, form)


def wide(outcome: Outcome, form: str) -> str:
    """Without line breaks of the terminal's."""
    return render_table(outcome, width=300) if form == "table" else render(outcome, form)


@pytest.mark.parametrize("form", FORMATS)
def test_models_their_tokens_and_a_server_that_stood_for_them_are_in_every_format(outcomes, form):
    tokens = {"input_tokens": 1_565, "output_tokens": 40, "thinking_tokens": 700}
    server = "http://127.0.0.1:8080"
    use = fake_use(model="gemini-3.8\x1b[2J", calls=2, cached_answers=1, **tokens, local_server=server)
    one = outcomes["pass_weak"]
    ran = replace(one.provenance, local_servers=(use.local_server,))
    text = wide(replace(one, models=(use,), provenance=ran), form)
    if form == "json":
        document = json.loads(text)
        assert document["provenance"]["local_servers"] == [document["models"][0]["local_server"]]
        assert document["models"][0]["thinking_tokens"] == 700
        return
    plain = text.replace("\\", "").replace("&#58;", ":")
    assert "(local server http://127.0.0.1:8080): 2 calls, 1,565 tokens in, 740 out, 1 cached answer" in plain
    assert re.search(r"(models answered by|local_model_servers\" value=\")\s*http://127.0.0.1:8080", plain)
    assert "\x1b" not in text
