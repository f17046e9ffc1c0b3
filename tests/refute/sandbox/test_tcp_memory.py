from pathlib import Path

import pytest

from refute.sandbox.tcp_memory import LIMIT_FILE, TCP_BYTES, limit_tcp_memory

CONTAINER = "c" * 64


@pytest.mark.parametrize("group", [f"docker/{CONTAINER}", f"system.slice/docker-{CONTAINER}.scope"])
def test_the_limit_is_written_where_either_driver_put_the_container(tmp_path: Path, group: str) -> None:
    (tmp_path / group).mkdir(parents=True)
    (tmp_path / group / LIMIT_FILE).write_text("9223372036854771712\n")
    assert limit_tcp_memory(CONTAINER, base=tmp_path)
    assert int((tmp_path / group / LIMIT_FILE).read_text().split()[0][: len(str(TCP_BYTES))]) == TCP_BYTES


def test_nothing_is_written_where_the_kernel_counts_buffers_as_memory(tmp_path: Path) -> None:
    assert not limit_tcp_memory(CONTAINER, base=tmp_path)
    assert list(tmp_path.rglob("*")) == []
