"""Which addresses of the internet protocol a fetch may connect to: public unicast ones, and nothing else."""

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC: Final = {
    "this host": ("0.0.0.0/8", "::/128"),
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
    "shared by a provider (CGNAT)": ("100.64.0.0/10",),
    "link-local or cloud metadata": ("169.254.0.0/16", "fe80::/10", "168.63.129.16/32"),
    "site-local": ("fec0::/10",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    "benchmarks": ("198.18.0.0/15", "2001:2::/48"),
    "Teredo tunnel": ("2001::/32",),
    "6to4 tunnel": ("2002::/16", "192.88.99.0/24"),
    "reserved": ("192.0.0.0/24", "240.0.0.0/4", "2001::/23"),
    "anycast": ("192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2620:4f:8000::/48"),
}
"""IANA's registries of special-purpose addresses (https://www.iana.org/assignments/iana-ipv4-special-registry and
iana-ipv6-special-registry, as of 2026-11), and an address of Azure's that only looks public."""

GLOBAL_UNICAST: Final = ip_network("2000::/3")
"""All that IANA has allocated of IPv6; what lies outside is no public host."""

CARRIES_IPV4: Final = (ip_network("::ffff:0:0/96"), ip_network("64:ff9b::/96"))
"""IPv4-mapped (RFC 4291) and NAT64 (RFC 6052): the last 32 bits are the address that is really meant."""


def why_not_public(address: Address) -> str | None:
    """Why nothing may be fetched from an address; None where it is public.

    `ipaddress.is_global` is not enough: what it knows depends on Python's version, and it takes addresses for public
    that lead through a tunnel to private ones.
    """
    if isinstance(address, IPv6Address) and any(address in network for network in CARRIES_IPV4):
        carried = IPv4Address(int(address) & 0xFFFFFFFF)
        why = why_not_public(carried)
        return f"{carried} in IPv6: {why}" if why else None
    for network, why in _networks():
        if address in network:  # False for one of the other version
            return why
    if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST:
        return "not public IPv6"
    return None if address.is_global else "not global"


@cache
def _networks() -> tuple[tuple[Network, str], ...]:
    return tuple((ip_network(network), why) for why, networks in NOT_PUBLIC.items() for network in networks)
