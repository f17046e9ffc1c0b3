"""What a workspace's own configuration runs: console scripts, npm scripts, tox environments."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import configparser

_MAX_BYTES: Final = 1_000_000
_UNREADABLE: Final = (ValueError, RecursionError, AttributeError, TypeError, KeyError)
_REFERENCE: Final = re.compile(r"([\w.]+)\s*(?::|\Z)")
_HOOK: Final = re.compile(r"^\s*(?:-\s+)?entry:\s*(.+?)\s*$", re.MULTILINE)
"""What a hook of pre-commit runs."""
_TOX_SUBSTITUTION: Final = re.compile(r"\{(?:posargs:?([^{}]*)|(toxinidir|tox_root)|(envpython)|[^{}]*)\}")


def console_script(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The files of the workspace in which a command lies that its packaging declares.

    Args:
        name: the command's word.
        files: every file of the workspace.
    """
    reference = _declared_in_pyproject(files).get(name) or _declared_in_setup_cfg(files).get(name)
    match = _REFERENCE.match(reference) if isinstance(reference, str) else None
    if match is None:
        return
    base = match[1].replace(".", "/")
    for root in ("", "src/", "lib/"):
        for candidate in (f"{root}{base}.py", f"{root}{base}/__init__.py"):
            if candidate in files:
                yield candidate


def commands_as_shell(path: str, how: str, files: Mapping[str, bytes]) -> tuple[str, bytes] | None:
    """The commands that `npm SCRIPT`, `tox` and the like would run, as shell text, each on its line of the file.

    Args:
        path: `package.json`, `tox.ini` and so on, as the script's directory makes it.
        how: the tool, and the name of what it is to run where it takes one.
        files: every file of the workspace.

    Returns:
        The configuration's path and the text; None where there is none, or nothing in it.
    """
    tool, _, script = how.partition(" ")
    names = [path, "setup.cfg", "pyproject.toml"] if tool == "tox" else [path]
    for name in names:
        text = _text(files, name)
        try:
            commands = _commands(tool, script, name, text)
        except _UNREADABLE:
            continue  # the tool cannot read it either
        if commands:
            return name, _in_place(text, commands).encode()
    return None


def _commands(tool: str, script: str, name: str, text: str) -> list[str]:
    match tool:
        case "npm":
            return _npm_scripts(text, script)
        case "task":
            return _tasks(text, script)
        case "just":
            return [line.strip() for line in text.splitlines() if line[:1].isspace() and line.strip()]
        case "hooks":
            return [match[1].strip("'\"") for match in _HOOK.finditer(text)]
    return _tox_commands(name, text)


def _tasks(text: str, script: str) -> list[str]:
    """Tasks by this name that hatch, pdm, poe or taskipy would run."""
    import tomllib  # noqa: PLC0415 - most scans never need it

    tool = tomllib.loads(text).get("tool", {})
    environments = [one.get("scripts", {}) for one in tool.get("hatch", {}).get("envs", {}).values()]
    tables = [
        *environments,
        tool.get("pdm", {}).get("scripts", {}),
        tool.get("poe", {}).get("tasks", {}),
        tool.get("taskipy", {}).get("tasks", {}),
    ]
    return [command for table in tables for command in _texts(table.get(script.rpartition(":")[2]))]


def _texts(task: Any) -> Iterator[str]:
    match task:
        case str():
            yield task
        case list():
            yield from (text for part in task for text in _texts(part))
        case dict():
            yield from (text for key in ("cmd", "shell", "composite", "sequence") for text in _texts(task.get(key)))


def _text(files: Mapping[str, bytes], name: str) -> str:
    data = files.get(name, b"")
    return data.decode("utf-8", "replace") if len(data) <= _MAX_BYTES else ""


def _declared_in_pyproject(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        import tomllib  # noqa: PLC0415 - most scans never need it

        document = tomllib.loads(_text(files, "pyproject.toml"))
        return {
            **document.get("tool", {}).get("poetry", {}).get("scripts", {}),
            **document.get("project", {}).get("scripts", {}),
        }
    except _UNREADABLE:
        return {}


def _declared_in_setup_cfg(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        lines = _parser(_text(files, "setup.cfg")).get("options.entry_points", "console_scripts", fallback="")
    except _UNREADABLE:
        return {}
    pairs = (line.partition("=") for line in lines.splitlines() if "=" in line)
    return {name.strip(): reference.strip() for name, _, reference in pairs}


def _parser(text: str) -> "configparser.ConfigParser":
    """The settings of an INI file.

    Raises:
        ValueError: it cannot be read.
    """
    import configparser  # noqa: PLC0415 - most scans never need it

    parser = configparser.ConfigParser(interpolation=None, strict=False, comment_prefixes=("#",))
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    return parser


def _npm_scripts(text: str, script: str) -> list[str]:
    scripts = json.loads(text).get("scripts", {})
    installing = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"]
    wanted = {"install": installing, "ci": installing, "i": installing, "t": ["pretest", "test", "posttest"]}
    names = wanted.get(script, [f"pre{script}", script, f"post{script}"])
    return [scripts[name] for name in names if isinstance(scripts.get(name), str)]


def _tox_commands(name: str, text: str) -> list[str]:
    if name == "pyproject.toml":
        import tomllib  # noqa: PLC0415 - most scans never need it

        return _tox_commands_of_toml(tomllib.loads(text).get("tool", {}).get("tox", {}))
    parser = _parser(text)
    prefix = "tox:" if name == "setup.cfg" else ""
    sections = [section for section in parser.sections() if section.startswith(f"{prefix}testenv")]
    found: list[str] = []
    for section in sections:
        for key in ("commands_pre", "commands", "commands_post"):
            joined = re.sub(r"\\\n\s*", " ", parser.get(section, key, fallback=""))
            found.extend(line.strip() for line in joined.splitlines() if line.strip())
    return found


def _tox_commands_of_toml(tox: Mapping[str, Any]) -> list[str]:
    if isinstance(legacy := tox.get("legacy_tox_ini"), str):
        return _tox_commands("tox.ini", legacy)
    found: list[str] = []
    for section in [tox.get("env_run_base", {}), *tox.get("env", {}).values()]:
        for key in ("commands_pre", "commands", "commands_post"):
            rows = section.get(key, [])
            found.extend(" ".join(word for word in row if isinstance(word, str)) for row in rows)
    return found


def _in_place(text: str, commands: list[str]) -> str:
    """Each command on the line that holds it, so that findings point there."""
    lines = text.split("\n")
    placed = [""] * len(lines)
    for command in commands:
        head = re.split(r'["\\\n]', command, maxsplit=1)[0][:60]
        at = next((index for index, line in enumerate(lines) if head and head in line), 0)
        plain = _TOX_SUBSTITUTION.sub(_substituted, command) if "{" in command and "$" not in command else command
        placed[at] = "; ".join(filter(None, [placed[at], plain.lstrip("-! ").replace("\n", " ; ")]))
    return "\n".join(placed) + "\n"


def _substituted(match: re.Match[str]) -> str:
    if match[2]:
        return "."
    return "python" if match[3] else match[1] or "tox_value"
