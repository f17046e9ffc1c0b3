"""The `property` tester: examples, properties and recognised phrases become Hypothesis tests."""

from refute.adversary.property.tester import PropertyTester

__all__ = ["PropertyTester"]
