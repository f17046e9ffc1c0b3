"""The hosts that `--allow-network` names, and the addresses that no job reaches whatever it names."""

import ipaddress
import os
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from refute.errors import UsageError

DEFAULT_PORTS: Final = (443, 80)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_LOCAL: Final = ("localhost", "host.docker.internal", "gateway.docker.internal", "host.containers.internal")
_HINT: Final = "Write a host name such as example.org, or example.org:8443 for another port than 443 and 80."


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHost:
    """One host that a job may reach."""

    host: str
    """Lower case, ASCII, without a final dot; or an IP address."""
    ports: tuple[int, ...] = DEFAULT_PORTS

    def __str__(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.ports == DEFAULT_PORTS else f"{name}:{self.ports[0]}"


def read_hosts(words: Iterable[str]) -> tuple[AllowedHost, ...]:
    """The hosts as named on the command line or in the settings, without repetitions.

    Raises:
        UsageError: a word is a URL, a pattern, a network, this machine, or no host at all.
    """
    return tuple(dict.fromkeys(_read_host(word.strip()) for word in words))


def own_addresses(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Addresses of this machine, of the engine and of the Prefect server, as far as they can be found out."""
    variables = os.environ if environment is None else environment
    places = [urlsplit(variables.get(name, "")) for name in ("PREFECT_API_URL", "DOCKER_HOST")]
    names = {socket.gethostname(), *(place.hostname for place in places if place.hostname)}
    found = {address for name in names for address in _resolved(name)} | set(_outgoing())
    return tuple(sorted(found))


def _read_host(word: str) -> AllowedHost:
    host, port = _split(word)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if not _is_name(host):
            raise UsageError(
                f"--allow-network: got {word!r}, expected a host name or an IP address", hint=_HINT
            ) from None
        local = host in _LOCAL or host.endswith(".localhost")
    else:
        local = address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
    if local:
        raise UsageError(
            f"--allow-network: got {word!r}, which is this machine or its network; jobs never reach it", hint=_HINT
        )
    return AllowedHost(host=host) if port is None else AllowedHost(host=host, ports=(port,))


def _split(word: str) -> tuple[str, int | None]:
    match = re.fullmatch(
        r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[^:\[\]]+))(?::(?P<port>[0-9]{1,5}))?", word, re.ASCII
    )
    if match is None or not (match["port"] is None or 0 < int(match["port"]) < 2**16):
        raise UsageError(f"--allow-network: got {word!r}, expected HOST or HOST:PORT", hint=_HINT)
    host = (match["six"] or match["name"]).lower().rstrip(".")
    return host, int(match["port"]) if match["port"] else None


def _is_name(host: str) -> bool:
    labels = host.split(".")
    number = labels[-1].isdigit() or labels[-1].startswith("0x")  # an address in a spelling of its own
    return len(host) <= 253 and not number and all(_LABEL.fullmatch(label) for label in labels)  # noqa: PLR2004 (RFC 1035)


def _resolved(name: str) -> set[str]:
    try:
        return {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(name, None)}
    except (OSError, UnicodeError):
        return set()


def _outgoing() -> Iterable[str]:
    """The addresses that this machine's own connections come from; nothing is sent."""
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far, 9))
                yield str(probe.getsockname()[0])
        except OSError:
            continue
