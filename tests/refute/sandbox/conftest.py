"""The real engine, for tests marked `engine`."""

from collections.abc import Iterator

import pytest

from refute.sandbox.connection import EngineClient, connect


@pytest.fixture
def engine() -> Iterator[EngineClient]:
    """A connection to look at the engine from outside."""
    client = connect()
    yield client
    client.close()
