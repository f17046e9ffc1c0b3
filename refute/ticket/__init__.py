"""Tickets: reading them, freezing their files, starting new ones."""
