"""The checks, one per command name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from refute.scan.shell.call import Call
from refute.scan.shell.commands import (
    building,
    builtins,
    disks,
    encoded,
    files,
    foreign,
    interpreters,
    network,
    packages,
    permissions,
    places,
    processes,
    publishing,
    pythons,
    reading,
    remote,
    scripted,
    services,
    system,
    text,
)
from refute.scan.shell.commands.interpreters import run_file

Handler = Callable[[Call], str | None]
"""Judges one command; returns what it prints where that is known."""

COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {
        **text.COMMANDS,
        **encoded.COMMANDS,
        **places.COMMANDS,
        **reading.COMMANDS,
        **files.COMMANDS,
        **disks.COMMANDS,
        **permissions.COMMANDS,
        **network.COMMANDS,
        **remote.COMMANDS,
        **system.COMMANDS,
        **processes.COMMANDS,
        **services.COMMANDS,
        **packages.COMMANDS,
        **publishing.COMMANDS,
        **interpreters.COMMANDS,
        **pythons.COMMANDS,
        **foreign.COMMANDS,
        **scripted.COMMANDS,
        **builtins.COMMANDS,
        **building.COMMANDS,
    }
)
"""Command name → its check. A name that is not here is judged by nothing but its redirections and what it wraps."""

__all__ = ["COMMANDS", "Handler", "run_file"]
