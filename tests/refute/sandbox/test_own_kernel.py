"""What is otherwise with a container under gVisor, which has a kernel of its own: its removal, and what is counted."""

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import pytest
from docker.errors import APIError, NotFound

from refute.sandbox.attempt import NOTHING_SEEN, Attempt
from refute.sandbox.job import Exited
from refute.sandbox.ready_container import ReadyContainer
from refute.sandbox.removal import Removal
from tests.fakes.jobs import bash_job


class Engine:
    """Writes down what it is asked for; has nothing left after the first removal."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def unpause(self, _: str) -> None:
        self.asked.append("thaw")
        raise APIError("it is not paused")

    def remove_container(self, name: str, **_: Any) -> None:
        self.asked.append(f"remove {name}")

    def remove_network(self, _: str) -> None: ...

    def inspect_container(self, _: str) -> None:
        raise NotFound("gone")

    def stats(self, *_: Any, **__: Any) -> dict[str, Any]:
        self.asked.append("count")
        return {"pids_stats": {"current": 10_000}}

    def close(self) -> None: ...


def ready(engine: Any, *, pid: int) -> ReadyContainer:
    return ReadyContainer(client=engine, name="c", container="c", pid=pid, signals=SimpleQueue(), usable_until=0.0)


@pytest.mark.parametrize(("pid", "first"), [(0, "thaw"), (4_000_000, "remove c")])
def test_it_is_thawed_before_it_is_removed_and_another_is_not(pid: int, first: str) -> None:
    engine: Any = Engine()
    with ThreadPoolExecutor(1) as executor:
        Removal(executor, lambda: engine).of(ready(engine, pid=pid))
    assert engine.asked[0] == first
    assert "remove c" in engine.asked


def test_the_engine_s_count_of_its_processes_decides_nothing() -> None:
    engine: Any = Engine()
    attempt = Attempt(ready(engine, pid=0), bash_job("true"))
    end = attempt._judge(0, NOTHING_SEEN, out_of_memory=False)
    assert end == Exited(code=0)
    assert engine.asked == []
