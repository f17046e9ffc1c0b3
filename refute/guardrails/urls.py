"""Which URLs may be fetched, and to which addresses: read as browsers read them, resolved once, public, pinned.

`check_url` decides before anything connects; `refute.guardrails.transport` then connects to the addresses that were
checked and to no other, so a name that resolves differently a moment later (DNS rebinding) gains nothing.
"""

import re
import socket
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, ClassVar, Final

from refute.errors import RefuteError
from refute.guardrails.addresses import Address, why_not_public
from refute.guardrails.plain_text import printable

if TYPE_CHECKING:
    import ada_url

MAX_URL_CHARS: Final = 2_000
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
LOCAL_SUFFIXES: Final = frozenset(
    ("corp", "home", "home.arpa", "internal", "intranet", "lan", "local", "localdomain", "localhost", "onion")
)
"""Names that mean something inside of a network only, whatever a name server says of them."""
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_MAX_NAME_CHARS: Final = 253

Resolver = Callable[[str, int], Iterable[str]]
"""Host and port → its addresses; OSError where it has none."""
AddressPolicy = Callable[[Address], str | None]
"""Why nothing may connect to an address; None: something may."""


class UrlError(RefuteError):
    """No page of a URL.

    Args:
        url: as it was given.
        reason: why, in words.
    """

    what: ClassVar[str]

    def __init__(self, url: str, reason: str) -> None:
        self.url = printable(url, max_chars=200, keep_newlines=False)
        self.reason = reason
        super().__init__(f"{self.what}: {self.url}: {reason}")


class UrlDenied(UrlError):
    """It must not be fetched."""

    what = "URL denied"


class FetchFailed(UrlError):
    """It may be fetched, and did not give a page within the limits."""

    what = "fetch failed"


class FetchBusy(FetchFailed):
    """The server was away or busy: another try may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedUrl:
    """A URL that may be fetched, from these addresses only."""

    url: str
    """In WHATWG's canonical form, without fragment."""
    scheme: str
    host: str
    """Lower case, ASCII; an IPv6 address without brackets."""
    port: int
    addresses: tuple[str, ...]
    """All that the name resolved to, each checked."""


def system_resolve(host: str, port: int) -> tuple[str, ...]:
    """Every address that this machine's resolver knows for a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def check_url(
    url: str | None,
    *,
    allowed_hosts: Collection[str] = (),
    allowed_ports: Collection[int] = (80, 443),
    resolve: Resolver = system_resolve,
    address_policy: AddressPolicy = why_not_public,
) -> PinnedUrl:
    """Decide whether a URL may be fetched, and from where.

    Args:
        url: anything.
        allowed_hosts: only these, `*.example.com` for all below one; empty: every public host.
        allowed_ports: of the other side.
        resolve: asked once, and only for a name that passed everything else.
        address_policy: what else than public addresses a caller in our code lets through; no setting sets it.

    Raises:
        UrlDenied: it may not be.
    """
    given = url if isinstance(url, str) else ""
    parsed = _parse(given)
    scheme = parsed.protocol.rstrip(":")
    if scheme not in DEFAULT_PORTS:
        raise UrlDenied(given, f"scheme {scheme}, expected http or https")
    if parsed.username or parsed.password:
        raise UrlDenied(given, "it carries a user name or password")
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
    if port not in allowed_ports:
        raise UrlDenied(given, f"port {port}, expected {' or '.join(map(str, sorted(allowed_ports)))}")
    host = str(parsed.hostname).strip("[]").removesuffix(".")
    literal = _literal(host)
    if literal is None and (fault := _fault_of_name(host)):
        raise UrlDenied(given, fault)
    if allowed_hosts and not any(_covers(entry, host) for entry in allowed_hosts):
        raise UrlDenied(given, f"host {host} is not one of the allowed hosts")
    found = (host,) if literal else _resolved(given, host, port, resolve)
    _require_allowed(given, host, found, address_policy)
    authority = f"[{host}]" if isinstance(literal, IPv6Address) else host
    authority += f":{parsed.port}" if parsed.port else ""
    canonical = f"{scheme}://{authority}{parsed.pathname}{parsed.search}"
    return PinnedUrl(url=canonical, scheme=scheme, host=host, port=port, addresses=found)


def _parse(given: str) -> "ada_url.URL":
    import ada_url  # noqa: PLC0415  # a compiled library that most commands never need

    if not given.strip():
        raise UrlDenied(given, "it is empty")
    if len(given) > MAX_URL_CHARS:
        raise UrlDenied(given, f"{len(given)} characters, expected at most {MAX_URL_CHARS}")
    try:
        return ada_url.URL(given)
    except ValueError as error:  # also a UnicodeEncodeError
        raise UrlDenied(given, "not an absolute URL") from error


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _fault_of_name(host: str) -> str | None:
    """What is wrong with a host's name; WHATWG's parser has lower-cased it and written it in ASCII."""
    labels = host.split(".")
    if len(host) > _MAX_NAME_CHARS or not all(map(_LABEL.fullmatch, labels)):
        return f"{printable(host, max_chars=100)!r} is not a host name"
    if len(labels) == 1 or LOCAL_SUFFIXES & {labels[-1], ".".join(labels[-2:])}:
        return f"host {host} is a local name"
    return None


def _covers(entry: str, host: str) -> bool:
    entry = entry.strip().lower().removesuffix(".")
    return host.endswith(entry[1:]) if entry.startswith("*.") else host == entry


def _resolved(given: str, host: str, port: int, resolve: Resolver) -> tuple[str, ...]:
    try:
        found = tuple(resolve(host, port))
    except (OSError, UnicodeError) as error:
        raise UrlDenied(given, f"host {host} cannot be resolved: {error}") from error
    if not found:
        raise UrlDenied(given, f"host {host} has no address")
    return found


def _require_allowed(given: str, host: str, addresses: Iterable[str], policy: AddressPolicy) -> None:
    """One bad address among good ones is enough: which of them a connection takes is the other side's luck."""
    for address in addresses:
        literal = _literal(address)
        why = "no IP address" if literal is None else policy(literal)
        if why is not None:
            meant = address if address == host else f"{host} is {printable(address, max_chars=60)}"
            raise UrlDenied(given, f"{meant}: {why}")
