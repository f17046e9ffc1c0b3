"""The OpenAI chat protocol against a local server: what is sent, what comes back, and all that can go wrong."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr

from refute.errors import ModelUnavailable, SettingsInvalid
from refute.guardrails.audit import AuditLog
from refute.ledger.store import Ledger
from refute.llm.model import DataClass, Ending, Prompt, Tier
from refute.llm.openai_chat import OpenAIChat, OpenAISettings
from refute.llm.request import RequestFailed
from refute.research.connect import connect_reader
from refute.research.settings import ReaderName, ResearchSettings
from refute.settings import Settings
from tests.fakes.openai_server import KEY, OpenAIServer, Said, openai_server

PROMPT = Prompt(
    name="research-read-1",
    system="You read.",
    text="BEGIN \0marker\0",
    answer_schema={"type": "object", "properties": {"summary": {"type": "string"}}},
    data_class=DataClass.WEB,
    max_output_tokens=500,
    sample=3,
)


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    running.asked.clear()
    running.respond = lambda _: Said('{"summary": "x"}')
    return running


@pytest.fixture
def chat(server: OpenAIServer) -> OpenAIChat:
    return OpenAIChat(OpenAISettings(model="small", api_key=SecretStr(KEY), base_url=server.url, timeout_s=5))


def test_a_prompt_is_sent_sealed_and_its_answer_read(server, chat):
    reply = chat.send(PROMPT)
    asked = server.asked[0]
    assert (asked["model"], asked["max_completion_tokens"], asked["seed"]) == ("small", 500, 3)
    assert [one["role"] for one in asked["messages"]] == ["system", "user"]
    assert json.dumps(PROMPT.answer_schema) in asked["messages"][0]["content"]
    assert "\0" not in asked["messages"][1]["content"]
    assert (reply.text, reply.ending, reply.model) == ('{"summary": "x"}', Ending.COMPLETE, "small-2026")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 20)
    assert reply.local_server == server.url
    assert chat.model_of(replace(PROMPT, tier=Tier.PRO)) == "small"


@pytest.mark.parametrize(
    ("said", "ending"),
    [
        (Said("{", finish="length"), Ending.TRUNCATED),
        (Said("", finish="content_filter"), Ending.BLOCKED),
        (Said("  "), Ending.EMPTY),
        (Said("y" * 1_000_000), Ending.COMPLETE),
    ],
)
def test_an_ending_is_told(server, chat, said, ending):
    server.respond = lambda _: said
    assert chat.send(PROMPT).ending is ending


@pytest.mark.parametrize(
    ("said", "billed", "retry"),
    [
        (Said(status=429), False, True),
        (Said(status=404), False, False),
        (Said(body=b"no json"), True, True),
        (Said(usage=False), True, True),
    ],
)
def test_what_brings_no_answer_is_told_with_what_it_may_have_cost(server, chat, said, billed, retry):
    server.respond = lambda _: said
    with pytest.raises(RequestFailed) as caught:
        chat.send(PROMPT)
    assert (caught.value.billed, caught.value.retry) == (billed, retry)


def test_nothing_but_public_pages_is_sent(server, chat):
    for data in (DataClass.CLAIMS, DataClass.CODE):
        with pytest.raises(ModelUnavailable, match="public pages alone"):
            chat.send(replace(PROMPT, data_class=data))
    assert server.asked == []


def test_nobody_listening_is_no_connection(server):
    away = OpenAIChat(OpenAISettings(model="m", api_key=SecretStr(KEY), base_url="http://127.0.0.1:9/v1", timeout_s=5))
    with pytest.raises(RequestFailed, match="no connection") as caught:
        away.send(PROMPT)
    assert not caught.value.billed


def test_key_and_model_are_needed_and_the_key_is_never_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(SettingsInvalid, match="OPENAI_API_KEY"):
        OpenAISettings.read("m", allow_unpriced=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(SettingsInvalid, match=r"research\.openai_model"):
        OpenAISettings.read("", allow_unpriced=False)
    assert KEY not in repr(OpenAISettings.read("m", allow_unpriced=False))


def test_a_reader_of_the_settings_is_paid_and_audited(server, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.chdir(tmp_path)
    settings = Settings(
        state_dir=tmp_path / "state",
        allow_unpriced=True,
        research=ResearchSettings(model=ReaderName.OPENAI, openai_model="small"),
    )
    ledger = Ledger.open(settings)
    model = connect_reader(settings, "run", ledger=lambda: ledger, audit=AuditLog(tmp_path / "audit.jsonl"))
    first, second = model.generate(PROMPT), model.generate(PROMPT)
    ledger.close()
    assert first.cost_usd is None  # no price is known
    assert (second.from_cache, second.cost_usd) == (True, Decimal(0))
    assert len(server.asked) == 1
    assert '"gate":"model_call"' in (tmp_path / "audit.jsonl").read_text().replace(" ", "")
