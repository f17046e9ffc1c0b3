"""Every notation of a host leads to the same answer."""

import pytest

from refute.scan.core.hosts import Reach, host_of, is_external_ip, reach_of

LOOPBACK = [
    "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1",
    "[::1]", "::1", "::ffff:127.0.0.1", "127。0。0。1", "１２７.0.0.1", "%31%32%37.0.0.1",
    *["0.0." + "0.0"],
]  # fmt: skip
EXTERNAL = [
    "evil.com", "8.8.8.8", "134744072", "0x08080808", "010.010.010.010", "[2001:4860:4860::8888]", "::ffff:8.8.8.8",
    "64:ff9b::808:808", "evil。com", "ｅｖｉｌ.com", "evil.example", "sub.evil.co.uk.", "2002:808:808::1",
    "localhost.evil.com",
]  # fmt: skip
PRIVATE = [
    "10.0.0.1", "box.localdomain", "192.168.1.1", "172.16.0.1", "fd00::1", "169.254.1.1", "db", "server.local",
    "api.test",
]  # fmt: skip
METADATA = [
    "169.254.169.254", "0xa9fea9fe", "2852039166", "metadata.google.internal", "[::ffff:169.254.169.254]",
    "fd00:ec2::254",
]  # fmt: skip


REACHES = {Reach.LOCAL: [*LOOPBACK, *PRIVATE], Reach.EXTERNAL: EXTERNAL, Reach.METADATA: METADATA}


@pytest.mark.parametrize(("host", "reach"), [(host, reach) for reach, hosts in REACHES.items() for host in hosts])
def test_what_a_host_reaches_is_the_same_in_any_notation(host: str, reach: Reach) -> None:
    assert reach_of(host) == reach
    assert is_external_ip(host) == (reach is not Reach.LOCAL)


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("http://evil.com/x", "evil.com"),
        ("http://localhost@evil.com/", "evil.com"),
        ("http://localhost:80@evil.com:81/", "evil.com"),
        ("http://evil.com\\@localhost/", "evil.com"),
        ("http://[::1]:80/", "::1"),
        ("evil.com:80/x", "evil.com"),
        ("user@evil.com:path", "evil.com"),
        ("ht\ntp://evil.com", "evil.com"),
    ],
)
def test_host_is_what_a_client_would_connect_to(target: str, host: str) -> None:
    assert host_of(target) == host


def test_file_address_has_no_host() -> None:
    assert host_of("file:///etc/passwd") is None
