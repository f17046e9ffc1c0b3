"""Requests to models under way at once, on a real Prefect server: never more than its limit, and none without one."""

import threading
import uuid
from collections.abc import Callable, Iterator

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

from flows.containers import BatchStopped, Containers
from flows.orchestrator import model_limit
from flows.orchestrator.server import server_lease, still_answers
from flows.orchestrator.session import on_running_server
from refute.errors import OrchestratorUnavailable
from refute.settings import Settings

pytestmark = pytest.mark.prefect


@pytest.fixture
def own_limit(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], bool]]:
    """Makes the limit, under a name that no other test uses."""
    monkeypatch.setattr(model_limit, "LIMIT", f"test-{uuid.uuid4().hex}")
    with server_lease(settings, say=print) as api_url:
        monkeypatch.setenv("PREFECT_API_URL", api_url)
        with on_running_server(settings), get_client(sync_client=True) as client:
            yield lambda most: model_limit.ensure_model_limit(client, most)


def in_threads(work: Callable[[], None], count: int) -> None:
    import contextvars

    threads = [threading.Thread(target=contextvars.copy_context().run, args=(work,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=600)


def test_no_more_requests_are_under_way_than_the_limit_allows(own_limit: Callable[[int], bool]) -> None:
    assert own_limit(2)
    under_way, most, done = [0], [0], []
    lock, both = threading.Lock(), threading.Barrier(2)

    def ask() -> None:
        with model_limit.model_turn():
            with lock:
                under_way[0] += 1
                most[0] = max(most[0], under_way[0])
            both.wait(timeout=300)  # two of them are there at once, so that the limit is used as well as kept
            with lock:
                under_way[0] -= 1
                done.append(1)

    in_threads(ask, 4)
    assert (most, len(done)) == ([2], 4)


def test_a_limit_that_a_person_has_changed_is_kept(own_limit: Callable[[int], bool]) -> None:
    assert own_limit(2)
    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(model_limit.LIMIT, GlobalConcurrencyLimitUpdate(limit=5))
        assert not own_limit(2)
        assert client.read_global_concurrency_limit_by_name(model_limit.LIMIT).limit == 5


def test_a_server_without_the_limit_is_an_error_that_says_how_to_make_it(own_limit: Callable[[int], bool]) -> None:
    asked = []
    with pytest.raises(OrchestratorUnavailable, match="no turn to ask a model") as raised, model_limit.model_turn():
        asked.append(1)
    assert asked == []
    assert "deployments/apply.py" in raised.value.hint


def test_whoever_waits_for_a_turn_goes_when_the_batch_is_ended(own_limit: Callable[[int], bool]) -> None:
    own_limit(1)
    containers = Containers(1)
    assert still_answers()
    with model_limit.model_turn():
        containers.stop()
        with pytest.raises(BatchStopped), model_limit.model_turn(containers.check):
            pass
