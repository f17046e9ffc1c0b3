"""The documentation page of the rules: its introduction as it stands, and behind it what the rules themselves say."""

import sys
from pathlib import Path

from refute.scan.rules import Example, Rule, rules


def rules_page(page: str) -> str:
    """The page as Markdown.

    Args:
        page: as it was; what stands in front of the first rule is kept.
    """
    introduction = page.partition(f"\n## {next(iter(rules()))}\n")[0]
    return introduction + "".join(map(_section, rules().values()))


def _section(rule: Rule) -> str:
    words, mild = rule.words, rule.mild
    milder = (
        f"Where it is graded lower: **{mild.title}.** {mild.explanation} Instead: {mild.remedy}\n\n" if mild else ""
    )
    return (
        f"\n## {rule.id}\n\n**{words.title}.** {rule.severity.name}, {rule.tier.name}, confidence {rule.confidence}. "
        f"{words.explanation}\n\nInstead: {words.remedy}\n\n{milder}"
        f"Blocks:\n\n{_examples(rule.matches)}\nDoes not block:\n\n{_examples(rule.spares)}"
    )


def _examples(examples: tuple[Example, ...]) -> str:
    return "".join(f"- {example.language}: `{_inline(example.text)}`\n" for example in examples)


def _inline(text: str) -> str:
    shown = text.encode("unicode_escape").decode() if not text.isprintable() and "\n" not in text else text
    return shown.replace("`", "'").replace("\n", " ⏎ ")


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.write_text(rules_page(where.read_text(encoding="utf-8")), encoding="utf-8")
