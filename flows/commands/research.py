"""`refute research`: what web pages say about a goal, without doing what they say; and undefended, to compare."""

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from flows.commands.options import in_order, load_settings, results, setting_options
from flows.commands.output import deliver
from refute.errors import UsageError
from refute.research.connect import require_mode
from refute.research.record import Findings, Mode
from refute.settings import Settings

MAX_GOAL_CHARS: Final = 2_000


class GoalGroup(click.Group):
    """A group in which `research GOAL …` is short for `research run GOAL …`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before what is neither a command nor an option of the group."""
        if args and args[0] not in {*self.commands, *self.get_help_option_names(ctx)}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


_OPTIONS: Final = (
    click.option("--url", "urls", multiple=True, metavar="URL", help="A page to read; repeatable."),
    click.option("--model", metavar="NAME", help="scripted, gemini or openai.  [scripted]"),
    click.option("--follow", type=int, metavar="N", help="Follow up to N links on the same hosts.  [0]"),
    setting_options("max_cost_usd", help="Model budget, in USD.  [0.50]"),
    click.option("--unsafe", is_flag=True, help="Allow vulnerable mode with a real model."),
    setting_options("fresh"),
    results("table", "markdown", "json"),
)


@click.group(cls=GoalGroup)
def research() -> None:
    """Read web pages for a goal: `refute research GOAL --url URL`. Instructions in pages are ignored."""


@research.command(short_help="Read pages for a goal (the default).")
@click.argument("goal")
@click.option(
    "--mode",
    type=click.Choice(["defended", "vulnerable"]),
    default="defended",
    show_default=True,
    help="vulnerable: obeys pages, for comparison.",
)
@in_order(*_OPTIONS)
def run(goal: str, mode: str, urls: tuple[str, ...], form: str, output: Path | None, **options: Any) -> int:
    """Read the pages at --url for GOAL: a summary, points with the quotes behind them, and what was left out.

    `--mode vulnerable` obeys pages: a weak baseline for comparison.
    """
    from reports.research import render_findings

    findings = _run(goal, urls, Mode(mode), _settings(options), unsafe=options["unsafe"])
    deliver(render_findings(findings, form), output, kept="Run it again.")
    return 0


@research.command(short_help="Compare both modes.")
@click.argument("goal", required=False)
@in_order(*_OPTIONS)
def compare(goal: str | None, urls: tuple[str, ...], form: str, output: Path | None, **options: Any) -> int:
    """Read the same pages in both modes. Without GOAL: the bundled attacks, offline."""
    from reports.research import render_comparison, render_trials

    settings = _settings(options)
    if goal is None:
        from refute.evaluation.trials import compare_all
        from refute.ports import audit_log

        deliver(render_trials(list(compare_all(audit_log(settings)))), output, kept="Run it again.")
        return 0
    both = [_run(goal, urls, mode, settings, unsafe=options["unsafe"]) for mode in (Mode.VULNERABLE, Mode.DEFENDED)]
    deliver(render_comparison(both[0], both[1], form), output, kept="Run it again.")
    return 0


@research.command(short_help="Open the comparison as a local web page.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, metavar="N", help="Port.")
def ui(port: int) -> int:
    """Serve a page on 127.0.0.1 that compares both modes. Needs the extra `ui`; stop with Ctrl-C."""
    if importlib.util.find_spec("streamlit") is None:
        raise UsageError("refute research ui needs the package streamlit", hint="Install it: pip install 'refute[ui]'")
    page = Path(__file__).resolve().parents[1] / "research_page.py"
    flags = {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
    }
    told = [f"--{name}={value}" for name, value in flags.items()]
    return subprocess.run([sys.executable, "-m", "streamlit", "run", str(page), *told], check=False).returncode  # noqa: S603  # our own page


def _settings(options: "dict[str, Any]") -> Settings:
    nested = {name: options[name] for name in ("model", "follow") if options[name]}
    settings = load_settings(dict(options))
    if nested:
        settings = load_settings(options, research={**settings.research.model_dump(), **nested})
    return settings.ad_hoc()


def _run(goal: str, urls: tuple[str, ...], mode: Mode, settings: Settings, *, unsafe: bool) -> Findings:
    from flows.run import run_flow

    if not goal.strip() or len(goal) > MAX_GOAL_CHARS:
        got = f"{len(goal)} characters" if goal.strip() else "an empty goal"
        raise UsageError(f"research: got {got}, expected 1 to {MAX_GOAL_CHARS}", hint="Say what you want to know.")
    if not urls:
        raise UsageError("research: got no page to read", hint="Name at least one: --url https://…")
    require_mode(settings, mode, unsafe=unsafe)

    def make() -> Any:
        from flows.research import ResearchRequest, research_pages

        return partial(
            research_pages, ResearchRequest(goal=goal, urls=urls, mode=mode, unsafe=unsafe, settings=settings)
        )

    return run_flow(make, Findings, settings)
