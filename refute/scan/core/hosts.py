"""Which host a command or call talks to, and whether that is outside: every notation of an address is understood."""

import ipaddress
import re
import socket
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import Final
from urllib.parse import unquote, urlsplit

from refute.scan.core.symbols import UNKNOWN, is_open
from refute.scan.core.tables import read_table

_DOTS: Final = str.maketrans("。．｡․", "....")
_NUMBERS: Final = re.compile(r"[0-9a-fA-FxX.]+")


class Reach(StrEnum):
    """How far away a host is."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    """A private network or a name that only a local resolver knows."""
    METADATA = "metadata"
    """A cloud's metadata service: hands out credentials."""
    EXTERNAL = "external"
    UNKNOWN = "unknown"
    """Not known before the run."""


def parse_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host text stands for, in every notation that `inet_aton` takes; None for a name.

    Covers dotted, short (`127.1`), decimal, octal and hexadecimal IPv4, IPv6 with brackets and zone, and IPv4 mapped
    into or carried by IPv6 (`::ffff:`, 6to4, NAT64), which are given back as the IPv4 they lead to.
    """
    host = host.strip("[]").split("%", 1)[0]
    if ":" in host:
        try:
            six = ipaddress.IPv6Address(host)
        except ValueError:
            return None
        carried = six.ipv4_mapped or six.sixtofour
        if carried is None and six in ipaddress.IPv6Network("64:ff9b::/96"):
            carried = ipaddress.IPv4Address(int(six) & 0xFFFFFFFF)
        return carried or six
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host.rstrip("."))) if _NUMBERS.fullmatch(host) else None
    except OSError:
        return None


def is_external_ip(host: str) -> bool:
    """Whether a host text is, or may resolve to, a machine outside: names count as external unless reserved."""
    return reach_of(host) in {Reach.EXTERNAL, Reach.METADATA}


def reach_of(host: str) -> Reach:
    """How far away a host is; text with unknown parts is UNKNOWN unless its known end settles it."""
    host = unicodedata.normalize("NFKC", unquote(host)).translate(_DOTS).strip().lower()
    if is_open(host):
        return Reach.EXTERNAL if re.search(r"\.[a-z]{2,}\.?\Z", host) and not _local_name(host) else Reach.UNKNOWN
    address = parse_address(host)
    if address is not None:
        return _reach_of_address(address)
    name = host.rstrip(".")
    if not name:
        return Reach.LOOPBACK
    if name in read_table("hosts")["metadata"]:
        return Reach.METADATA
    if name in {"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"} or name.endswith(".localhost"):
        return Reach.LOOPBACK
    return Reach.PRIVATE if _local_name(name) else Reach.EXTERNAL


def _local_name(name: str) -> bool:
    return name.endswith(tuple(read_table("hosts")["local_suffixes"])) or (
        "." not in name and ":" not in name and UNKNOWN not in name
    )


def _reach_of_address(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Reach:
    if str(address) in read_table("hosts")["metadata"]:
        return Reach.METADATA
    if address.is_loopback or address.is_unspecified:
        return Reach.LOOPBACK
    if any(address in network for network in _documentation()):
        return Reach.EXTERNAL
    if address.is_private or address.is_link_local or address.is_multicast or address.is_reserved:
        return Reach.PRIVATE
    return Reach.EXTERNAL


@lru_cache(maxsize=1)
def _documentation() -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    return tuple(map(ipaddress.ip_network, read_table("hosts")["documentation"]))


def is_listed(host: str, names: frozenset[str]) -> bool:
    """Whether a host is in a list, in which a leading dot stands for every host below."""
    name = host.strip().lower().rstrip(".")
    labels = name.split(".")
    return name in names or any("." + ".".join(labels[start:]) in names for start in range(len(labels)))


def host_of(target: str) -> str | None:
    """The host in a URL or in `host:port`, `user@host:path`, `host`; None where there is none (`file:`, a path)."""
    target = target.strip().replace("\\", "/")
    # Some clients drop control characters inside a URL, so they are no separators here either.
    target = re.sub(r"[\x00-\x20]", "", target)
    scheme, separator, rest = target.partition("://")
    if separator:
        return None if scheme.lower() == "file" else _authority_host(rest)
    if target.startswith(("/", "./", "../")) or not target:
        return None
    return _authority_host(target)


def _authority_host(rest: str) -> str:
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    if authority.count(":") > 1:
        return authority
    host = authority.partition(":")[0]
    try:
        # The standard parser is asked too: where it reads another host than this one, the outer one counts.
        other = urlsplit("//" + authority).hostname or host
    except ValueError:
        return host
    return other if reach_of(other) == Reach.EXTERNAL else host
