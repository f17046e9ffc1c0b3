"""What the scanner finds, what it blocks for nothing, and how long it takes; the tables are committed beside this file.

Usage: python -m benchmarks.scanner [--benign 400] [--bandit PATH] [--semgrep PATH] [--scripts DIR] \
           > benchmarks/results/scanner.md

The page is what one run prints and nothing else; what was found out besides stands in results/scanner-notes.md.

The development corpus is text only; nothing of it is executed. Benign code is what Debian packages put under /usr
(a fixed-seed sample) and the packages of this interpreter.
"""

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.scanner_mutations import mutated
from benchmarks.scanner_speed import speed
from refute.scan.finding import Severity, Tier
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpora" / "scripts_dev.jsonl"
LANGUAGES = {"bash": Language.SHELL, "python": Language.PYTHON}
MAX_BYTES = 300_000
ACTING = frozenset(
    {
        "system-control",
        "container-escape",
        "network-external",
        "package-install",
        "persistence",
        "privilege",
    }
)
"""Rules that name what a script is for, where it is not only about its workspace."""


def blocking(path: str, data: bytes, language: Language) -> tuple[set[str], Tier]:
    """The rules that block a text or are asked about, and what becomes of it."""
    findings = [one for one in scan_text(path, data, language=language) if one.severity >= Severity.HIGH]
    return {one.rule_id for one in findings}, max((one.tier for one in findings), default=Tier.NOTE)


def detection() -> None:
    """Blocked share of each category of the development corpus."""
    total: Counter[tuple[str, str, str]] = Counter()
    hit: Counter[tuple[str, str, str]] = Counter()
    refused: Counter[tuple[str, str, str]] = Counter()
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        category = row["category"] if "redcode" in row["category"] else row["source"].partition("/")[2]
        key = (row["label"], row["lang"], category)
        total[key] += 1
        rules, tier = blocking("script", row["text"].encode(), LANGUAGES[row["lang"]])
        hit[key] += bool(rules)
        refused[key] += tier is Tier.REFUSE
    print("## Detection by category (development data)\n")
    print("| label | language | category | at CONFIRM or above | of | share | refused |\n|---|---|---|---|---|---|---|")
    for key in sorted(total):
        cells = [*key, hit[key], total[key], f"{hit[key] / total[key]:.0%}", refused[key]]
        print(f"| {' | '.join(map(str, cells))} |")


def benign(size: int, scripts: Path | None) -> None:
    """Share of benign files refused or asked about, and how many of those act beyond their workspace by design."""
    print("\n## Benign files refused or asked about\n")
    print("Acting: a finding says that the file installs or downloads, changes users or services, or asks for")
    print("another user's rights. The rest is what would be noise if nothing else of it mattered.\n")
    print(
        "| language | where | refused | asked about | of | refused | asked about | of both acting | rules |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    for language in (Language.SHELL, Language.PYTHON):
        groups = _groups(language)
        if language == Language.SHELL and scripts is not None:
            for path in _files(scripts):
                groups[f"repository: {path.relative_to(scripts).parts[0]}"].append(path)
        for where, paths in sorted(groups.items()):
            sample = random.Random(1).sample(sorted(paths), min(size, len(paths)))  # noqa: S311 - a sample, no secret
            rules: Counter[str] = Counter()
            refused = asked = acting = 0
            for path in sample:
                found, tier = blocking(str(path).lstrip("/"), path.read_bytes(), language)
                refused += tier is Tier.REFUSE
                asked += tier is Tier.CONFIRM
                acting += bool(found & ACTING)
                rules.update(found)
            common = ", ".join(f"{rule} {count}" for rule, count in rules.most_common(4))
            cells = [language, where, refused, asked, len(sample), f"{refused / len(sample):.1%}"]
            cells += [f"{asked / len(sample):.1%}", acting, common]
            print(f"| {' | '.join(map(str, cells))} |")


def _groups(language: Language) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = defaultdict(list)
    roots = (
        [Path("/usr")] if language == Language.SHELL else [Path("/usr"), Path(os.__file__).parent, ROOT / ".venv/lib"]
    )
    for root in roots:
        for path in _files(root):
            with path.open("rb") as file:
                first = file.readline(200)
            shell = first.startswith(b"#!") and first.split()[0].rpartition(b"/")[2].rstrip() in {
                b"sh",
                b"bash",
                b"dash",
            }
            if language == Language.SHELL and shell:
                system = path.parts[:3] in {("/", "usr", "sbin"), ("/", "usr", "libexec")} or "dpkg" in str(path)
                groups["system maintenance" if system else "other scripts"].append(path)
            elif language == Language.PYTHON and path.suffix == ".py":
                tests = "test" in str(path.relative_to(root))
                groups["standard library's and packages' tests" if tests else "modules"].append(path)
    return groups


def _files(root: Path) -> Iterable[Path]:
    for directory, _, names in os.walk(root):
        for name in names:
            path = Path(directory, name)
            if not path.is_symlink() and path.is_file() and path.stat().st_size < MAX_BYTES:
                yield path


def main() -> None:
    """Print the whole page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benign", type=int, default=400, help="files per group")
    parser.add_argument("--texts", type=int, default=8, help="texts of each category that are rewritten")
    parser.add_argument("--scripts", type=Path, help="shell scripts of repositories, one directory for each")
    parser.add_argument("--bandit", type=Path, help="bandit's executable, to compare with")
    parser.add_argument("--semgrep", type=Path, help="semgrep's executable, to compare with")
    options = parser.parse_args()
    print("# Scanner, measured by `python -m benchmarks.scanner`\n")
    print("Written by the run, whole. What these figures mean and how they came about: [notes](scanner-notes.md).\n")
    if CORPUS.exists():
        detection()
        mutated(options.texts)
        speed(_typical(), bandit=options.bandit, semgrep=options.semgrep)
    benign(options.benign, options.scripts)


def _typical() -> dict[Language, list[str]]:
    """The scripts that times are taken of."""
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return {
        language: [row["text"] for row in rows if row["lang"] == lang and "redcode" in row["category"]]
        for lang, language in LANGUAGES.items()
    }


if __name__ == "__main__":
    main()
