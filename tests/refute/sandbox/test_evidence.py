from typing import Any

import pytest

from refute.sandbox.cgroups import Counters
from refute.sandbox.evidence import Facts, full_mounts, judge, memory_in_words
from refute.sandbox.job import Exited, Limit, LimitReached, Limits
from refute.sandbox.readback import WorkspaceState

LIMITS = Limits(timeout_s=1, file_bytes=256 * 1024**2)


def workspace(**more: Any) -> WorkspaceState:
    return WorkspaceState(**{"changed": (), "used_bytes": 0, "largest_file_bytes": 0, "complete": True, **more})


def facts(exit_code: int, **more: Any) -> Facts:
    defaults = {"out_of_memory": False, "counters": Counters(), "full": None, "workspace": workspace()}
    return Facts(exit_code=exit_code, limits=LIMITS, **{**defaults, **more})


@pytest.mark.parametrize(
    "evidence",
    [
        {"out_of_memory": True},
        {"counters": Counters(out_of_memory_kills=2, forks_refused=3, processes=1)},
        {"full": ("all space of /tmp",)},
        {"workspace": workspace(largest_file_bytes=LIMITS.file_bytes)},
    ],
)
def test_a_limit_that_was_hit_by_a_command_that_succeeded_is_not_named(evidence: dict[str, Any]) -> None:
    assert judge(facts(0, **evidence)) == Exited(code=0)


@pytest.mark.parametrize(
    ("evidence", "limit", "detail"),
    [
        ({"counters": Counters(out_of_memory_kills=1)}, Limit.MEMORY, "2.0 GiB of memory"),
        ({"counters": Counters(forks_refused=1)}, Limit.PIDS, "256 processes and threads"),
        ({"counters": Counters(processes=256)}, Limit.PIDS, "256 processes and threads"),
        ({"full": ("all space of /tmp",)}, Limit.DISK, "all space of /tmp"),
        ({"workspace": workspace(largest_file_bytes=256 * 1024**2)}, Limit.DISK, "256 MiB in one file"),
        ({"workspace": workspace(used_bytes=512 * 1024**2)}, Limit.DISK, "512 MiB in the workspace"),
    ],
)
def test_a_failure_is_explained_by_the_limit_that_was_hit(evidence: dict[str, Any], limit: Limit, detail: str) -> None:
    assert judge(facts(1, **evidence)) == LimitReached(limit=limit, detail=detail, exit_code=1)


@pytest.mark.parametrize("refused", [9, None])
def test_a_bomb_that_goes_on_after_its_shell_succeeded_is_named(refused: int | None) -> None:
    end = judge(facts(0, counters=Counters(forks_refused=refused, processes=250)))
    assert end == LimitReached(limit=Limit.PIDS, detail="256 processes and threads", exit_code=0)


def test_whether_a_mount_is_full_is_unknown_where_it_cannot_be_seen() -> None:
    assert full_mounts(0, ("/workspace",)) is None


def test_sizes_of_files_say_nothing_where_the_file_systems_themselves_were_asked() -> None:
    linked_twice = workspace(used_bytes=600 * 1024**2)
    assert judge(facts(1, workspace=linked_twice, full=())) == Exited(code=1)


def test_memory_is_put_in_words() -> None:
    assert [memory_in_words(size << 20) for size in (2048, 256)] == ["2.0 GiB of memory", "256 MiB of memory"]
