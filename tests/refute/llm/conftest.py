"""A local Gemini, and a client that talks to it over HTTP."""

import copy
from collections.abc import Callable, Iterator

import pytest
from google.oauth2 import service_account

from refute.llm.enterprise import GeminiSettings
from refute.llm.gemini import SCOPE, Gemini
from refute.llm.model import Prompt
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import Answer

MakePrompt = Callable[..., Prompt]
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


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


@pytest.fixture
def make_prompt() -> MakePrompt:
    """Makes prompts that differ in what is given."""

    def make(**fields: object) -> Prompt:
        given = {"name": "claims-first/1", "system": "Break the claims.", "text": "C1: it works.", **fields}
        return Prompt(answer_schema=SCHEMA, **given)  # type: ignore[arg-type]

    return make
