"""Testers that are models: what they are asked, round by round, and how their answer becomes a test file."""
