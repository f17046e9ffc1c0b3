"""What a workspace's own configuration runs: console scripts, npm scripts, tox environments."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
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
    try:
        reference = next(_values(_toml(_text(files, "pyproject.toml")), name, {"scripts"}), None)
    except _UNREADABLE:
        return
    declared = re.search(rf"(?m)^\s*{re.escape(name)}\s*=\s*(\S+)", _text(files, "setup.cfg"))
    reference = reference or (declared[1] if declared else None)
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
    tasks = _values(_toml(text), script.rpartition(":")[2], {"scripts", "tasks"})
    return [command for task in tasks for command in _texts(task)]


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most scans never need it

    return tomllib.loads(text)


def _values(table: Mapping[str, Any], name: str, holders: Collection[str] = ()) -> Iterator[Any]:
    """What is called so at any depth, in tables with one of these names where there are any."""
    for key, value in table.items():
        if key == name and not holders:
            yield value
        elif isinstance(value, dict):
            if key in holders and name in value:
                yield value[name]
            yield from _values(value, name, holders)


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
    keys = ("commands_pre", "commands", "commands_post")
    if name == "pyproject.toml":
        tox = _toml(text).get("tool", {}).get("tox", {})
        if isinstance(legacy := tox.get("legacy_tox_ini"), str):
            return _tox_commands("tox.ini", legacy)
        rows = (row for key in keys for value in _values(tox, key) for row in value)
        return [" ".join(word for word in row if isinstance(word, str)) for row in rows]
    parser = _parser(text)
    sections = [section for section in parser.sections() if re.match(r"(?:tox:)?testenv", section)]
    texts = (parser.get(section, key, fallback="") for section in sections for key in keys)
    return [line.strip() for one in texts for line in re.sub(r"\\\n\s*", " ", one).splitlines() if line.strip()]


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
