"""Figures with their uncertainty."""
