"""What a behaviour does on another runtime than runc, as data: there this is asserted, not what is asked of runc."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.hostile.behaviour import Behaviour

NO_VERDICT: Final = "no verdict"
"""Among the ends of a behaviour: the runtime itself, or the engine, may end; it says nothing about the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is expected there; a field that is None is as on runc."""

    why: str
    """It is no fault."""
    ends: tuple[str, ...] | None = None
    answers: tuple[str, ...] | None = None
    reports: tuple[str, ...] | None = None
    destroys_canary_files: bool | None = None
    collects: Mapping[str, bytes] | None = None

    def expected(self, behaviour: Behaviour) -> Behaviour:
        """The behaviour, with what is expected of it there."""
        fields: dict[str, Any] = {
            "ends": self.ends,
            "answers": self.answers,
            "reports": self.reports,
            "destroys_canary_files": self.destroys_canary_files,
            "collects": self.collects,
        }
        return replace(behaviour, **{name: value for name, value in fields.items() if value is not None})

    @property
    def may_have_no_verdict(self) -> bool:
        """Whether runtime or engine may end before the program does."""
        return NO_VERDICT in (self.ends or ())
