"""A local Gemini, and a client that talks to it over HTTP."""

import copy
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from google.oauth2 import service_account

from refute.ledger.store import Ledger
from refute.llm.enterprise import GeminiSettings
from refute.llm.gemini import SCOPE, Gemini
from refute.llm.model import Completion, Ending, Prompt, Reply, Usage
from refute.settings import Settings
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import Answer

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


class CountingModel:
    """Gives one answer, and counts how often; or fails."""

    def __init__(
        self, text: str = '{"x": 1}', ending: Ending = Ending.COMPLETE, error: Exception | None = None
    ) -> None:
        self.asked = 0
        self._reply = Reply(ending=ending, text=text, detail="STOP", usage=Usage(input_tokens=5), model="gemini-x")
        self._error = error

    def generate(self, prompt: Prompt) -> Completion:
        """Answer at a cent."""
        self.asked += 1
        if self._error is not None:
            raise self._error
        return Completion(reply=self._reply, cost_usd=Decimal("0.01"), latency_s=1.0)


@pytest.fixture
def server() -> Iterator[GeminiServer]:
    """Answers `{"x": 1}` until told otherwise."""
    with GeminiServer(lambda _: Answer(text='{"x": 1}')) as running:
        yield running


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> service_account.Credentials:
    """A service account, its key read once; its token endpoint is set by `gemini`."""
    with GeminiServer(lambda _: Answer()) as issuer:
        path = issuer.write_credentials(tmp_path_factory.mktemp("account"))
    read: service_account.Credentials = service_account.Credentials.from_service_account_file(str(path), scopes=[SCOPE])
    return read


@pytest.fixture
def settings(server: GeminiServer) -> GeminiSettings:
    """Settings that lead to the local server."""
    return GeminiSettings(
        enterprise=True,
        data_retention="none",
        project=server.project,
        location="europe-west4",
        base_url=server.url,
        timeout_s=10,
    )


@pytest.fixture
def gemini(settings: GeminiSettings, account: service_account.Credentials, server: GeminiServer) -> Gemini:
    """The real client."""
    credentials = copy.copy(account)
    credentials._token_uri = f"{server.url}/token"
    return Gemini(settings, credentials=credentials)


def make_prompt(**fields: object) -> Prompt:
    """A prompt that differs in what is given."""
    given = {"name": "claims-first/1", "system": "Break the claims.", "text": "C1: it works.", **fields}
    return Prompt(answer_schema=SCHEMA, **given)  # type: ignore[arg-type]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    with closing(Ledger.open(Settings(state_dir=tmp_path))) as opened:
        yield opened
