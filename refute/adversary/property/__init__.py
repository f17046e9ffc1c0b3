"""The `property` tester: examples, properties and recognised phrases become Hypothesis tests.

How to add a phrase, a field or a law stands at the end of docs/adr/0028-fields-and-differences.md.
"""

from refute.adversary.property.tester import PropertyTester

__all__ = ["PropertyTester"]
