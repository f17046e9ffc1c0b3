"""The development corpus, where it lies beside the checkout: text only, never executed. It guards what was reached."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "scripts_dev.jsonl"
LANGUAGES = {"bash": Language.SHELL, "sh": Language.SHELL, "shell": Language.SHELL, "python": Language.PYTHON}
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()] if CORPUS.exists() else []


def blocked(row: dict[str, str]) -> bool:
    findings = scan_text(row["id"], row["text"].encode("utf-8", "surrogatepass"), language=LANGUAGES.get(row["lang"]))
    return any(finding.severity >= Severity.HIGH for finding in findings)


def by_category(label: str) -> dict[tuple[str, str], list[dict[str, str]]]:
    groups = defaultdict(list)
    for row in ROWS:
        if row["label"] == label:
            groups[row["lang"], row["category"]].append(row)
    return groups


if ROWS:

    @pytest.mark.parametrize("category", sorted(by_category("dangerous")), ids="-".join)
    def test_nine_of_ten_variants_of_a_dangerous_category_are_blocked(category):
        rows = by_category("dangerous")[category]
        missed = [row["id"] for row in rows if not blocked(row)]
        assert len(missed) <= len(rows) / 10, missed

    @pytest.mark.slow
    def test_every_text_of_the_corpus_gets_an_answer():
        assert all(blocked(row) in {True, False} for row in ROWS)
