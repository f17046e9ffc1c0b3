"""All rules in one table."""

from types import MappingProxyType

from refute.scan.catalog_access import ACCESS_RULES
from refute.scan.catalog_code import CODE_RULES
from refute.scan.catalog_system import SYSTEM_RULES
from refute.scan.finding import Finding

RULES = MappingProxyType({rule.id: rule for rule in (*ACCESS_RULES, *SYSTEM_RULES, *CODE_RULES)})
"""Rule id → rule."""


def title_of(finding: Finding) -> str:
    """What a finding is called, by its rule and how it is graded."""
    rule = RULES.get(finding.rule_id)
    return rule.words(finding.severity).title if rule is not None else finding.rule_id
