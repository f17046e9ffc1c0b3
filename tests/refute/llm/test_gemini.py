"""One request to Gemini's enterprise endpoint, with the real client over real HTTP."""

import itertools
import json
from pathlib import Path

import pytest

from refute.errors import ModelUnavailable
from refute.llm.enterprise import GeminiSettings
from refute.llm.gemini import Gemini, endpoint
from refute.llm.model import Ending, Tier
from refute.llm.request import RequestFailed
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import Answer
from tests.refute.llm.conftest import SCHEMA, make_prompt


def test_a_prompt_is_sent_whole_and_nothing_else_is(gemini: Gemini, server: GeminiServer) -> None:
    reply = gemini.send(make_prompt(sample=3))
    assert json.loads(reply.text) == {"x": 1}
    (asked,) = server.asked
    assert asked.body == {
        "contents": [{"parts": [{"text": "C1: it works."}], "role": "user"}],
        "systemInstruction": {"parts": [{"text": "Break the claims."}], "role": "user"},
        "generationConfig": {
            "maxOutputTokens": 16_384,
            "candidateCount": 1,
            "seed": 3,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


@pytest.mark.filterwarnings("ignore:A_REASON_OF_NEXT_YEAR")
@pytest.mark.parametrize(
    ("answer", "ending", "detail"),
    [
        (Answer(text='{"x"', finish="MAX_TOKENS"), Ending.TRUNCATED, "MAX_TOKENS"),
        (Answer(text=None, finish="SAFETY"), Ending.BLOCKED, "SAFETY"),
        (Answer(text="", finish="A_REASON_OF_NEXT_YEAR"), Ending.BLOCKED, "A_REASON_OF_NEXT_YEAR"),
        (Answer(prompt_blocked="PROHIBITED_CONTENT"), Ending.BLOCKED, "PROHIBITED_CONTENT"),
        (Answer(text=""), Ending.EMPTY, "STOP"),
    ],
)
def test_s160_an_answer_without_an_answer_says_why(
    gemini: Gemini, server: GeminiServer, answer: Answer, ending: Ending, detail: str
) -> None:
    server.respond = lambda _: answer
    reply = gemini.send(make_prompt())
    assert (reply.ending, reply.detail) == (ending, detail)
    assert reply.usage.input_tokens > 0


@pytest.mark.parametrize(
    ("answer", "billed", "retry"),
    [
        (Answer(status=429), False, True),
        (Answer(status=500), False, True),
        (Answer(status=400), False, False),
        (Answer(text="{}" * 500, cut=True), True, True),
        (Answer(raw=b"<html>not JSON</html>"), True, True),
        (Answer(raw=b'{"candidates": "all of them"}'), True, True),
        (Answer(text="{}", without_usage=True), True, True),
        (Answer(raw=b"5"), True, True),
        (Answer(text="{}", output_tokens=10**20), True, True),
    ],
)
def test_a_request_without_a_reply_says_whether_it_may_cost_and_be_tried_again(
    gemini: Gemini, server: GeminiServer, answer: Answer, *, billed: bool, retry: bool
) -> None:
    server.respond = lambda _: answer
    with pytest.raises(RequestFailed) as caught:
        gemini.send(make_prompt())
    assert (caught.value.billed, caught.value.retry) == (billed, retry)
    assert len(server.asked) == 1


def test_a_slow_answer_may_have_been_billed(settings: GeminiSettings, gemini: Gemini, server: GeminiServer) -> None:
    gemini.send(make_prompt())  # what is imported only then takes longer than the limit
    server.respond = lambda _: Answer(text="{}", delay_s=3)
    hurried = Gemini(settings.model_copy(update={"timeout_s": 0.5}), credentials=gemini.credentials)
    with pytest.raises(RequestFailed) as caught:
        hurried.send(make_prompt())
    assert caught.value.billed
    assert caught.value.retry


@pytest.mark.parametrize("answer", [Answer(drip_s=0.02), Answer(drip_s=0.02, drip_headers=True)])
def test_an_answer_that_never_stops_trickling_in_is_lost(
    settings: GeminiSettings,
    gemini: Gemini,
    server: GeminiServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
) -> None:
    moments = itertools.count(step=10)  # every look at the clock is ten seconds later: a few reads are over the limit
    monkeypatch.setattr("refute.deadline.monotonic", lambda: next(moments))
    server.respond = lambda _: answer
    limited = Gemini(settings.model_copy(update={"timeout_s": 60}), credentials=gemini.credentials)
    with pytest.raises(RequestFailed, match="no whole answer in time") as caught:
        limited.send(make_prompt())
    assert (caught.value.billed, caught.value.retry) == (True, True)


def test_a_redirect_is_not_followed(gemini: Gemini, server: GeminiServer) -> None:
    with GeminiServer(lambda _: Answer(text="{}")) as elsewhere:
        server.respond = lambda _: Answer(status=307, headers={"location": f"{elsewhere.url}/steal"})
        with pytest.raises(RequestFailed) as caught:
            gemini.send(make_prompt())
        assert elsewhere.asked == []
    assert not caught.value.retry


def test_a_server_that_is_not_there_was_sent_nothing(
    settings: GeminiSettings, gemini: Gemini, server: GeminiServer
) -> None:
    gemini.count_tokens("x", Tier.FLASH)  # has a token
    nowhere = settings.model_copy(update={"base_url": "http://127.0.0.1:9"})
    with pytest.raises(RequestFailed) as caught:
        Gemini(nowhere, credentials=gemini.credentials).send(make_prompt())
    assert (caught.value.billed, caught.value.retry) == (False, True)


def test_proxies_of_the_environment_do_not_see_the_local_server(
    monkeypatch: pytest.MonkeyPatch, gemini: Gemini
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    gemini.credentials.token = None
    gemini.credentials.refresh = lambda _: setattr(gemini.credentials, "token", "none")  # type: ignore[method-assign]
    with pytest.raises(RequestFailed, match="401"):
        gemini.send(make_prompt())


def test_an_api_key_in_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch, gemini: Gemini, server: GeminiServer
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza" + "x" * 35)
    gemini.send(make_prompt())  # the server refuses requests with a key
    assert len(server.asked) == 1


def test_without_credentials_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch, settings: GeminiSettings, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(ModelUnavailable, match="no credentials"):
        Gemini(settings).send(make_prompt())


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("europe-west4", "https://europe-west4-aiplatform.googleapis.com"),
        ("global", "https://aiplatform.googleapis.com"),
    ],
)
def test_the_address_is_that_of_the_location(settings: GeminiSettings, location: str, address: str) -> None:
    assert endpoint(settings.model_copy(update={"base_url": None, "location": location})) == address
