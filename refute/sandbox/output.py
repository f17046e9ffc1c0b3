"""What a command prints: split into its two streams, each kept up to a limit, however much comes."""

from dataclasses import dataclass, field
from typing import Final

STDOUT: Final = 1
STDERR: Final = 2


def cut_marker(limit_bytes: int) -> str:
    """What stands where a stream was cut."""
    return f"\n[refute: output cut at {limit_bytes} bytes]\n"


@dataclass(slots=True, kw_only=True)
class CappedOutput:
    """Collects both streams; memory never exceeds the limit per stream."""

    limit_bytes: int
    _kept: dict[int, bytearray] = field(default_factory=lambda: {STDOUT: bytearray(), STDERR: bytearray()})
    _cut: set[int] = field(default_factory=set)

    def feed(self, stream: int, data: bytes) -> bool:
        """Keep what fits.

        Args:
            stream: 1 or 2; anything else is an engine's message and counts as stderr.
            data: any number of bytes.

        Returns:
            Whether everything still fitted.
        """
        stream = STDOUT if stream == STDOUT else STDERR
        kept = self._kept[stream]
        room = self.limit_bytes - len(kept)
        kept += data[: max(room, 0)]
        if len(data) > room:
            self._cut.add(stream)
            return False
        return True

    @property
    def was_cut(self) -> bool:
        """Whether either stream went over the limit."""
        return bool(self._cut)

    def text(self, stream: int) -> str:
        """One stream, decoded with replacement; ends with a marker where it was cut."""
        text = self._kept[stream].decode("utf-8", errors="replace")
        return text + cut_marker(self.limit_bytes) if stream in self._cut else text
