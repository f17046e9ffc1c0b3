from pathlib import Path

import pytest

from refute.sandbox.cgroups import TCP_BYTES, TCP_LIMIT_FILE, limit_tcp_memory

CONTAINER = "c" * 64


def machine(root: Path, group: str) -> Path:
    """A machine on which process 7 is in a control group of version 1."""
    (root / "proc/7").mkdir(parents=True)
    (root / "proc/7/cgroup").write_text(f"4:memory:/{group}\n")
    folder = root / "sys/fs/cgroup/memory" / group
    folder.mkdir(parents=True)
    return folder / TCP_LIMIT_FILE


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
