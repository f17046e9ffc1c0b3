"""Every rule's own examples: each must-match blocks, each must-not does not."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Rule, rules
from refute.scan.scanner import scan_text


@pytest.mark.parametrize("rule", rules().values(), ids=rules())
def test_rule_does_what_its_examples_say(rule: Rule) -> None:
    assert rule.matches
    assert rule.spares
    for examples, blocks in ((rule.matches, True), (rule.spares, False)):
        for text, language in ((text, language) for language, texts in examples.items() for text in texts):
            found = scan_text("script", text.encode(), language=language)
            assert (rule.id in {one.rule_id for one in found if one.severity >= Severity.HIGH}) == blocks, text
