"""What a script hands to another file of the workspace: arguments and variables that make its harmless lines harmful.

The other file is scanned by itself, without knowing who calls it: there `rm -rf "$OUT_DIR"` is only shown. So it is
the caller that names the machine's root who blocks.
"""

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from refute.scan import hosts, paths, sensitive
from refute.scan.public_sources import is_public_source
from refute.scan.symbols import HOME

if TYPE_CHECKING:
    from refute.scan.shell.call import Call
    from refute.scan.shell.scope import Scope

_GROUND: Final = frozenset({"/", "/etc", "/home", "/root", "/var", "/boot", "/usr", HOME})
_ORDINARY: Final = frozenset({"HOME", "PWD", "OLDPWD", "PREFIX", "prefix", "SYSROOT", "CONDA_PREFIX"})
"""Variables that ordinarily hold such a directory."""
_TAKES: Final = re.compile(rb"\$\{?[1-9@*]")
_ACTS: Final = re.compile(rb"\b(?:rm|rmdir|mv|chmod|chown|dd|shred|tee|truncate|find|curl|wget|nc|eval|tar|cp)\b|>")


def hands_over(call: "Call", pattern: str, arguments: list[str]) -> None:
    """Judge running files of the workspace with these arguments and with what is exported.

    Args:
        call: the command.
        pattern: which files it runs; one that is not known, or does nothing with what it gets, is handed nothing.
        arguments: what it gets.
    """
    scope, shared = call.walker.scope, call.walker.shared
    for path, text in shared.report.library.items():
        if not fnmatchcase(path, pattern) or not _ACTS.search(text):
            continue
        handed = [value for value in arguments if _TAKES.search(text) and _is_harmful(value, scope)]
        for name in shared.exported - _ORDINARY if not handed else ():
            used = re.search(rb"\$\{?" + re.escape(name).encode() + rb"\b", text)
            handed += [value for value in scope.lookup(name) if used and _is_ground(value, scope)]
        if handed:
            call.act.add("unresolved-command", detail="It is handed a directory or host that nothing here may touch.")
            return


def _is_harmful(text: str, scope: "Scope") -> bool:
    if re.match(r"\w+://\S+\Z", text):
        host = hosts.host_of(text)
        outside = host is not None and hosts.reach_of(host) in {hosts.Reach.EXTERNAL, hosts.Reach.METADATA}
        return outside and not is_public_source(host or "")
    return _is_ground(text, scope)


def _is_ground(text: str, scope: "Scope") -> bool:
    if not text.startswith(("/", "~", HOME)):
        return False
    located = paths.locate(text, scope.cwd).text
    return (located.rstrip("/*") or "/") in _GROUND or sensitive.is_credentials(located)
