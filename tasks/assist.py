"""The task of the assistant: one exchange. Never repeated by itself: it may change a WAF."""

from prefect import task

from refute.assistant.exchange import Answer, Assistant
from tasks.options import PLAIN


@task(name="answer", **PLAIN)
def answer(assistant: Assistant, conversation: str, text: str) -> Answer:
    """One message of a conversation, answered."""
    return assistant.turn(conversation, text)
