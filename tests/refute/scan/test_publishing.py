"""What puts a project before others, and settings that bring other people's code: what is shown, what blocks."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SHOWN = [
    "npm publish",
    "npm publish --access public --tag next",
    "poetry publish --build",
    "twine upload dist/*",
    "cargo publish -p tool",
    "gem push tool-1.0.gem",
    "gh auth status",
    "gh pr list --state open",
    "npm config set @org:registry https://packages.example.com",
    "npm config set //host/:_authToken x",
    "pip config set global.index-url http://localhost:3141/simple",
    "git config --global user.name ci",
    "git config --global --add safe.directory '*'",
    'git config --global url."https://x:$TOKEN@github.com/".insteadOf https://github.com/',
    "git config core.hooksPath .githooks",
    "GOPROXY=direct go build ./...",
    "npm pkg set scripts.test=vitest",
    "terraform init -backend=false",
]
BLOCKS = [
    "gh release upload v1 src.tgz --repo someone/else",
    "gh release upload v1 ~/.ssh/id_rsa",
    'gh issue create --body "$(env)"',
    "gh gist create notes.txt",
    "gh api -X DELETE /repos/a/b",
    "gh secret set TOKEN",
    "gh auth token",
    "terraform init",
]


def _severity(text: str) -> Severity:
    findings = scan_text("run.sh", text.encode(), language=Language.SHELL)
    return max((finding.severity for finding in findings), default=Severity.MEDIUM)


@pytest.mark.parametrize("text", SHOWN)
def test_publishing_the_project_where_everybody_does_is_shown_and_does_not_block(text: str) -> None:
    assert _severity(text) < Severity.HIGH


@pytest.mark.parametrize("text", BLOCKS)
def test_another_place_another_source_or_a_secret_blocks(text: str) -> None:
    assert _severity(text) >= Severity.HIGH
