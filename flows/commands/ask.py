"""`refute ask`: the operator assistant at a terminal, one question or a conversation."""

import json
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click

from flows.commands.options import results
from flows.in_advance import user
from refute.ledger.store import Ledger
from refute.settings import Settings

if TYPE_CHECKING:
    from refute.assistant.configuration import Challenge
    from refute.assistant.exchange import Answer, Assistant

MAX_USER_CHARS = 200


@click.command()
@click.argument("question", nargs=-1)
@click.option("--as", "name", metavar="NAME", default="", help="Name of the conversation, if one login has several.")
@click.option("--keywords", is_flag=True, help="Route by keywords, without a model.")
@results("text", "json", to_file=False)
def ask(question: tuple[str, ...], *, name: str, keywords: bool, form: str) -> int:
    """Ask QUESTION; without one, talk line by line until `exit` or end of input.

    The answer goes to stdout. What a change of the WAF needs to be confirmed with goes to stderr, for a person alone:
    answer `confirm NUMBER`, also by another `refute ask`, or `cancel`. Exits with 1 where a change is refused or fails.
    """
    from refute.assistant.connect import connect_assistant

    def report() -> str:
        from reports.terminal import report_in_words

        return report_in_words(ledger, settings)

    settings = Settings.load().ad_hoc()
    conversation = f"{os.getuid()}:{user()}/{name}"[:MAX_USER_CHARS]
    with closing(Ledger.open(settings)) as ledger:
        assistant = connect_assistant(settings, ledger, report=report, keywords=keywords)
        if question:
            return _exchange(assistant, conversation, " ".join(question), form)
        failed = 0
        while (line := _next_line()) is not None:
            if line:
                failed = _exchange(assistant, conversation, line, form)
        return failed


def _next_line() -> str | None:
    """What a person says next; None: nothing more."""
    if sys.stdin.isatty():
        click.echo("> ", nl=False, err=True)
    line = sys.stdin.readline()
    return None if not line or line.strip().lower() in {"exit", "quit"} else line.strip()


def _exchange(assistant: "Assistant", conversation: str, text: str, form: str) -> int:
    answer = assistant.turn(conversation, text)
    click.echo(_as_json(answer) if form == "json" else answer.text)
    if answer.challenge is not None:
        _show(answer.challenge)
    return int(answer.failed)


def _as_json(answer: "Answer") -> str:
    fields = ("turn_id", "route", "routed_by", "text", "citations", "failed")
    told = {name: getattr(answer, name) for name in fields}
    return json.dumps({**told, "waits_for_confirmation": answer.challenge is not None}, ensure_ascii=False)


def _show(challenge: "Challenge") -> None:
    """On stderr, which carries no answer that a model wrote."""
    head, *rest = challenge.text().splitlines()
    click.secho(head, bold=True, fg="red" if challenge.outage else None, err=True)
    for line in rest:
        click.echo(line, err=True)
