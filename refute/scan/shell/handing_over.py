"""What a script hands to another file of the workspace: arguments and variables that make its harmless lines harmful.

The other file is scanned by itself, without knowing who calls it: there `rm -rf "$OUT_DIR"` is only shown. So it is
the caller that names the machine's root who blocks.
"""

import re
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


def hands_over(call: "Call", arguments: list[str]) -> None:
    """Judge running a file of the workspace with these arguments and with what is exported."""
    scope = call.walker.scope
    exported = [text for name in call.walker.shared.exported for text in scope.lookup(name) if name not in _ORDINARY]
    if any(_is_ground(text, scope) for text in exported) or any(_is_harmful(text, scope) for text in arguments):
        call.act.add("unresolved-command", detail="It is handed a directory or host that nothing here may touch.")


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
