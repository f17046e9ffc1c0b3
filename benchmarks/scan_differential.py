"""Old scanner against new: what changes on the corpora and on the shell and Python files under /usr.

Usage: python -m benchmarks.scan_differential OLD [--every 10] [--save FILE] [--list 40]

OLD is another checkout of refute, or what an earlier run kept with `--save`; new is this tree. The texts are scanned
one by one in a process for each side, never executed. The table has a row for each set: how many are at CONFIRM or
above and how many are refused (old → new), how many have the same findings, how many moved to a higher tier or a lower
one, and how many keep their tier with other findings. What changed is listed behind it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORPORA = ROOT.parent / "shared" / "corpora"
MAX_BYTES = 300_000
SHELLS = frozenset({b"sh", b"bash", b"dash"})
TIERS = ("clean", "note", "confirm", "refuse")
Results = Mapping[str, list[str]]
"""`set | text` → its findings as `tier rule line`, the worst tier first."""


class Item(NamedTuple):
    """One text to scan."""

    group: str
    name: str
    language: str
    text: bytes


def items(every: int) -> Iterator[Item]:
    """The texts of both corpora, every shell script under /usr and each so many-th of the Python files there."""
    for corpus in ("scripts_dev", "injection_dev"):
        for line in (CORPORA / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            language = "python" if row.get("lang") == "python" else "shell"
            label = row.get("label", row.get("kind"))
            category = row["category"] if label == "dangerous" else row["source"].partition("/")[2]
            yield Item(f"{label} {language} {category}", row["id"], language, row["text"].encode())
    number = 0
    for path in _files(Path("/usr")):
        with path.open("rb") as file:
            first = file.readline(200)
        if first.startswith(b"#!") and first.split()[0].rpartition(b"/")[2].rstrip() in SHELLS:
            yield Item("/usr shell", str(path), "shell", path.read_bytes())
        elif path.suffix == ".py":
            number += 1
            if number % every == 0:
                yield Item("/usr python", str(path), "python", path.read_bytes())


def _files(root: Path) -> Iterator[Path]:
    for directory, directories, names in os.walk(root):
        directories.sort()
        for path in (Path(directory, name) for name in sorted(names)):
            if path.is_file() and not path.is_symlink() and path.stat().st_size < MAX_BYTES:
                yield path


def scan(every: int) -> dict[str, list[str]]:
    """Scan every text with whichever `refute` is first on the path."""
    from refute.scan.rules import Language  # noqa: PLC0415 - the tree is chosen by the path
    from refute.scan.scanner import scan_text  # noqa: PLC0415

    found: dict[str, list[str]] = {}
    for item in items(every):
        path = item.name.lstrip("/")
        findings = scan_text(path, item.text, language=Language(item.language))
        rows = sorted(findings, key=lambda one: (-one.tier, one.line, one.rule_id))
        found[f"{item.group} | {item.name}"] = [f"{one.tier.name.lower()} {one.rule_id} {one.line}" for one in rows]
    return found


def started(tree: Path, every: int) -> "subprocess.Popen[str]":
    """The scan of all texts by another process, with the `refute` of a tree."""
    command = [sys.executable, __file__, "--worker", "--every", str(every), "."]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves


def answer(process: "subprocess.Popen[str]") -> Results:
    """What it found; what it complains about stands on standard error."""
    found: Results = json.loads(process.communicate()[0])
    return found


def tier(findings: list[str]) -> int:
    """The worst tier, 0 where nothing was found."""
    return TIERS.index(findings[0].partition(" ")[0]) if findings else 0


def compare(old: Results, new: Results) -> Iterator[str]:
    """The table, then what changed."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    changed: list[str] = []
    for key in new:
        before, after = old.get(key, []), new[key]
        row = rows[key.partition(" | ")[0]]
        how = "same" if before == after else "other"
        if tier(before) != tier(after):
            how = "up" if tier(after) > tier(before) else "down"
        row.update(["files", how])
        for side, findings in (("old", before), ("new", after)):
            row.update([f"{side} {what}" for level, what in ((2, "asked"), (3, "refused")) if tier(findings) >= level])
        if how != "same":
            lost, won = (", ".join(sorted(set(a) - set(b))) for a, b in ((before, after), (after, before)))
            step = f"{TIERS[tier(before)]} → {TIERS[tier(after)]}"
            changed.append(f"- {how}: {key}: {step}; gone: {lost or '–'}; new: {won or '–'}")
    yield "| set | files | CONFIRM or above | refused | same | up | down | other findings |"
    yield "|---|---|---|---|---|---|---|---|"
    for group, row in sorted(rows.items()):
        shares = [f"{row[f'old {what}']} → {row[f'new {what}']}" for what in ("asked", "refused")]
        cells = [group, row["files"], *shares, row["same"], row["up"], row["down"], row["other"]]
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    yield from sorted(changed, key=lambda line: (line.startswith("- other"), line))


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("--every", type=int, default=10, help="each so many-th Python file under /usr")
    parser.add_argument("--save", type=Path, help="where to keep what the old one found")
    parser.add_argument("--list", type=int, default=60, help="how many changes are listed")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        json.dump(scan(options.every), sys.stdout)
        return
    kept = options.old.is_file()
    running = [started(tree, options.every) for tree in ([] if kept else [options.old]) + [ROOT]]
    *before, new = map(answer, running)
    old: Results = json.loads(options.old.read_text(encoding="utf-8")) if kept else before[0]
    if options.save:
        options.save.write_text(json.dumps(old), encoding="utf-8")
    lines = list(compare(old, new))
    print("\n".join(lines[: lines.index("") + 1 + options.list]))


if __name__ == "__main__":
    main()
