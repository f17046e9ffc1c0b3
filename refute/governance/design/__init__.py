"""Mechanical checks of a low-level design in Markdown, before anybody reviews it."""
