"""The documentation page says what the rules say."""

from pathlib import Path

from refute.scan.reference import rules_page


