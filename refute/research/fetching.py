"""Where pages come from: the web, behind the URL policy; other fetchers obey the same policy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from refute.guardrails.addresses import why_not_public
from refute.guardrails.transport import FetchLimits, Page, fetch
from refute.guardrails.urls import AddressPolicy, PinnedUrl, Resolver, check_url, system_resolve

ELSEWHERE: Final = ("93.184.215.14",)
"""A public address that names count as having where they are not resolved."""


Check = Callable[[str], PinnedUrl]
"""Decides on an address, and on each that it redirects to; raises UrlDenied."""


class Fetcher(Protocol):
    """Fetches pages."""

    def check(self, url: str, hosts: Sequence[str], *, resolved: bool = True) -> PinnedUrl:
        """The URL policy.

        Args:
            url: anything.
            hosts: that it may lie on; empty: any public one.
            resolved: whether names are resolved; a plan does without.

        Raises:
            UrlDenied: it must not be fetched.
        """
        ...

    def fetch(self, url: str, check: Check, limits: FetchLimits) -> Page:
        """Fetch a page.

        Args:
            url: of the page.
            check: asked about every hop.
            limits: redirects included.

        Raises:
            UrlDenied: it, or where it redirects to, must not be fetched.
            FetchFailed: it gave no page within the limits.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFetcher:
    """The web: every hop is checked, and connected to at the address that was checked.

    The fields are for tests with servers on this machine; no setting sets them.
    """

    ports: tuple[int, ...] = (80, 443)
    resolve: Resolver = system_resolve
    address_policy: AddressPolicy = why_not_public

    def check(self, url: str, hosts: Sequence[str], *, resolved: bool = True) -> PinnedUrl:
        """As `Fetcher`."""
        return check_url(
            url,
            allowed_hosts=hosts,
            allowed_ports=self.ports,
            resolve=self.resolve if resolved else elsewhere,
            address_policy=self.address_policy,
        )

    def fetch(self, url: str, check: Check, limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        return fetch(url, check=check, limits=limits)


def elsewhere(_host: str, _port: int) -> tuple[str, ...]:
    """What a name counts as where it is not resolved."""
    return ELSEWHERE
