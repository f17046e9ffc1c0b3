"""`refute confirm`: the questions that wait in the Prefect UI, listed, shown and answered at a terminal."""

from typing import TYPE_CHECKING, Final

import click

from flows.in_advance import user
from refute.errors import UsageError
from refute.settings import Settings

if TYPE_CHECKING:
    from flows.confirmation.question import AskedQuestion
    from flows.confirmation.waiting import Waiting

WAITING_EXIT_CODE = 16
"""As for PENDING: the question goes on waiting."""
ANSWERS: Final = {"yes": "confirm", "no": "decline", "dismiss": "dismiss", "uphold": "uphold"}
"""Option → what it says to a question, which has two of these choices."""
APPROVING: Final = frozenset({"confirm", "dismiss"})


@click.command()
@click.argument("run", required=False)
@click.option("--show", is_flag=True, help="Show the question; do not answer.")
@click.option("--yes", is_flag=True, help="Confirm without being asked; needs --files.")
@click.option("--no", is_flag=True, help="Decline without being asked.")
@click.option("--dismiss", is_flag=True, help="Dismiss the failures that critics found; needs --files.")
@click.option("--uphold", is_flag=True, help="Uphold a failure that critics found.")
@click.option("--files", metavar="DIGEST", help="With --yes or --dismiss: digest of the reviewed files (see --show).")
@click.option("--note", default="", metavar="WHY", help="Reason; kept in outcome, ledger and audit log.")
def confirm(run: str | None, *, show: bool, files: str | None, note: str, **answers: bool) -> int:
    """Answer the confirmation of RUN: a ticket, a batch, or the id of a paused run. Without RUN, list what is pending.

    Shows script, scan and planned limits, then asks. The answer is valid for exactly the files shown.
    Exits 0 once it is answered, 16 if it stays pending, 3 if no confirmation matches.
    """
    given = [choice for name, choice in ANSWERS.items() if answers[name]]
    if (run is None and (show or given)) or show + len(given) > 1:
        raise click.UsageError("expected RUN and at most one of --show, --yes, --no, --dismiss, --uphold")
    if note and (run is None or show):
        raise click.UsageError("--note goes with an answer")
    if APPROVING.isdisjoint(given) != (files is None):
        raise click.UsageError("--files goes with --yes or --dismiss, which need it; --show prints the digest")
    from flows.confirmation.waiting import find_question, waiting_questions
    from flows.orchestrator.session import on_running_server

    settings = Settings.load().ad_hoc()
    with on_running_server(settings) as api_url:
        waiting = waiting_questions() if api_url else []
        if run is None:
            return _list(waiting)
        found = find_question(run, waiting)
        return _answer_unasked(found, files, given[0], note) if given else _put(found, settings, show=show, note=note)


def _list(waiting: "list[Waiting]") -> int:
    for one in waiting:
        asked = one.question
        words = f"{asked.words}  what critics say" if asked.is_about_opinions else asked.words
        danger = f"  {asked.blocking} BLOCKING" if asked.blocking else ""
        click.echo(f"{asked.subject}  {words}{danger}  until {asked.deadline:%Y-%m-%d %H:%M} UTC  {one.url}".rstrip())
    first = (
        f"answer with: refute confirm {waiting[0].question.subject}" if waiting else "no question waits for an answer"
    )
    click.echo(f"refute: {first}", err=True)
    return 0


def _put(found: "Waiting", settings: Settings, *, show: bool, note: str) -> int:
    from rich.console import Console

    from flows.terminal import asking

    asked = found.question
    console = Console(stderr=not show)
    asking.show(asked.sections, console)
    console.print(f"\n{_about(asked)}: {asked.digest}", markup=False, highlight=False, soft_wrap=True)
    if show:
        return 0
    reply = asking.read_reply(console, asked, settings.confirmation_timeout_s, later=True)
    if reply.approved is None:
        click.echo("refute: not answered; the question goes on waiting", err=True)
        return WAITING_EXIT_CODE
    return _answered(found, approve=reply.approved, note=note)


def _answer_unasked(found: "Waiting", files: str | None, answer: str, note: str) -> int:
    """Answer in the words of this kind of question: `--yes` could mean either of what critics say."""
    asked = found.question
    if answer not in asked.choices:
        about = "critics" if asked.is_about_opinions else "what may run"
        fitting = " or ".join(f"--{name}" for name, choice in ANSWERS.items() if choice in asked.choices)
        raise UsageError(f"confirm {asked.subject}: the question is about {about}: answer with {fitting}")
    if files not in {None, asked.digest}:
        raise UsageError(
            f"--files: got {files}, but the question about {asked.subject} is about {asked.digest}",
            hint=f"Look at what changed: refute confirm {asked.subject} --show",
        )
    return _answered(found, approve=answer in APPROVING, note=note)


def _answered(found: "Waiting", *, approve: bool, note: str) -> int:
    """Give the answer, and say so."""
    from flows.confirmation.question import short
    from flows.confirmation.waiting import answer

    answer(found, approve=approve, person=f"{user()} by refute confirm", note=note)
    digest = short(found.question.digest)
    done = {"confirm": "confirmed", "decline": "declined", "dismiss": "dismissed", "uphold": "upheld"}
    asked = found.question
    click.echo(f"{asked.subject}: {done[asked.choices[not approve]]} ({_about(asked).lower()} {digest})")
    return 0


def _about(asked: "AskedQuestion") -> str:
    """What a question's digest is of."""
    return "Files" if asked.scripts else "Change"
