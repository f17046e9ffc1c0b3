"""The domain of refute: tickets, snapshots, scans, sandbox, adversary, outcomes. Plain Python, no orchestration."""

__version__ = "0.1.0"
