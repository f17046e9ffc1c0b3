"""Where pages come from: the web, behind the URL policy, or memory; both obey the same policy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from refute.guardrails.transport import FetchLimits, Page, fetch
from refute.guardrails.addresses import why_not_public
from refute.guardrails.urls import AddressPolicy, FetchFailed, PinnedUrl, Resolver, check_url, system_resolve

ELSEWHERE: Final = ("93.184.215.14",)
"""A public address that names count as having where they are not resolved: in plans, and in memory."""


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
            resolve=self.resolve if resolved else _elsewhere,
            address_policy=self.address_policy,
        )

    def fetch(self, url: str, check: Check, limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        return fetch(url, check=check, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """What an address in memory gives."""

    body: bytes = b""
    content_type: str = "text/html"
    redirect: str = ""


@dataclass(slots=True)
class MemoryFetcher:
    """Pages in memory, by address."""

    pages: Mapping[str, StoredPage]
    asked: list[str] = field(default_factory=list)
    """Every address that was asked, redirects included, in order."""

    def check(self, url: str, hosts: Sequence[str], *, resolved: bool = True) -> PinnedUrl:
        """As `Fetcher`; names are never resolved."""
        del resolved
        return check_url(url, allowed_hosts=hosts, resolve=_elsewhere)

    def fetch(self, url: str, check: Check, limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        hops: list[str] = []
        while True:
            pinned = check(url)
            self.asked.append(pinned.url)
            hops.append(pinned.url)
            page = self.pages.get(pinned.url)
            if page is None or len(hops) > limits.redirects:
                raise FetchFailed(pinned.url, "answered 404" if page is None else "redirects in a loop")
            if not page.redirect:
                break
            url = page.redirect
        return Page(
            url=pinned.url,
            hops=tuple(hops),
            content_type=page.content_type,
            charset="utf-8",
            body=page.body[: limits.page_bytes],
            transferred_bytes=len(page.body),
        )


def _elsewhere(_host: str, _port: int) -> tuple[str, ...]:
    return ELSEWHERE
