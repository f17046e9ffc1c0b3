"""Views of memory: what they look at is shared, where it can be changed, and else copied."""

import array
from typing import Any


def view_parts(looked: memoryview) -> list[Any] | None:
    """What a view looks at, its first byte there, its size in bytes, format, shape, and whether it only reads.

    None where it cannot be made anew: it is released, or looks at memory that is not shared and can be changed.
    """
    try:
        whole, size = looked.obj, looked.nbytes
    except ValueError:  # released
        return None
    rest = [size, looked.format, looked.shape, looked.readonly]
    if type(whole) in {bytearray, array.array} and looked.c_contiguous and (first := _first(looked, whole)) is not None:
        return [whole, first, *rest]
    return [looked.tobytes(), 0, *rest] if looked.readonly else None


def _first(looked: memoryview, whole: Any) -> int | None:
    """The place of a view's first byte in what it looks at; None where nobody can say."""
    if looked.nbytes in {0, memoryview(whole).nbytes}:
        return 0
    if looked.readonly:
        return None
    import ctypes  # here: hardly any message needs it

    return ctypes.addressof(ctypes.c_char.from_buffer(looked)) - ctypes.addressof(ctypes.c_char.from_buffer(whole))


def view(whole: Any, first: int, size: int, form: str, shape: Any, reads: bool) -> memoryview:  # noqa: FBT001  # over the wire
    """The view of `view_parts`.

    Raises:
        ValueError: it is none of bytes.
        TypeError: it has a format that nothing can be cast to.
    """
    if type(whole) not in {bytes, bytearray, array.array}:
        raise ValueError("a view looks at what holds no bytes")
    made: memoryview[Any] = memoryview(whole).cast("B")[first : first + size]
    if form != "B" or len(shape) != 1:
        made = _cast(made, form, list(shape))
    return made.toreadonly() if reads else made


def _cast(made: Any, form: str, shape: list[int]) -> Any:
    return made.cast(form, shape) if made.nbytes else made.cast(form)
