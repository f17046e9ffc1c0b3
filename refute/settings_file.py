"""The file of settings, read as it stands: what it means is checked with the settings."""

from pathlib import Path
from typing import Any

from refute.errors import SettingsInvalid


def read_settings_file(path: Path) -> dict[str, Any]:
    """The names and values of a settings file; nothing where there is none, or an empty one.

    Raises:
        SettingsInvalid: it cannot be read, or holds something else than settings.
    """
    if path.exists() and not path.is_file():
        raise SettingsInvalid(f"{path}: got a directory, expected a file of settings", hint="Rename it, or remove it.")
    if not path.exists():
        return {}
    import yaml  # noqa: PLC0415  # most directories have no such file, and every start would pay for it

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsInvalid(f"{path}: cannot be read: {error.strerror}", hint="Make it readable.") from error
    except UnicodeDecodeError as error:
        raise SettingsInvalid(f"{path}: is not UTF-8 (byte {error.start + 1})", hint="Save it as UTF-8.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date such as 2026-13-99 is a ValueError
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise SettingsInvalid(f"{path}: {place}is no YAML: {problem}", hint="Write `name: value` lines.") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise SettingsInvalid(
            f"{path}: got {type(content).__name__}, expected a setting on each line", hint="Write `name: value` lines."
        )
    return {str(name): value for name, value in content.items()}
