"""The host of the hostile suite. `REFUTE_RUNTIME` chooses the runtime that it is run on."""

from collections.abc import Iterator

import pytest

from tests.hostile.host import Host


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The host with its canaries laid out."""
    with Host(tmp_path_factory.mktemp("host")) as made:
        yield made
