"""Runs that are kept, to stand for later ones in which everything that decides them is the same (docs/adr/0019)."""
