"""From settings to an assistant."""

import hashlib
import hmac
import os
from collections.abc import Callable
from dataclasses import replace

from refute.assistant.exchange import Assistant
from refute.assistant.safeline import SafeLine
from refute.assistant.sources import Sources
from refute.assistant.supervisor import Supervisor, system_lines
from refute.errors import RefuteError
from refute.guardrails.confirmation import Confirmations
from refute.guardrails.redaction import Redactor
from refute.ledger.budgets import Payer
from refute.ledger.conversations import Conversations
from refute.ledger.store import Ledger
from refute.llm.connect import connect_model
from refute.ports import audit_log
from refute.settings import Settings
from refute.signed_folder import signing_key

PAYER: str = "assistant"
"""What model calls are booked under in place of a ticket."""
PURPOSE: bytes = b"confirmations of the assistant"


def connect_assistant(
    settings: Settings, ledger: Ledger, *, report: Callable[[], str] = str, keywords: bool = False
) -> Assistant:
    """The assistant of the settings; with `keywords` it asks no model even where one is configured.

    Raises:
        SettingsInvalid, InfrastructureError: there is no key that confirmations could be sealed with.
    """
    audit = audit_log(settings)
    wafs = {name: SafeLine(name, instance) for name, instance in settings.safeline.items()}
    tokens = [os.environ.get(instance.token_env, "") for instance in settings.safeline.values()]
    key = hmac.new(signing_key(settings), PURPOSE, hashlib.sha256).digest()

    def supervise(turn_id: str) -> Supervisor:
        if keywords or not settings.gemini_file.is_file():
            return Supervisor()
        payer = Payer(run_id=turn_id, ticket_id=PAYER)
        try:
            model = connect_model(settings, payer, ledger=lambda: ledger, audit=replace(audit, turn_id=turn_id))
        except RefuteError as error:  # a question about an attack must not wait for a file to be mended
            return Supervisor(why_not=error.message)
        return Supervisor(model)

    return Assistant(
        sources=Sources(
            ledger=ledger, wafs=wafs, settings=settings.assistant, audit_path=settings.audit_path, report=report
        ),
        confirmations=Confirmations(Conversations(ledger), key=key),
        supervise=supervise,
        audit=audit,
        redactor=Redactor(fragments=system_lines(), secrets=tokens),
        modes=settings.guardrails,
    )
