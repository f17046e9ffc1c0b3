"""Where pages come from: the web, behind the URL policy, or memory; both obey the same policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from refute.guardrails.transport import FetchFailed, FetchLimits, Page, fetch
from refute.guardrails.urls import PinnedUrl, check_url

ELSEWHERE: Final = ("93.184.215.14",)
"""A public address that names count as having where they are not resolved: in plans, and in memory."""


class Fetcher(Protocol):
    """Fetches a page.

    Raises:
        UrlDenied: it, or where it redirects to, must not be fetched.
        FetchFailed: it gave no page within the limits.
    """

    def fetch(self, url: str, hosts: Sequence[str], limits: FetchLimits) -> Page:
        """Fetch it.

        Args:
            url: of the page.
            hosts: that it and its redirects may lie on; empty: any.
            limits: redirects included.
        """
        ...


class WebFetcher:
    """The web: every hop is checked, and connected to at the address that was checked."""

    def fetch(self, url: str, hosts: Sequence[str], limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        return fetch(url, check=partial(check_url, allowed_hosts=hosts), limits=limits)


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

    def fetch(self, url: str, hosts: Sequence[str], limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        hops: list[str] = []
        while True:
            pinned = unresolved(url, hosts)
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


def unresolved(url: str, hosts: Sequence[str]) -> PinnedUrl:
    """All of the URL policy but what a name resolves to.

    Raises:
        UrlDenied: it must not be fetched.
    """
    return check_url(url, allowed_hosts=hosts, resolve=lambda _host, _port: ELSEWHERE)
