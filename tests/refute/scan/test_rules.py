"""Every rule's own examples: each must-match blocks, each must-not does not."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language, Rule, rules
from refute.scan.scanner import scan_text

EXAMPLES = [
    pytest.param(rule, language, text, blocks, id=f"{rule.id}: {text!r}")
    for rule in rules().values()
    for examples, blocks in ((rule.matches, True), (rule.spares, False))
    for language, texts in examples.items()
    for text in texts
]


@pytest.mark.parametrize(("rule", "language", "text", "blocks"), EXAMPLES)
def test_rule_does_what_its_examples_say(rule: Rule, language: Language, text: str, *, blocks: bool) -> None:
    findings = scan_text("script", text.encode(), language=language)
    assert (rule.id in {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}) == blocks


def test_every_rule_has_both_kinds_of_example() -> None:
    assert [rule.id for rule in rules().values() if not rule.matches or not rule.spares] == []
