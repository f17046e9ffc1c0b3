"""shim"""

from flows.orchestrator.server import answers


def is_lost(api_url: str) -> bool:
    return not answers(api_url)


def give_up() -> None:
    pass
