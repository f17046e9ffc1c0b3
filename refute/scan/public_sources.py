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
    "boost.io",
    "busybox.net",
    "cmake.org",
    "curl.se",
    "debian.org",
    "eclipse.org",
    "elixir-lang.org",
    "erlang.org",
    "fedoraproject.org",
    "ffmpeg.org",
    "freebsd.org",
    "freedesktop.org",
    "gnome.org",
    "gnu.org",
    "go.dev",
    "golang.org",
    "ietf.org",
    "kde.org",
    "kernel.org",
    "libsdl.org",
    "llvm.org",
    "mariadb.org",
    "mozilla.org",
    "mysql.com",
    "netbsd.org",
    "nginx.org",
    "nodejs.org",
    "openbsd.org",
    "openssl.org",
    "opensuse.org",
    "perl.org",
    "php.net",
    "postgresql.org",
    "python.org",
    "qt.io",
    "redis.io",
    "ruby-lang.org",
    "rust-lang.org",
    "sourceware.org",
    "sqlite.org",
    "ubuntu.com",
    "unicode.org",
    "videolan.org",
    "w3.org",
    "webkit.org",
    "xiph.org",
    "ziglang.org",
    "zlib.net",
)
"""These and every host below them: the project alone decides what is served there."""


def is_public_source(host: str) -> bool:
    """Whether a host is one from which builds ordinarily fetch public source code.

    Args:
        host: a name without port or user, in any case; nothing in it may be unknown.
    """
    name = host.strip().lower().rstrip(".")
    return name in _FORGES or any(name == project or name.endswith("." + project) for project in _PROJECTS)
