"""What testers, screen and triage are told about a ticket."""

import importlib.util

from refute.adversary.attack import Brief, SourceModule
from refute.errors import UsageError
from refute.ports import Ports
from refute.ticket.modules import implementation_modules
from refute.ticket.record import Snapshot, Ticket


def brief_of(ports: Ports, ticket: Ticket, snapshot: Snapshot) -> Brief:
    """The ticket's claims with the text of its modules, as they were frozen."""
    contents = ports.contents(snapshot)
    modules = tuple(
        SourceModule(module=module, source=_source_text(contents[module.path]))
        for module in implementation_modules(ticket)
    )
    return Brief(
        ticket=ticket,
        earlier={path: _source_text(data) for path, data in ports.earlier(ticket, snapshot).items()},
        modules=modules,
        workspace_paths=tuple(file.path for file in snapshot.files),
        max_tests=ports.settings.max_tests,
        max_bytes=ports.settings.max_suite_bytes,
        max_prompt_chars=ports.settings.max_prompt_chars,
    )


def brief_on_disk(ticket: Ticket) -> Brief:
    """The same of files as they stand in the workspace, before anything is frozen: for advice about a ticket.

    Raises:
        UsageError: an implementation file cannot be read.
    """
    try:
        modules = tuple(
            SourceModule(module=module, source=_source_text((ticket.workspace / module.path).read_bytes()))
            for module in implementation_modules(ticket)
        )
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be read: {error.strerror}") from error
    tops = {ticket.workspace / path.partition("/")[0] for path in ticket.implementation_files}
    beside = (file.relative_to(ticket.workspace).as_posix() for top in sorted(tops) for file in top.rglob("*.py"))
    return Brief(ticket=ticket, modules=modules, workspace_paths=(*ticket.implementation_files, *beside))


def _source_text(source: bytes) -> str:
    """A module's text as Python reads it (PEP 263: byte order mark, coding line); what is no text, as far as it is."""
    try:
        return importlib.util.decode_source(source)
    except (SyntaxError, UnicodeDecodeError):
        return source.decode("utf-8", errors="replace")
