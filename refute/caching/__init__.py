"""Cached results: what containers said may stand for a later run in which everything that decides it is the same."""
