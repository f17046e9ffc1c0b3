"""The documentation page of the rules, made from the rules themselves."""

# ruff: noqa: E501 - rows of a table are one line each

from typing import Final

from refute.scan.rules import Example, Rule, rules

_INTRODUCTION: Final = """# Scan rules

Made from the rules in `refute/scan/tables` by `python -m refute.scan.reference > docs/scan-rules.md`; a test
keeps the two alike. Each finding has a tier, because of where a script runs: a container without network, without
rights, thrown away afterwards.

| tier | what | at the prompt | unattended, or with `--allow-network` |
|---|---|---|---|
| refuse | falsifies the verdict, escapes, hides, takes secrets, or cannot be analysed | blocked, nobody is asked | blocked |
| confirm | reads, writes or deletes outside the workspace, downloads, more rights, packages, services, clouds | named, default No | blocked |
| note | a milder form, such as a request to this machine itself; severity MEDIUM | shown | shown |

Findings from HIGH up block (setting `scan_block_from`); `refute scan` exits with 12 for them. A yes at the prompt is
what `--allow-dangerous` is, and is audited with the findings; without a yes the outcome is BLOCKED_DANGEROUS_SCRIPT.
`--allow-dangerous` itself also puts what is refused to a person.

`refute scan --diff BASE` reports what a change brings: findings on changed lines, all of new files (renamed ones and
those that git does not know among them), and findings elsewhere in a changed file that it does not have at BASE, as
where a variable was changed further up. How many were there before is said in every format. Each path is compared in
its own repository; what a named directory holds of others, such as submodules, is new to it.

Nothing in a scanned file silences a finding. A reviewed allow-file (`refute scan --allow FILE`) does, by rule, path
and reason, and what it silences is counted and shown:

```yaml
- rule: network-external
  path: ci/fetch.sh
  reason: downloads the pinned fixtures, reviewed by the platform team
  sha256: 5e0b…    # optional, from `sha256sum ci/fetch.sh`: with any other content the finding is back
```

The same file counts in front of a run where whoever deploys names it: setting `scan_allow_file`, or
`--scan-allow-file` of `refute verify` and `refute batch`. It must lie outside the ticket's workspace, or its author
could write it. Paths are then relative to the workspace, of any ticket: without `sha256` an entry for `verify.sh`
covers that of all tickets. What it silences stands in the question before the run, the outcome and the audit log.
`unanalysable` cannot be allowed.

## Rows of your own

What commands and Python calls do stands in tables (`refute/scan/tables/commands.toml`, `python.toml`, which say what
each field means). Rows of your own go into a TOML file: setting `scan_tables`, or `refute scan --tables FILE`. A row
replaces ours of the same name; the file must lie outside the ticket's workspace.

```toml
[[command]]
names = "deployctl"
when = [
    { args = 'status\\b' },
    { args = '.', flag = "cloud-control", detail = "Deploys." },
]

[[command]]
names = "fetch-fixtures"
options = { o = "out", output = "out" }
operands = "url*"

[[call]]
names = "ourlib.shell.run"
operands = "eval"

[hosts]
public = ["git.example.com"]
```
"""


def rules_page() -> str:
    """The page as Markdown."""
    return _INTRODUCTION + "".join(_section(rule) for rule in rules().values())


def _section(rule: Rule) -> str:
    return (
        f"\n## {rule.id}\n\n"
        f"**{rule.words.title}.** {rule.severity.name}, {rule.tier.name}, confidence {rule.confidence}. "
        f"{rule.words.explanation}\n\n"
        f"Instead: {rule.words.remedy}\n\n{_mild(rule)}"
        f"Blocks:\n\n{_examples(rule.matches)}\nDoes not block:\n\n{_examples(rule.spares)}"
    )


def _mild(rule: Rule) -> str:
    if rule.mild is None:
        return ""
    words = rule.mild
    return f"Where it is graded lower: **{words.title}.** {words.explanation} Instead: {words.remedy}\n\n"


def _examples(examples: tuple[Example, ...]) -> str:
    return "".join(f"- {example.language}: `{_inline(example.text)}`\n" for example in examples)


def _inline(text: str) -> str:
    shown = text.encode("unicode_escape").decode() if not text.isprintable() and "\n" not in text else text
    return shown.replace("`", "'").replace("\n", " ⏎ ")


if __name__ == "__main__":
    print(rules_page(), end="")  # noqa: T201 - the generator's output
