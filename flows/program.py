"""The commands of `refute` in a table, each imported only when it is called, so `--help` stays quick; how it ends."""

import errno
import gc
import importlib
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import click

from flows.interruption import saying_what_is_kept
from flows.streams import prepare_streams

COMMANDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "verify": ("flows.commands.verify:verify", "Try to refute one ticket's claims; the exit code is the verdict."),
        "batch": ("flows.commands.batch:batch", "Verify many tickets in parallel; resumable."),
        "gate": ("flows.commands.gate:gate", "Verify for a workflow: governance gate, verdict as JSON."),
        "issue": ("flows.commands.issue:issue", "Run the reference workflow: implement, refute, review, file."),
        "confirm": ("flows.commands.confirm:confirm", "Answer a pending confirmation."),
        "demo": ("flows.commands.demo:demo", "Verify the bundled sample tickets; no key needed."),
        "critics": ("flows.commands.critics:critics", "Review a change with critics; list what they found."),
        "research": ("flows.commands.research:research", "Read web pages for a goal; answers with checked quotes."),
        "report": ("flows.commands.report:report", "Report failures, costs and the budget."),
        "bench": ("flows.commands.bench:bench", "Measure a tester on code known to be right or wrong."),
        "eval": ("flows.commands.eval:evaluate", "Measure the guardrails with attacks and harmless cases."),
        "ticket": ("flows.commands.ticket:ticket", "Write or check a ticket."),
        "design": ("flows.commands.design:design", "Check a design document before its review."),
        "scan": ("flows.commands.scan:scan", "Scan scripts for dangerous commands, without running them."),
        "ask": ("flows.commands.ask:ask", "Ask the operator assistant; it can also change a WAF."),
        "mcp": ("flows.commands.mcp:mcp", "Serve status, outcomes, events and documents over MCP, read-only."),
        "audit": ("flows.commands.audit:audit", "Check the audit log for changed or missing lines."),
        "ui": ("flows.commands.ui:ui", "Run Prefect server, deployments and worker on this machine."),
        "image": ("flows.commands.image:image", "Build the sandbox image."),
        "doctor": ("flows.commands.doctor:doctor", "Check engine, image and server, and say how to fix them."),
    }
)
"""Name → (module:attribute, one-line help), in the order of a person's needs."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they run, not when help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        with saying_what_is_kept():
            command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


NEAR: Final = 0.75
"""From here up (`difflib`) an option is near enough to be what was meant."""
HELP: Final = """\
Tries to refute the claims made about LLM-written code, in a locked-down container.

\b
Exit codes of `verify` (`batch`: the worst of its tickets):
  0 PASS, SKIPPED, DRY_RUN    10 FAILED_…    11 PASS_WEAK    12 BLOCKED_…
  13 CANCELLED    14 SKIPPED_BUDGET    15 INCONCLUSIVE    16 PENDING
  1 ERROR (infrastructure, no verdict)    2 wrong usage    3 no ticket found
`gate`: 17 SKIPPED, else as above. `report --budget`: 14 used up    18 a threshold is reached
"""
"""`\\b` keeps click from joining the lines of the paragraph."""


@click.group(
    help=HELP,
    cls=LazyGroup,
    commands={name: click.Command(name) for name in COMMANDS},  # of which click suggests the nearest
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="refute")
@click.option("--debug", is_flag=True, help="Show tracebacks of errors.")
def refute(*, debug: bool) -> None:
    """See `HELP`."""
    del debug  # read by run(), before click parses


def run() -> None:
    """Run the command that was given: no traceback reaches a person without `--debug`.

    Raises:
        SystemExit: always, with the exit code.
    """
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    try:
        prepare_streams()
        sys.exit(refute.main(args=arguments, prog_name="refute", standalone_mode=False) or 0)
    except click.NoSuchOption as error:
        _only_near(error).show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as end:  # click makes an Abort of an interruption
        why = end if isinstance(end, KeyboardInterrupt) else end.__cause__
        click.echo(f"refute: {(why and str(why)) or 'interrupted'}", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:  # the outermost boundary: whatever happens, a person gets one readable message
        if debug:
            raise
        sys.exit(_explain(error))
    finally:
        # The interpreter's last collection would walk a million objects for nothing: 0.8 s, frozen 0.2 s (ADR 22).
        gc.freeze()


def _only_near(error: click.NoSuchOption) -> click.ClickException:
    """Without suggestions that share no more than some letters with what was written."""
    import difflib

    near = difflib.get_close_matches(error.option_name, error.possibilities or (), cutoff=NEAR)
    return type(error)(error.option_name, possibilities=near, ctx=error.ctx)


def _explain(error: Exception) -> int:
    """Print an error for a person; returns the exit code."""
    from refute.errors import RefuteError
    from refute.guardrails.plain_text import printable

    if isinstance(error, RefuteError):
        click.echo(f"refute: {printable(str(error))}", err=True)
        return error.exit_code
    if isinstance(error, OSError) and error.filename is not None:
        click.echo(f"refute: {printable(str(error.filename))}: {error.strerror}", err=True)
        return 1
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
        click.echo(f"refute: a file could not be written: {error.strerror}", err=True)
        click.echo("  `refute doctor` shows how much room there is.", err=True)
        return 1
    click.echo(f"refute: internal error: {type(error).__name__}: {printable(str(error))}", err=True)
    click.echo("  Run again with `refute --debug …` and report what it shows.", err=True)
    return 1
