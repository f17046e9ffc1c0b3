"""Room bookings as (start, end) minutes since midnight."""

from typing import List, Optional, Tuple

Slot = Tuple[int, int]


def merge_slots(slots: List[Slot]) -> List[Slot]:
    """Merge overlapping or adjacent slots.

    Args:
        slots: Slots in any order.

    Returns:
        Merged slots, sorted by start time.

    Example:
        >>> merge_slots([(60, 90), (80, 120), (180, 200)])
        [(60, 120), (180, 200)]
    """
    if not slots:
        return []
    slots.sort(key=lambda slot: slot[0])
    merged = [slots[0]]
    for start, end in slots[1:]:
        last_start, last_end = merged[-1]
        if start < last_end:
            merged[-1] = (last_start, max(last_end, end))
        else:
            merged.append((start, end))
    return merged


def busy_minutes(slots: List[Slot]) -> int:
    """Total number of minutes that are booked at least once."""
    return sum(end - start for start, end in merge_slots(slots))


def first_free(slots: List[Slot], duration: int, day: Slot = (480, 1080)) -> Optional[int]:
    """Start of the first free gap of at least `duration` minutes within the day, or None.

    Example:
        >>> first_free([(480, 540), (560, 1080)], 20)
        540
    """
    if duration <= 0:
        raise ValueError("duration must be positive")
    candidate = day[0]
    for start, end in merge_slots(slots):
        if start - candidate >= duration:
            return candidate
        candidate = max(candidate, end)
    return candidate if day[1] - candidate >= duration else None


def format_slot(slot: Slot) -> str:
    """Format a slot as HH:MM-HH:MM."""
    start, end = slot
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"
