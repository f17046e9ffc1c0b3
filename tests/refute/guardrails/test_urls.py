"""Which URLs may be fetched: a host that is not public is denied before anything connects, however written (S310)."""

from collections.abc import Iterable

import pytest

from refute.guardrails.urls import PinnedUrl, UrlDenied, check_url

PUBLIC = "93.184.216.34"
PUBLIC6 = "2606:2800:220:1::1"


def check(url: str | None, *addresses: str, **options: object) -> PinnedUrl:
    return check_url(url, resolve=lambda _host, _port: addresses, **options)


def reason(url: str | None, *addresses: str, **options: object) -> str:
    with pytest.raises(UrlDenied) as denied:
        check(url, *addresses, **options)
    return denied.value.reason


def unasked(_host: str, _port: int) -> Iterable[str]:
    raise AssertionError("the name server was asked")


NOT_PUBLIC = """
127.0.0.1 127.1 2130706433 0x7f000001 0x7f.0.0.1 017700000001 127.0.0.1. 127。0。0。1 ①②⑦.0.0.1 %31%32%37.0.0.1
127.0.0.1%2e 0 0.0.0.0 [::1] [::] [::ffff:127.0.0.1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
[64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::1] [fec0::1] [fc00::1]
[fd00:ec2::254] [ff02::1] [2001:db8::1] [3fff::1] [100::1] 10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 0xa9fea9fe
[::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] 168.63.129.16 192.0.0.192 100.64.0.1 100.100.100.200 192.0.2.1
198.18.0.1 224.0.0.1 240.0.0.1 192.88.99.1 localhost ⓛocalhost x.localhost localhost.localdomain metadata
metadata.google.internal printer.local router.home.arpa
"""


@pytest.mark.parametrize("host", NOT_PUBLIC.split())
def test_a_host_that_is_not_public_is_denied_without_asking_a_name_server(host: str) -> None:
    with pytest.raises(UrlDenied):
        check_url(f"http://{host}/", resolve=unasked)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (None, "empty"),
        ("", "empty"),
        ("docs.example.org", "not an absolute URL"),
        ("http://", "not an absolute URL"),
        ("http://docs.example.org:99999/", "not an absolute URL"),
        ("http://[::1%25eth0]/", "not an absolute URL"),
        ("http://1.2.3.4.5/", "not an absolute URL"),
        ("http://\ud800/", "not an absolute URL"),
        ("http://a..b.org/", "is not a host name"),
        ("http://a;b.org/", "is not a host name"),
        (f"http://docs.example.org/{'a' * 3000}", "characters"),
        ("file:///etc/passwd", "scheme file"),
        ("ftp://docs.example.org/", "scheme ftp"),
        ("javascript:alert(1)", "scheme javascript"),
        ("data:text/html,x", "scheme data"),
        ("http://me@docs.example.org/", "user name"),
        ("http://me:pw@docs.example.org/", "user name"),
        ("http://docs.example.org:22/", "port 22"),
        ("https://docs.example.org:6379/", "port 6379"),
    ],
)
def test_a_url_that_cannot_be_a_page_is_denied_with_its_reason(url: str | None, why: str) -> None:
    assert why in reason(url, PUBLIC)


@pytest.mark.parametrize(
    "addresses",
    [("127.0.0.1",), (PUBLIC, "10.0.0.1"), ("::ffff:10.0.0.1",), ("fe80::1%eth0",), ("not an address",), ()],
)
def test_one_address_that_is_not_public_is_enough(addresses: tuple[str, ...]) -> None:
    assert reason("http://docs.example.org/", *addresses)


def test_a_name_that_cannot_be_resolved_is_denied() -> None:
    def fails(_host: str, _port: int) -> Iterable[str]:
        raise OSError("Name or service not known")

    with pytest.raises(UrlDenied, match=r"docs\.example\.org cannot be resolved: Name or service not known"):
        check_url("http://docs.example.org/", resolve=fails)


@pytest.mark.parametrize(
    ("url", "canonical", "host", "port"),
    [
        ("HTTP://Docs.Example.ORG", "http://docs.example.org/", "docs.example.org", 80),
        ("https://docs.example.org./a/../b?c=d#e", "https://docs.example.org/b?c=d", "docs.example.org", 443),
        ("http://docs.example.org:80/", "http://docs.example.org/", "docs.example.org", 80),
        ("https://docs.example.org:80/", "https://docs.example.org:80/", "docs.example.org", 80),
        ("http:\\\\docs.example.org\\a", "http://docs.example.org/a", "docs.example.org", 80),
        ("http://bücher.example.org/", "http://xn--bcher-kva.example.org/", "xn--bcher-kva.example.org", 80),
        ("\thttp://docs.exa\nmple.org/ ", "http://docs.example.org/", "docs.example.org", 80),
    ],
)
def test_a_url_is_read_as_a_browser_reads_it(url: str, canonical: str, host: str, port: int) -> None:
    pinned = check(url, PUBLIC, PUBLIC6)
    assert (pinned.url, pinned.host, pinned.port) == (canonical, host, port)
    assert pinned.addresses == (PUBLIC, PUBLIC6)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://93.184.216.34/", PUBLIC),
        ("http://0x5db8d822/", PUBLIC),
        ("http://[2606:2800:220:1::1]/", PUBLIC6),
        ("http://[64:ff9b::93.184.216.34]/", "64:ff9b::5db8:d822"),
    ],
)
def test_a_public_address_needs_no_name_server(url: str, address: str) -> None:
    assert check_url(url, resolve=unasked).addresses == (address,)


ALLOWED = ("Docs.Example.org.", "*.wiki.example.org")
OTHERS = ["wiki.example.org", "docs.example.org.evil.example", "evildocs.example.org", "other.example.org"]


@pytest.mark.parametrize("host", ["docs.example.org", "a.wiki.example.org"])
def test_a_host_that_is_allowed_may_be_fetched(host: str) -> None:
    assert check(f"http://{host}/", PUBLIC, allowed_hosts=ALLOWED).host == host


@pytest.mark.parametrize("host", OTHERS)
def test_no_other_host_may_be_fetched_then(host: str) -> None:
    assert "not one of the allowed hosts" in reason(f"http://{host}/", PUBLIC, allowed_hosts=ALLOWED)


def test_allowed_hosts_do_not_make_a_private_address_public() -> None:
    assert "loopback" in reason("http://docs.example.org/", "127.0.0.1", allowed_hosts=("docs.example.org",))
    assert "loopback" in reason("http://127.0.0.1/", allowed_hosts=("127.0.0.1",))


def test_a_denial_shows_no_control_characters_of_its_url() -> None:
    with pytest.raises(UrlDenied) as denied:
        check_url("file:///\x1b[31m\u202e", resolve=unasked)
    assert "\x1b" not in str(denied.value)
    assert "\u202e" not in str(denied.value)
