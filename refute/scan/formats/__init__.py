"""Scan results as text, JSON and SARIF: pure functions from a result to a string."""
