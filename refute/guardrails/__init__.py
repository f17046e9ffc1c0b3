"""Deterministic policy functions where untrusted words could become an action, or reach a person."""
