import gzip
from pathlib import Path

import pytest

from refute.doctor.known_escapes import ENGINE, KERNEL, RUNC, fixed_in_package, open_escapes, parse_version

CHANGELOG = "runc (1.1.5+ds1-1+deb12u1) bookworm-security; urgency=high\n\n  * CVE-2024-21626: breakouts\n"


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


def test_text_without_a_version_is_none() -> None:
    assert parse_version("unknown") is None


@pytest.mark.parametrize("text", ["1.2.8", "1.2.9", "1.3.3", "1.4.0-rc.3", "1.4.0", "1.5.1", "2.0.0"])
def test_fixed_runc_versions_have_no_open_escape(text: str) -> None:
    assert cves(text) == []


@pytest.mark.parametrize("text", ["1.1.12", "1.2.7", "1.3.2", "1.4.0-rc.2"])
def test_versions_before_the_fixes_of_2025_have_those_open(text: str) -> None:
    assert cves(text) == ["2025-31133", "2025-52565", "2025-52881"]


def test_an_old_runc_has_all_open() -> None:
    assert cves("1.1.11")[0] == "2024-21626"
    assert len(cves("1.0.0")) == 4


@pytest.mark.parametrize(
    "text", ["5.10.257", "5.15.208", "6.1.174", "6.6.141", "6.12.91", "6.18.44", "7.0.10", "7.1.0"]
)
def test_fixed_kernels_have_no_open_escape(text: str) -> None:
    assert cves(text, KERNEL) == []


def test_a_series_without_a_fix_is_open() -> None:
    assert cves("6.5.13", KERNEL)[0] == "2024-1086"
    assert "2022-0847" in cves("5.10.101", KERNEL)


def test_a_kernel_older_than_a_weakness_does_not_have_it() -> None:
    assert "2025-38236" in cves("6.1.140", KERNEL)
    assert "2025-38236" not in cves("5.10.257", KERNEL)


def test_an_old_docker_carries_names_out_of_internal_networks() -> None:
    assert cves("20.10.24", ENGINE) == ["2024-29018"]
    assert cves("25.0.5", ENGINE) == cves("28.2.2", ENGINE) == []


def test_a_package_names_its_backports(tmp_path: Path) -> None:
    changelog = tmp_path / "changelog.Debian.gz"
    changelog.write_bytes(gzip.compress(CHANGELOG.encode()))
    assert fixed_in_package(changelog, "1.1.5+ds1-1+deb12u1") == {"CVE-2024-21626"}


def test_the_changelog_of_another_version_says_nothing(tmp_path: Path) -> None:
    changelog = tmp_path / "changelog.Debian.gz"
    changelog.write_bytes(gzip.compress(CHANGELOG.encode()))
    assert fixed_in_package(changelog, "1.1.5+ds1-1") is None


@pytest.mark.parametrize("content", [None, b"not gzip", b""])
def test_a_changelog_that_cannot_be_read_says_nothing(tmp_path: Path, content: bytes | None) -> None:
    changelog = tmp_path / "changelog.Debian.gz"
    if content is not None:
        changelog.write_bytes(content)
    assert fixed_in_package(changelog, "1.1.5") is None


def test_every_known_escape_says_where_its_versions_are_from() -> None:
    for escape in (*RUNC, *KERNEL):
        assert escape.source.startswith("https://")
        assert all(parse_version(text) for text in escape.fixed)
