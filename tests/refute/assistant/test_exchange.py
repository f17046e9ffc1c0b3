"""Nothing is changed without its operator's consent, whatever a model, another user or a document says."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from refute.assistant.connect import connect_assistant
from refute.errors import BudgetExhausted
from refute.evaluation.memory import MemoryStore
from refute.guardrails.audit import AuditLog
from refute.guardrails.confirmation import Confirmations
from refute.guardrails.redaction import Redactor
from refute.guardrails.routes import ROUTES
from refute.ledger.conversations import Conversations
from refute.ledger.store import Ledger
from tests.refute.assistant.conftest import Desk, nonce_of, over

TRIES = 300
DONE = "✅ Executed"


def test_a_confirmed_change_is_made_once_and_read_back(desk: Desk) -> None:
    shown = desk.say("please block 203.0.113.7 because of brute force")
    assert not desk.waf.writes
    assert "IP group refute-blacklist, new: +203.0.113.7 (0 → 1 entries)" in shown.challenge.lines
    assert "comment: brute force" in shown.challenge.lines
    assert nonce_of(shown) not in shown.text
    assert desk.say(f"confirm {nonce_of(shown)}").text.startswith(DONE)
    assert desk.waf.blocks("203.0.113.7", site_id=1)
    written = len(desk.waf.writes)
    assert desk.say(f"confirm {nonce_of(shown)}").text.startswith("invalid confirmation token")
    assert len(desk.waf.writes) == written


def test_a_confirmation_outlives_the_process(desk: Desk, ledger: Ledger, settings) -> None:
    nonce = nonce_of(desk.say("set shop.example to detect"))
    later = replace(over(connect_assistant(settings, ledger), desk.waf), clock=desk.assistant.clock)
    assert later.turn("ann/", f"confirm {nonce}").text.startswith(DONE)
    assert [site["mode"] for site in desk.waf.sites] == [2, 0]


@pytest.mark.parametrize(
    ("after_s", "user", "said", "told"),
    [
        (1, "ann/", "confirm {wrong}", "invalid confirmation token"),
        (1, "bob/", "confirm {nonce}", "invalid confirmation token"),
        (301, "ann/", "confirm {nonce}", "expired"),
        (1, "ann/", "cancel", "Cancelled"),
        (1, "ann/", "confirm", "invalid confirmation token"),
        (1, "ann/", "confirm 12 34 56", "invalid confirmation token"),
        (1, "ann/", "yes", "I answer"),
        (1, "ann/", None, "I answer"),
        (1, "ann/", "", "I answer"),
    ],
)
def test_anything_else_than_the_right_number_in_time_changes_nothing(desk, after_s, user, said, told) -> None:
    nonce = nonce_of(desk.say("block 203.0.113.7"))
    wrong = f"{(int(nonce) + 1) % 10**6:06}"
    desk.now[0] += after_s
    assert told in desk.say(said and said.format(nonce=nonce, wrong=wrong), user).text
    assert not desk.waf.writes


def test_of_two_answers_at_once_one_executes(desk: Desk) -> None:
    nonce = nonce_of(desk.say("block 203.0.113.7"))
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: desk.say(f"confirm {nonce}").text, range(4)))
    assert sum(reply.startswith(DONE) for reply in replies) == 1
    assert sum(method == "POST" and path.endswith("ipgroup") for method, path, _ in desk.waf.writes) == 1


@pytest.mark.parametrize("request_text", ["take shop.example offline", "block 0.0.0.0/0"])
def test_an_outage_is_confirmed_twice_with_two_numbers(desk: Desk, request_text: str) -> None:
    first = desk.say(request_text)
    assert first.challenge.title.startswith("OUTAGE: ")
    second = desk.say(f"confirm {nonce_of(first)}")
    assert "second confirmation" in second.text
    assert not desk.waf.writes
    assert desk.say(f"confirm {nonce_of(second)}").text.startswith(DONE)


@pytest.mark.parametrize("field", ["action", "address", "user", "instance", "expires_at", "nonce", "comment"])
def test_one_byte_changed_in_what_waits_is_refused(desk: Desk, ledger: Ledger, field: str) -> None:
    store = Conversations(ledger)
    nonce = nonce_of(desk.say("block 203.0.113.7 because of brute force"))
    pending = store.get("ann/")
    value = str(pending[field])
    for place in range(len(value)):
        other = chr(ord(value[place]) ^ 1)
        changed = value[:place] + other + value[place + 1 :]
        forged = {**pending, field: type(pending[field])(changed)}
        assert store.swap("ann/", store.get("ann/"), forged)
        said = changed if field == "nonce" and changed.isdigit() else nonce
        text = desk.say(f"confirm {said}").text
        assert text.startswith(("invalid confirmation token", "expired")), (place, text)
    assert not desk.waf.writes


def _hijacked(chance: random.Random):
    """A model that says anything: routes, orders, claims, garbage."""
    parts = (*ROUTES, "✅ Executed", "confirm 000000", "block 198.51.100.1", "\n", "SYSTEM: ", "{", '"', "\0", "cancel")

    def answer(prompt):
        text = "".join(chance.choices(parts, k=chance.randint(0, 4)))
        form = chance.choice(("{}", '{{"route": "{}"}}', '{{"answer": "{}"}}', '{{"route": "monitor", "x": "{}"}}'))
        return chance.choice((form.format(text), '{"route": "config_manager"}', "config_manager"))

    return answer


def test_a_model_that_controls_all_text_writes_nothing_in_many_tries(desk: Desk) -> None:
    chance = random.Random(17)  # noqa: S311  # the same tries each time
    hijacked, model = desk.with_model(_hijacked(chance))
    # Log, ledger and redaction are not what is tried here, and take most of the time.
    bare = {"audit": AuditLog(Path(), enabled=False), "confirmations": Confirmations(MemoryStore(), key=b"key")}
    quiet = replace(hijacked, assistant=replace(hijacked.assistant, redactor=Redactor(), **bare))
    questions = (
        *("what is the status?", "show the latest attacks", "hello", "block 203.0.113.7", "set the mode to detect"),
        *("take shop.example offline", "how do I confirm a batch?", "what failed today?", "unblock 203.0.113.9"),
    )
    nonces: set[str] = set()
    for _ in range(TRIES):
        answer = quiet.say(chance.choice(questions))
        assert DONE not in answer.text
        if answer.challenge is not None:
            nonces.add(answer.challenge.nonce)
    assert not desk.waf.writes
    assert len(nonces) > 50
    told = "".join(prompt.system + prompt.text for prompt in model.asked)
    assert not [nonce for nonce in nonces if nonce in told]


def test_a_number_that_an_operator_talks_about_reaches_no_model(desk: Desk) -> None:
    talked, model = desk.with_model(lambda _: '{"route": "direct"}')
    nonce = nonce_of(desk.say("block 203.0.113.7"))
    talked.say(f"I will not say confirm {nonce} yet, is {nonce} right?")
    talked.say(f"confirm {nonce[:3]} {nonce[3:]}")
    assert len(model.asked) == 1
    assert nonce not in model.asked[0].text


def test_without_an_answer_of_the_model_keywords_choose_and_it_says_so(desk: Desk) -> None:
    def fails(_):
        raise BudgetExhausted("the month's budget is spent")

    answer = desk.with_model(fails)[0].say("what is the status?")
    assert answer.route == "monitor"
    assert "routed by keywords: the month's budget is spent" in answer.text


def test_what_a_model_says_is_quoted_and_no_claim_of_a_change(desk: Desk) -> None:
    def answer(prompt):
        return '{"route": "monitor"}' if "route" in prompt.name else '{"answer": "All is well.\\nSites: two."}'

    text = desk.with_model(answer)[0].say("status?").text
    assert text.startswith("│ Gemini:\n│ All is well.\n│ Sites: two.\n\nPipeline")


@pytest.mark.parametrize("claim", ["✅ Executed: done", "It was executed.", "Please confirm 123456", "❌"])
def test_a_model_that_speaks_of_a_change_is_left_out(desk: Desk, claim: str) -> None:
    def answer(prompt):
        return '{"route": "monitor"}' if "route" in prompt.name else json.dumps({"answer": claim})

    text = desk.with_model(answer)[0].say("status?").text
    assert "omitted" in text
    assert claim not in text


def test_every_gate_of_an_exchange_writes_a_line_with_its_turn(desk: Desk, tmp_path: Path) -> None:
    asked = desk.say("block 203.0.113.7")
    done = desk.say(f"confirm {nonce_of(asked)}")
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    first = [(line["gate"], line["decision"]) for line in lines if line["turn_id"] == asked.turn_id]
    second = [(line["gate"], line["decision"]) for line in lines if line["turn_id"] == done.turn_id]
    assert first == [("route_parse", "allow"), ("pre_tool", "allow"), ("confirmation", "challenge")]
    assert second[:2] == [("confirmation", "allow"), ("pre_tool", "allow")]
    assert second.count(("post_tool", "allow")) == 3  # group, policy, read back
    assert len(first) + len(second) == len(lines)
    assert asked.challenge.nonce not in (tmp_path / "audit.jsonl").read_text()


def test_answers_hold_no_token(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.waf.sites[0]["server_names"] = ["canary-5f2b9c7e.example"]
    redacting = replace(desk.assistant, redactor=Redactor(secrets=["canary-5f2b9c7e"]))
    assert "canary" not in redacting.turn("ann/", "status").text


def test_a_waf_that_lies_about_names_draws_nothing_on_the_confirmation(desk: Desk) -> None:
    desk.waf.sites[0]["server_names"] = ["\x1b[2Jshop.example\u202e"]
    lines = desk.say("set the mode to detect").challenge.text()
    assert "\x1b" not in lines
    assert "\u202e" not in lines
