"""What the Prefect server does about alerts and killed runs, as code: applied again it changes, never doubles."""

from typing import Any

from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.client.orchestration import SyncPrefectClient
from prefect.exceptions import ObjectNotFound
from pydantic import SecretStr

from flows.orchestrator import killed_runs
from reports.alerts import EXCEEDED, SPIKE, THRESHOLD

BLOCK = "refute-alerts"
BLOCK_TYPE = CustomWebhookNotificationBlock.get_block_type_slug()
PAUSED = "verify-batch/nightly"
SUBJECTS = {
    THRESHOLD: "refute: budget alert",
    EXCEEDED: "refute: the month's budget is used up",
    SPIKE: "refute: more fails than usual",
}
BODY = "{{ event.payload.words }}"


def ensure_block(client: SyncPrefectClient, url: SecretStr | None) -> str | None:
    """The id of the block that notifications go through.

    A URL makes it, or changes its address; without one, a block that is there is used as somebody made it, and None
    says that there is none.
    """
    if url is not None:
        block = CustomWebhookNotificationBlock(
            name=BLOCK, url=url.get_secret_value(), json_data={"text": "{{subject}}\n{{body}}"}
        )
        return str(block.save(BLOCK, overwrite=True))
    try:
        return str(client.read_block_document_by_name(BLOCK, BLOCK_TYPE).id)
    except ObjectNotFound:
        return None


def wanted(client: SyncPrefectClient, block_id: str | None) -> list[dict[str, Any]]:
    """Every automation, as the API takes it: notifications, the pause of the nightly batch, the crash of killed runs.

    Args:
        client: of the server.
        block_id: for notifications; without it there are none.
    """
    notify = [
        {
            "name": f"refute: notify of {event}",
            "description": "Made by deployments/apply.py.",
            "trigger": _on(event),
            "actions": [{"type": "send-notification", "block_document_id": block_id, "subject": subject, "body": BODY}],
        }
        for event, subject in SUBJECTS.items()
        if block_id is not None
    ]
    paused = str(client.read_deployment_by_name(PAUSED).id)
    pause = {
        "name": f"refute: pause {PAUSED} when the budget is used up",
        "description": "Made by deployments/apply.py. Resume its schedule in the UI once there is budget again.",
        "trigger": _on(EXCEEDED),
        "actions": [{"type": "pause-deployment", "source": "selected", "deployment_id": paused}],
    }
    return [*notify, pause, killed_runs.automation()]


def _on(event: str) -> dict[str, Any]:
    return {
        "type": "event",
        "posture": "Reactive",
        "expect": [event],
        "match": {"prefect.resource.id": "refute.alert.*"},
    }
