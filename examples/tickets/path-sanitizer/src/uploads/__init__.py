"""Uploads: where user-named files may go."""
