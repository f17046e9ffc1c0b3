from pathlib import Path

import pytest

from refute.doctor.known_escapes import KERNEL, RUNC, fixed_in_package, open_escapes, parse_version


def cves(text: str, escapes: object = RUNC) -> list[str]:
    version = parse_version(text)
    assert version is not None
    return [escape.cve.removeprefix("CVE-") for escape in open_escapes(version, escapes)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.1.5+ds1-1+deb12u1", (1, 1, 5, 10_000)),
        ("v1.4.0-rc.3", (1, 4, 0, 3)),
        ("1.4.0~rc3", (1, 4, 0, 3)),
        ("6.18.44-fc-v595", (6, 18, 44, 10_000)),
        ("27.5", (27, 5, 0, 10_000)),
    ],
)
def test_versions_are_read_as_distributions_write_them(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["1.2.8", "1.3.3", "2.0.0"])
def test_fixed_runc_versions_have_no_open_escape(text: str) -> None:
    assert cves(text) == []


def test_a_kernel_older_than_a_weakness_does_not_have_it() -> None:
    assert "2025-38236" in cves("6.1.140", KERNEL)
    assert "2025-38236" not in cves("5.10.257", KERNEL)


@pytest.mark.parametrize("content", [None, b"not gzip", b""])
def test_a_changelog_that_cannot_be_read_says_nothing(tmp_path: Path, content: bytes | None) -> None:
    changelog = tmp_path / "changelog.Debian.gz"
    if content is not None:
        changelog.write_bytes(content)
    assert fixed_in_package(changelog, "1.1.5") is None
