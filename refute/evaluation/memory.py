"""What acts in memory: pages, under the same URL policy as the web's, and actions that wait for consent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from refute.guardrails.pending import Pending
from refute.guardrails.transport import FetchLimits, Page
from refute.guardrails.urls import FetchFailed, PinnedUrl, check_url
from refute.research.fetching import Check, elsewhere


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
        return check_url(url, allowed_hosts=hosts, resolve=elsewhere)

    def fetch(self, url: str, check: Check, limits: FetchLimits) -> Page:
        """As `Fetcher`."""
        for _ in range(limits.redirects + 1):
            pinned = check(url)
            self.asked.append(pinned.url)
            page = self.pages.get(pinned.url)
            if page is None:
                raise FetchFailed(pinned.url, "answered 404")
            if not page.redirect:
                break
            url = page.redirect
        else:
            raise FetchFailed(url, "redirects in a loop")
        return Page(
            url=pinned.url,
            content_type=page.content_type,
            charset="utf-8",
            body=page.body[: limits.page_bytes],
            transferred_bytes=len(page.body),
        )


@dataclass(slots=True)
class MemoryStore:
    """Actions that wait for their user's consent, as `PendingStore`."""

    waiting: dict[str, Pending] = field(default_factory=dict)

    def get(self, user: str) -> Pending | None:
        """A copy of what waits for a user's answer."""
        waiting = self.waiting.get(user)
        return None if waiting is None else dict(waiting)

    def swap(self, user: str, expected: Pending | None, new: Pending | None) -> bool:
        """Put `new` where `expected` is."""
        if self.waiting.get(user) != expected:
            return False
        self.waiting.pop(user, None)
        if new is not None:
            self.waiting[user] = dict(new)
        return True
