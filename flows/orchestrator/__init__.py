"""The Prefect server behind ad-hoc runs: the configured one where it answers, else one loopback server that refute keeps."""
