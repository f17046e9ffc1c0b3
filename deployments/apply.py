"""Apply work pool, limits, deployments and automations to PREFECT_API_URL's server; again, it changes nothing more.

Usage: PREFECT_API_URL=http://…/api .venv/bin/python deployments/apply.py [--type process]

REFUTE_ALERT_WEBHOOK_URL (or `alert_webhook_url` in refute.yaml) is where notifications of alerts go.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from automations import ensure_block, wanted
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.exceptions import ObjectNotFound

from flows.orchestrator.api import over_client, upsert_automation
from flows.orchestrator.attended import QUEUE, ensure_attended_queue
from flows.orchestrator.model_limit import LIMIT, ensure_model_limit
from refute.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
POOL = "refute"


def ensure_work_pool(kind: str) -> bool:
    """Make the work pool unless it is there; whether it was made. One that is there keeps its type and settings."""
    with get_client(sync_client=True) as client:
        try:
            client.read_work_pool(POOL)
        except ObjectNotFound:
            client.create_work_pool(WorkPoolCreate(name=POOL, type=kind, description="Workers that verify tickets."))
            return True
    return False


def ensure_limit() -> bool:
    """Make the limit of model requests at once unless it is there; whether it was made."""
    with get_client(sync_client=True) as client:
        return ensure_model_limit(client, Settings.load().model_requests)


def ensure_queue() -> bool:
    """Make the work queue of runs that ask a person unless it is there; whether it was made."""
    with get_client(sync_client=True) as client:
        return ensure_attended_queue(client, POOL, Settings.load().attended_runs)


def apply_deployments() -> int:
    """Make or change every deployment of prefect.yaml; Prefect knows them by flow and name."""
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all", "--prefect-file", "prefect.yaml"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603  # fixed command


def paused_deployments() -> list[UUID]:
    """What somebody, or the automation for a budget that is used up, has paused: applying would resume it."""
    with get_client(sync_client=True) as client:
        return [deployment.id for deployment in client.read_deployments(limit=200) if deployment.paused]


def pause(deployments: list[UUID]) -> None:
    """Pause deployments again."""
    with get_client(sync_client=True) as client:
        for deployment in deployments:
            client.pause_deployment(deployment)


def apply_automations() -> None:
    """Make or change what the server does about alerts; needs the deployments."""
    url = Settings.load().alert_webhook_url
    with get_client(sync_client=True) as client:
        block = ensure_block(client, url)
        if block is None:
            print("no notifications: REFUTE_ALERT_WEBHOOK_URL is not set, and the server has no block refute-alerts")
        for automation in wanted(client, block):
            print(f"automation {automation['name']!r}: {upsert_automation(over_client(client), automation)}")


def main() -> int:
    """Apply everything; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--type", default="process", choices=["process", "docker", "kubernetes"])
    kind = parser.parse_args().type
    if not os.environ.get("PREFECT_API_URL"):
        print("PREFECT_API_URL is not set: expected the address of a Prefect server, e.g. http://127.0.0.1:4200/api")
        return 2
    print(f"work pool {POOL}: {'made' if ensure_work_pool(kind) else 'there already'}")
    print(f"limit {LIMIT}: {'made' if ensure_limit() else 'there already'}")
    print(f"work queue {QUEUE}: {'made' if ensure_queue() else 'there already'}")
    paused = paused_deployments()
    failed = apply_deployments()
    pause(paused)
    if failed:
        return failed
    apply_automations()
    return 0


if __name__ == "__main__":
    sys.exit(main())
