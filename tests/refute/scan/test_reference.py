"""The documentation page says what the rules say."""

from pathlib import Path

from refute.scan.rules import rules_page


def test_page_in_the_repository_is_up_to_date() -> None:
    page = (Path(__file__).parents[3] / "docs" / "scan-rules.md").read_text(encoding="utf-8")
    assert page == rules_page(page), "run `python -m refute.scan.rules docs/scan-rules.md`"
