"""Normalise URLs so that equal pages have equal addresses."""

from typing import List, Tuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from url_canonicalize import canonical_host

DEFAULT_PORTS = {"http": 80, "https": 443}
TRACKING = ("utm_", "fbclid", "gclid")


def normalize_query(query: str) -> str:
    """Sort the parameters and drop those that only track."""
    pairs: List[Tuple[str, str]] = parse_qsl(query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not name.startswith(TRACKING)]
    return urlencode(sorted(kept))


def normalize_path(path: str) -> str:
    """Resolve dot segments and unify the escapes."""
    parts: List[str] = []
    for part in path.split("/"):
        if part == "..":
            if len(parts) > 1:
                parts.pop()
        elif part != ".":
            parts.append(quote(unquote(part), safe="~!$&'()*+,;=:@"))
    normalized = "/".join(parts)
    return normalized if normalized.startswith("/") else f"/{normalized}"


def normalize(url: str) -> str:
    """Normalise a URL.

    Raises:
        ValueError: If the URL is not http or https, or has no host.

    >>> normalize("HTTP://Example.COM:80/a/../b?z=1&a=2&utm_source=x")
    'http://example.com/b?a=2&z=1'
    """
    parts = urlsplit(url.strip())
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError(f"not an http(s) URL: {url!r}")
    host = canonical_host(parts.hostname)
    port = parts.port
    netloc = host if port in (None, DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    return urlunsplit((scheme, netloc, normalize_path(parts.path), normalize_query(parts.query), ""))
