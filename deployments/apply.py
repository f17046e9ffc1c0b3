"""Apply work pool and deployments to the Prefect server of PREFECT_API_URL; running it again changes nothing more.

Usage: PREFECT_API_URL=http://…/api .venv/bin/python deployments/apply.py [--type process]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.exceptions import ObjectNotFound

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


def apply_deployments() -> int:
    """Make or change every deployment of prefect.yaml; Prefect knows them by flow and name."""
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all", "--prefect-file", "prefect.yaml"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603  # fixed command


def main() -> int:
    """Apply everything; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--type", default="process", choices=["process", "docker", "kubernetes"])
    kind = parser.parse_args().type
    if not os.environ.get("PREFECT_API_URL"):
        print("PREFECT_API_URL is not set: expected the address of a Prefect server, e.g. http://127.0.0.1:4200/api")
        return 2
    print(f"work pool {POOL}: {'made' if ensure_work_pool(kind) else 'there already'}")
    return apply_deployments()


if __name__ == "__main__":
    sys.exit(main())
