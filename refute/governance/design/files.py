"""Rules about files: what a design adds, modifies and deletes, against the repository and the Definition of Done."""

import re
from pathlib import Path
from typing import Final

from refute.governance.design.reading import Block, Design, Found

SUFFIXES: Final = (
    r"py|pyi|md|rst|yml|yaml|toml|json|jsonl|sh|txt|cfg|ini|sql|html|css|js|jsx|ts|tsx|lock|j2|xml|csv|go|rs|java"
    r"|c|h|cpp"
)
_FOLDERS: Final = r"(?<![\w/.])(?:[\w.@-]+/)*"
FILE: Final = re.compile(rf"{_FOLDERS}(?:[\w.@-]*\w\.(?:{SUFFIXES})\b|(?:Makefile|Dockerfile)\b)")
"""A file in running text."""
CHANGES: Final = {"add": "Add", "modif": "Modify", "delet": "Delete"}
PLACEHOLDERS: Final = ("src", "lib", "app")


def files_changed(design: Design) -> list[tuple[Block, str, str]]:
    """Row, change and path of each entry of the Files Changed table."""
    found = []
    for row in design.rows("files"):
        cell = row.cell(r"file|path") or ""
        named = paths_in(cell) or [cell.strip(" `")]
        change = (row.cell(r"^(?:change|action|type|operation)") or "").strip().lower()
        found += [(row, change, path) for path in named]
    return found


def paths_in(text: str) -> list[str]:
    """Every path that a text names: by its suffix, and in `code` also by its slash."""
    plain = re.sub(r"https?://\S+", "", text)
    marked = [span for span in re.findall(r"`([^`]+)`", plain) if re.fullmatch(r"[\w.@/-]+/[\w.@-]*", span)]
    return list(dict.fromkeys([*FILE.findall(plain), *marked]))


def same_file(one: str, other: str) -> bool:
    """The same path, or one that abbreviates the other by its end."""
    longer, shorter = sorted((one.rstrip("/"), other.rstrip("/")), key=len, reverse=True)
    return longer == shorter or longer.endswith(f"/{shorter}")


def known_changes(design: Design, _: Path) -> Found:
    """Every change is one of the three."""
    for row, change, path in files_changed(design):
        if not change.startswith(tuple(CHANGES)):
            yield row.line, f"{path}: got the change {change or 'nothing'!r}, expected Add, Modify or Delete"


def changed_exist(design: Design, repo: Path) -> Found:
    """What is modified or deleted is there."""
    for row, change, path in files_changed(design):
        if change.startswith(("modif", "delet")) and not _is_in(repo, path):
            yield row.line, f"{path}: to {CHANGES[change[:5]]}, but there is no such file"


def _is_in(repo: Path, path: str) -> bool:
    """Whether a file is there by its path, or by its name where only that is given."""
    if ".." in path.split("/"):
        return False
    hidden = (one for one in repo.rglob(path) if not any(part.startswith(".") for part in one.relative_to(repo).parts))
    return (repo / path).exists() or ("/" not in path and any(hidden))


def parents_exist(design: Design, repo: Path) -> Found:
    """What is added has a directory to stand in."""
    entries = files_changed(design)
    made = {path.rstrip("/") for _, change, path in entries if change.startswith("add") and path.endswith("/")}
    for row, change, path in entries:
        parent = path.rstrip("/").rpartition("/")[0]
        if change.startswith("add") and parent not in made and (".." in parent or not (repo / parent).is_dir()):
            yield row.line, f"{path}: to Add, but there is no directory {parent}/"


def no_placeholders(design: Design, repo: Path) -> Found:
    """No path begins with a directory that only examples have."""
    for row, _, path in files_changed(design):
        first = path.partition("/")[0]
        if "/" in path and first in PLACEHOLDERS and not (repo / first).is_dir():
            yield row.line, f"{path}: the repository has no directory {first}/"


def done_is_changed(design: Design, _: Path) -> Found:
    """Every file of the Definition of Done is one of Files Changed."""
    changed = [path for _, _, path in files_changed(design)]
    for line, path in _done_files(design):
        if not any(same_file(path, one) for one in changed):
            yield line, f"{path}: named in the Definition of Done, not in Files Changed"


def _done_files(design: Design) -> list[tuple[int, str]]:
    return [(block.line, path) for block in design.of("done") for path in paths_in(block.text)]


def inventory_is_done(design: Design, _: Path) -> Found:
    """Every file of the inventory, else of Files Changed, is in the Definition of Done where that names any."""
    listed = [(block.line, path) for block in design.of("inventory") for path in paths_in(block.text)]
    inventory = listed or [(row.line, path) for row, _, path in files_changed(design)]
    done = [path for _, path in _done_files(design)]
    for line, path in inventory if done else ():
        if not path.endswith("/") and not any(same_file(path, one) for one in done):
            yield line, f"{path}: in the file inventory, not in the Definition of Done"
