"""Every rule's own examples: each must-match blocks, each must-not does not."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Example, Rule, rules
from refute.scan.scanner import scan_text

_MATCHES = [(rule, example) for rule in rules().values() for example in rule.matches]
_SPARES = [(rule, example) for rule in rules().values() for example in rule.spares]


def _blocking_rules(example: Example) -> set[str]:
    findings = scan_text("script", example.text.encode(), language=example.language)
    return {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}


@pytest.mark.parametrize(
    ("rule", "example"), _MATCHES, ids=[f"{rule.id}: {example.text!r}" for rule, example in _MATCHES]
)
def test_rule_blocks_its_example(rule: Rule, example: Example) -> None:
    assert rule.id in _blocking_rules(example)


@pytest.mark.parametrize(
    ("rule", "example"), _SPARES, ids=[f"{rule.id}: {example.text!r}" for rule, example in _SPARES]
)
def test_rule_spares_its_counterexample(rule: Rule, example: Example) -> None:
    assert rule.id not in _blocking_rules(example)


def test_every_rule_has_both_kinds_of_example() -> None:
    assert [rule.id for rule in rules().values() if not rule.matches or not rule.spares] == []
