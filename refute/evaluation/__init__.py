"""What measures the defences: attacks as data, and what is weak, or stands in for something, on purpose.

- assistant (`assistant_routing.toml`, `assistant_changes.toml`): routes, answers, and changes that must not happen.
- waf: SafeLine's API in memory.
"""
