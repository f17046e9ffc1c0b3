"""The commands whose effects a row of the tables cannot say, by the name that the row gives as `handler`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from refute.scan.core.effects import Effects
from refute.scan.core.tables import Command
from refute.scan.shell.handlers import builtins, files, programs, starting
from refute.scan.shell.state import Call

Handler = Callable[[Call, Command], Effects]

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {**builtins.HANDLERS, **files.HANDLERS, **programs.HANDLERS, **starting.HANDLERS}
)
