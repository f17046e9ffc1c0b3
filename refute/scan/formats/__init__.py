"""Scan results as text, JSON, SARIF and GitHub annotations: pure functions from a result to a string."""
