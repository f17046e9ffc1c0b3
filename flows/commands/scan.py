"""`refute scan`: the safety scanner alone."""

import os
import sys
from pathlib import Path

import click

from flows.commands.options import FILE, results
from flows.commands.output import deliver, in_color
from refute import __version__
from refute.scan.allow import load_allow_file, suppress
from refute.scan.changes import ScanBase, only_changed, read_changes
from refute.scan.finding import Compared, ScanResult, Severity
from refute.scan.formats.document import render_annotations, render_json, render_sarif
from refute.scan.formats.text import render_text
from refute.scan.rules import Language
from refute.scan.scanner import Target, check_examples, collect, scan_targets, scan_text

BLOCKED_EXIT_CODE = 12
"""As `refute verify` exits for BLOCKED_DANGEROUS_SCRIPT."""
_SEVERITIES = ("medium", "high", "critical")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--language",
    type=click.Choice(("shell", "python")),
    help="Language of the named files (default: by name and first line).",
)
@click.option(
    "--block-from", type=click.Choice(_SEVERITIES), default="high", show_default=True, help="The severity that blocks."
)
@click.option(
    "--allow",
    "allow_file",
    type=FILE,
    metavar="FILE",
    help="Reviewed allow-file (YAML: rule, path, reason, sha256 if wanted).",
)
@click.option(
    "--tables",
    type=FILE,
    metavar="FILE",
    help="Your own rows for commands, calls and hosts (TOML); their examples are checked first.",
)
@click.option("--diff", "base", metavar="BASE", help="Only findings that are new since this git revision.")
@results("text", "json", "sarif", "github")
def scan(  # noqa: PLR0913 - one parameter per option
    *,
    paths: tuple[Path, ...],
    language: str | None,
    block_from: str,
    allow_file: Path | None,
    tables: Path | None,
    base: str | None,
    form: str,
    output: Path | None,
) -> int:
    """Scan shell and Python files for dangerous commands; nothing is executed.

    PATHS are files, directories (searched for shell and Python files) or `-` for standard input. With --diff only
    findings that the revision does not have are listed; the others are counted.

    Exit codes: 0 nothing to ask about or refuse, 12 something to ask about, to refuse or that could not be analysed, 2
    wrong usage, 3 a path is missing.
    """
    if tables is not None:
        check_examples(tables)
    stdin = sys.stdin.buffer.read() if any(str(path) == "-" for path in paths) else None
    targets = collect(list(paths), stdin, Language(language) if language else None)
    result = scan_targets(targets, block_from=Severity[block_from.upper()], tables=tables)
    if allow_file is not None:
        result = suppress(result, load_allow_file(allow_file), {target.path: target.data for target in targets})
    compared = None
    if base is not None:
        changes = read_changes(base, {target.path: target.home for target in targets})
        before, result = result, only_changed(result, changes, _as_named(targets, tables))
        compared = Compared(base=base, left_out=len(before.findings) - len(result.findings))
    text = _render(result, targets, form, compared, color=in_color(output))
    deliver(text, output, kept="Scan again; nothing was changed.")
    return 0 if result.safe else BLOCKED_EXIT_CODE


def _as_named(targets: tuple[Target, ...], tables: Path | None) -> ScanBase:
    """Scans another version of a target in the language in which the target itself was read."""
    languages = {target.path: target.language for target in targets}
    return lambda path, data: scan_text(path, data, language=languages.get(path), tables=tables)


def _render(
    result: ScanResult,
    targets: tuple[Target, ...],
    form: str,
    compared: Compared | None,
    *,
    color: bool,
) -> str:
    if form == "json":
        return render_json(result, compared)
    if form == "sarif":
        return render_sarif(result, compared, version=__version__)
    if form == "github":
        return render_annotations(result, compared)

    sources = {target.path: target.data.decode("utf-8", "replace").removeprefix("\ufeff") for target in targets}
    return render_text(result, sources, compared=compared, color=color and "NO_COLOR" not in os.environ)
