"""The screen: which of the tests that were written may run at all."""
