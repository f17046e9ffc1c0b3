"""The work queue of runs that may wait for a person."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import httpx
from prefect.exceptions import ObjectNotFound

from flows.orchestrator.attended import QUEUE, ensure_attended_queue


@dataclass
class FakeServer:
    """Knows work queues and nothing else."""

    limits: dict[str, int] = field(default_factory=dict)

    def read_work_queue_by_name(self, name: str, work_pool_name: str) -> SimpleNamespace:
        if name not in self.limits:
            raise ObjectNotFound(http_exc=httpx.HTTPError("404"))
        return SimpleNamespace(name=name, pool=work_pool_name)

    def create_work_queue(self, name: str, *, description: str, concurrency_limit: int, work_pool_name: str) -> None:
        assert description
        assert work_pool_name == "pool"
        self.limits[name] = concurrency_limit


def test_the_queue_is_made_once_and_keeps_the_limit_that_a_person_gave_it() -> None:
    server = FakeServer()
    assert ensure_attended_queue(server, "pool", 4)  # type: ignore[arg-type]
    assert server.limits == {QUEUE: 4}
    server.limits[QUEUE] = 9
    assert not ensure_attended_queue(server, "pool", 4)  # type: ignore[arg-type]
    assert server.limits == {QUEUE: 9}
