"""Hosts that hand out well-known public source code.

A plain download from one is graded down: shown to the person, not blocking. Package registries are no part of the
list: package managers are judged by what they are asked for (`shell/commands/packages.py`).
"""

from typing import Final

_FORGES: Final = frozenset(
    {
        "github.com",
        "api.github.com",
        "codeload.github.com",
        "objects.githubusercontent.com",
        "raw.githubusercontent.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
        "git.sr.ht",
        "sourceforge.net",
        "downloads.sourceforge.net",
        "salsa.debian.org",
    }
)
"""Exactly these: below some of them (`*.github.io`) anyone serves pages of their own."""
_PROJECTS: Final = (
    "alpinelinux.org",
    "apache.org",
    "archlinux.org",
    "cmake.org",
    "debian.org",
    "eclipse.org",
    "fedoraproject.org",
    "freedesktop.org",
    "gnome.org",
    "gnu.org",
    "go.dev",
    "golang.org",
    "ietf.org",
    "kernel.org",
    "llvm.org",
    "mozilla.org",
    "nodejs.org",
    "openssl.org",
    "opensuse.org",
    "perl.org",
    "php.net",
    "postgresql.org",
    "python.org",
    "ruby-lang.org",
    "rust-lang.org",
    "sqlite.org",
    "ubuntu.com",
    "unicode.org",
    "w3.org",
)
"""These and every host below them: the project alone decides what is served there."""


def is_public_source(host: str) -> bool:
    """Whether a host is one from which builds ordinarily fetch public source code.

    Args:
        host: a name without port or user, in any case; nothing in it may be unknown.
    """
    name = host.strip().lower().rstrip(".")
    return name in _FORGES or any(name == project or name.endswith("." + project) for project in _PROJECTS)
