"""All rules in one table."""

from types import MappingProxyType

from refute.scan.catalog_access import ACCESS_RULES
from refute.scan.catalog_code import CODE_RULES
from refute.scan.catalog_system import SYSTEM_RULES

RULES = MappingProxyType({rule.id: rule for rule in (*ACCESS_RULES, *SYSTEM_RULES, *CODE_RULES)})
"""Rule id → rule."""
