"""What commands and calls do, as values: a handler yields them, the engine acts and sends back what comes of it."""

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol

from refute.scan.core.report import Report
from refute.scan.rules import Language


class Read(NamedTuple):
    """Reads a file; comes back as its content, as far as that is known."""

    path: str
    asks: bool = False
    """Whether only yes or no comes out of it (`grep -q`), so that nothing of its content goes anywhere."""


class List(NamedTuple):
    """Lists a directory."""

    path: str
    asks: bool = False


class Write(NamedTuple):
    """Creates or changes a file."""

    path: str
    text: str | None = None
    """What it then holds; None: that is not followed."""
    appends: bool = False


class Delete(NamedTuple):
    """Deletes a file or a tree."""

    path: str
    recursive: bool = False
    empty: bool = False
    """Whether it is deleted only where it is an empty directory."""


class ChangeMode(NamedTuple):
    """Changes rights or owner of a file."""

    path: str
    tightens: bool = False
    """Whether nobody but its owner can do more with it afterwards than read and run it."""


class Connect(NamedTuple):
    """Talks to a host."""

    host: str | None
    """None for no host at all."""
    fetches: bool = False
    """Whether it only asks for something and hands nothing over."""


class Send(NamedTuple):
    """Sends texts over a network."""

    texts: tuple[str, ...]


class Run(NamedTuple):
    """Runs a command; comes back as what it prints."""

    argv: tuple[str, ...]
    stdin: str = ""


class Eval(NamedTuple):
    """Has an interpreter read a text; comes back as what that prints."""

    language: Language
    text: str
    inline: bool = False
    """Whether the running shell itself reads it, so that what it sets stays."""
    arguments: tuple[str, ...] | None = None
    fed: bool = False
    """Whether it comes in as input, so that nobody sees what runs."""


class RunFile(NamedTuple):
    """Runs a file: what the script wrote there is read, a file of the workspace is scanned by itself."""

    path: str
    language: Language | None = None
    arguments: tuple[str, ...] = ()
    inline: bool = False


class Reach(NamedTuple):
    """Has a tool run what a file of the workspace says."""

    path: str
    how: str


class Flag(NamedTuple):
    """Is dangerous by itself, whatever it touches."""

    rule: str
    mild: bool = False
    """Whether it is the milder form of the danger."""
    detail: str = ""


Effect = (Read | List | Write | Delete | ChangeMode | Connect | Send | Run | Eval | RunFile | Reach) | Flag
"""Something that a command or call does."""
Effects = Generator[Effect, Any, Any]
"""A handler's effects one by one, each answered by what comes of it; its result is what is printed, None: not known."""


class Engine(Protocol):
    """Acts on effects."""

    report: Report

    def perform(self, effects: Effects, frame: Any) -> Any:
        """Act on what a handler yields for a command or call; returns what that prints or yields."""
        ...
