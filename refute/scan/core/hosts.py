"""Which host a command or call talks to, and whether that is outside: every notation of an address is understood."""

import ipaddress
import re
from enum import StrEnum

from refute.scan.core.symbols import UNKNOWN, is_open
from refute.scan.core.tables import read_table


class Reach(StrEnum):
    """How far away a host is."""

    LOCAL = "local"
    """This machine, its private network, or a name that only a local resolver knows."""
    METADATA = "metadata"
    """A cloud's metadata service: hands out credentials."""
    EXTERNAL = "external"
    UNKNOWN = "unknown"
    """Not known before the run."""


def canonical(host: str) -> str:
    """A host as browsers write it: lower case, ASCII, addresses in their usual notation, no bracket or last dot."""
    import ada_url  # noqa: PLC0415 - a compiled library that most scans never need

    bare = host.strip().strip("[]").partition("%")[0] if ":" in host else host.strip()
    try:
        read = ada_url.URL(f"http://[{bare}]/" if ":" in bare else f"http://{bare}/").hostname
    except ValueError:
        read = bare.lower()
    return str(read).strip("[]").rstrip(".")


def is_external_ip(host: str) -> bool:
    """Whether a host text is, or may resolve to, a machine outside: names count as external unless reserved."""
    return reach_of(host) in {Reach.EXTERNAL, Reach.METADATA}


def reach_of(host: str) -> Reach:
    """How far away a host is; text with unknown parts is UNKNOWN unless its known end settles it."""
    if is_open(host):
        return Reach.EXTERNAL if re.search(r"\.[a-z]{2,}\.?\Z", host) and not _local_name(host) else Reach.UNKNOWN
    name, table = canonical(host), read_table("hosts")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        outside = not _local_name(name)
    else:
        if isinstance(address, ipaddress.IPv6Address):
            address = address.ipv4_mapped or address.sixtofour or address
        name = str(address)
        outside = address.is_global or name.startswith(tuple(table["documentation"]))
    return Reach.METADATA if name in table["metadata"] else Reach.EXTERNAL if outside else Reach.LOCAL


def _local_name(name: str) -> bool:
    return name.endswith(tuple(read_table("hosts")["local_suffixes"])) or (
        "." not in name and ":" not in name and UNKNOWN not in name
    )


def is_listed(host: str, names: frozenset[str]) -> bool:
    """Whether a host is in a list, in which a leading dot stands for every host below."""
    name = host.strip().lower().rstrip(".")
    return any(f".{name}".endswith(one) if one.startswith(".") else name == one for one in names)


def host_of(target: str) -> str | None:
    """The host in a URL or in `host:port`, `user@host:path`, `host`; None where there is none (`file:`, a path)."""
    # Some clients drop control characters inside a URL, so they are no separators here either.
    target = re.sub(r"[\x00-\x20]", "", target.replace("\\", "/"))
    scheme, separator, rest = target.partition("://")
    if not target or target.startswith(("/", "./", "../")) or (separator and scheme.lower() == "file"):
        return None
    authority = re.split(r"[/?#]", rest if separator else target, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority if authority.count(":") > 1 else authority.partition(":")[0]
