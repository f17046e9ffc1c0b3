from pathlib import Path

import pytest

from refute.sandbox.cgroups import TCP_BYTES, TCP_LIMIT_FILE, Counters, limit_tcp_memory, read_counters

CONTAINER = "c" * 64
SCOPE = f"system.slice/docker-{CONTAINER}.scope"
TABLE_1 = "".join(f"{at}:{kind}:/docker/{CONTAINER}\n" for at, kind in enumerate(("pids", "memory", "name=systemd")))
VERSION_1 = {
    f"memory/docker/{CONTAINER}/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
    f"pids/docker/{CONTAINER}/pids.events": "max 7\n",
    f"pids/docker/{CONTAINER}/pids.current": "12\n",
}
VERSION_2 = {
    f"{SCOPE}/memory.events": "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n",
    f"{SCOPE}/pids.events": "max 0\n",
    f"{SCOPE}/pids.current": "2\n",
}


def processes(root: Path, table: str, files: dict[str, str]) -> None:
    """A machine on which process 7 is in these control groups."""
    (root / "proc/7").mkdir(parents=True)
    (root / "proc/7/cgroup").write_text(table)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("table", "files", "counters"),
    [
        (TABLE_1, VERSION_1, Counters(out_of_memory_kills=3, forks_refused=7, processes=12)),
        (f"0::/{SCOPE}\n", VERSION_2, Counters(out_of_memory_kills=1, forks_refused=0, processes=2)),
        ("0::/init.scope\n", {"init.scope/pids.current": "99\n"}, Counters()),  # of another machine
    ],
)
def test_counters_are_read_from_control_groups_of_either_version(tmp_path: Path, table, files, counters) -> None:
    processes(tmp_path, table, files)
    assert read_counters(7, CONTAINER, root=tmp_path) == counters


def machine(root: Path, group: str) -> Path:
    """One on which process 7 is in a control group of version 1."""
    processes(root, f"4:memory:/{group}\n", {f"memory/{group}/tasks": ""})
    return root / "sys/fs/cgroup/memory" / group / TCP_LIMIT_FILE


@pytest.mark.parametrize("group", [f"docker/{CONTAINER}", f"a/b/docker-{CONTAINER}.scope"])
def test_the_limit_is_written_wherever_the_engine_put_the_container(tmp_path: Path, group: str) -> None:
    limit = machine(tmp_path, group)
    limit.write_text("9223372036854771712\n")
    limit_tcp_memory(7, CONTAINER, root=tmp_path)
    assert int(limit.read_text().split()[0][: len(str(TCP_BYTES))]) == TCP_BYTES


def test_nothing_is_written_where_the_kernel_counts_buffers_as_memory(tmp_path: Path) -> None:
    limit = machine(tmp_path, f"docker/{CONTAINER}")
    limit_tcp_memory(7, CONTAINER, root=tmp_path)
    assert not limit.exists()


def test_nothing_is_written_for_a_process_of_another_container(tmp_path: Path) -> None:
    limit = machine(tmp_path, "docker/other")
    limit.write_text("1\n")
    limit_tcp_memory(7, CONTAINER, root=tmp_path)
    limit_tcp_memory(8, CONTAINER, root=tmp_path)
    assert limit.read_text() == "1\n"
