"""The Prefect server behind ad-hoc runs: the configured one, else one loopback server that refute keeps."""
