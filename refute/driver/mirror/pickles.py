"""Pickling an object of the other process: its pickle is made and read there."""

from typing import Any

from refute.driver.mirror.roots import Current


def restored(data: bytes) -> Any:
    """The object of a pickle that the other process made."""
    return Current.link.request("unpickled", data)
