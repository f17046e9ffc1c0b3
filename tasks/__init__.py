"""One Prefect task per stage, each a thin wrapper."""
