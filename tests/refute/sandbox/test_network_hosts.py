import pytest

from refute.errors import UsageError
from refute.sandbox.network_hosts import own_addresses, read_hosts


@pytest.mark.parametrize(
    ("word", "host", "ports", "shown"),
    [
        ("Example.ORG.", "example.org", (443, 80), "example.org"),
        ("example.org:8443", "example.org", (8443,), "example.org:8443"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example", (443, 80), "xn--bcher-kva.example"),
        ("10.1.2.3:80", "10.1.2.3", (80,), "10.1.2.3:80"),
        ("[2606:2800:220:1::1]:443", "2606:2800:220:1::1", (443,), "[2606:2800:220:1::1]:443"),
    ],
)
def test_a_host_is_a_name_or_an_address_with_or_without_a_port(word, host, ports, shown):
    (allowed,) = read_hosts([word])
    assert (allowed.host, allowed.ports, str(allowed)) == (host, ports, shown)


@pytest.mark.parametrize(
    "word",
    [
        "", "*", "*.example.org", "https://example.org", "example.org/path", "user@example.org", "10.0.0.0/8", "a b",
        "example.org:0", "example.org:70000", "example.org:http", "-a.example", "0x7f000001", "127.1", "2130706433",
        "bücher.example", "example..org", "[::1", "a,b",
    ],
)  # fmt: skip
def test_what_is_no_single_host_is_refused(word: str):
    with pytest.raises(UsageError, match="--allow-network"):
        read_hosts([word])


@pytest.mark.parametrize(
    "word",
    [
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "[::1]",
        "0.0.0.0",  # noqa: S104
        "169.254.169.254",
        "host.docker.internal",
        "[fe80::1]",
    ],
)
def test_this_machine_and_the_metadata_address_are_refused_by_name(word: str):
    with pytest.raises(UsageError, match="jobs never reach it"):
        read_hosts([word])


def test_a_host_named_twice_counts_once():
    assert len(read_hosts(["a.example", "A.example."])) == 1


def test_the_addresses_of_the_engine_and_of_the_prefect_server_are_known():
    found = own_addresses({"PREFECT_API_URL": "http://203.0.113.7:4200/api", "DOCKER_HOST": "tcp://203.0.113.8:2376"})
    assert {"203.0.113.7", "203.0.113.8"} <= set(found)
