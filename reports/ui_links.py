"""Links within the Prefect UI: paths, since each reader reaches the same server by an address of their own."""

from typing import Final
from urllib.parse import urlsplit

RUNS: Final = "/runs/"
"""What the path of a run's page has, and nothing before it but where the pages are served."""


def path_of(url: str) -> str:
    """The path of a page of the UI; empty where the URL is none."""
    parts = urlsplit(url) if url.startswith(("http://", "https://")) else None
    return parts.path if parts is not None and RUNS in parts.path else ""


def artifact_path(run_url: str, artifact_id: str) -> str:
    """The page of an artifact.

    Args:
        run_url: of any run of the same server.
        artifact_id: the server's.
    """
    return f"{path_of(run_url).partition(RUNS)[0]}/artifacts/artifact/{artifact_id}"
