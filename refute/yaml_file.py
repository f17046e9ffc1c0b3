"""The files that people write in YAML (settings, policies, prices, allow-files): read and checked in one way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from refute.errors import SettingsInvalid, UsageError
from refute.field_faults import fault

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """A file, and how its faults are told."""

    path: Path
    what: str = ""
    """Stands before its path: `allow-file`."""
    hint: str
    error: type[UsageError] = SettingsInvalid

    def read(self) -> Any:
        """What it holds; None where that is nothing. Raises `error`: it cannot be read."""
        return self.parse(self.content())

    def content(self) -> bytes:
        """Its bytes. Raises `error`: there are none to be had."""
        if self.path.is_dir():
            raise self.refused("got a directory, expected a file")
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise self.refused(f"cannot be read: {error.strerror}") from error

    def parse(self, content: bytes) -> Any:
        """What bytes of it mean. Raises `error`: they are no YAML."""
        import yaml  # noqa: PLC0415  # most directories have no such file, and every start would pay for it

        try:
            return yaml.safe_load(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self.refused(f"is not UTF-8 (byte {error.start + 1}): save it as UTF-8") from error
        except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date such as 2026-13-99 is a ValueError
            mark = getattr(error, "problem_mark", None)
            place = f"line {mark.line + 1}: " if mark else ""
            problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
            raise self.refused(f"{place}is no YAML: {problem}") from error

    def check(self, shape: type[Model], content: Any) -> Model:
        """Content as a model. Raises `error`: with every fault of it."""
        checked: Model = self._checked(shape.model_validate, content, shape.model_fields)
        return checked

    def entries(self, shape: type[Model]) -> tuple[Model, ...]:
        """A file that is a list of models; an empty one is a list of none. Raises `error`: with every fault of it."""
        adapter = TypeAdapter(tuple[shape, ...])  # type: ignore[valid-type]
        content = self.read()
        checked = self._checked(adapter.validate_python, [] if content is None else content, shape.model_fields)
        return tuple(checked)

    def _checked(self, validate: Callable[[Any], Any], content: Any, known: Mapping[str, Any]) -> Any:
        try:
            return validate(content)
        except ValidationError as error:
            raise self.refused("; ".join(fault(dict(one), known) for one in error.errors())) from error

    def refused(self, told: str) -> UsageError:
        """The error that says what is wrong."""
        return self.error(f"{self.what} {self.path}: {told}".lstrip(), hint=self.hint)
