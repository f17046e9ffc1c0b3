"""What ruff, bandit and mypy say becomes advice; a report may be anything."""

import dataclasses
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from refute.critics import tools
from refute.critics.focus import Focus
from refute.critics.record import ReviewVerdict
from refute.critics.text_critic import read_text
from refute.critics.tools import MARK, TYPES, read_tools, run_tools, tool_requirements, tools_job
from refute.sandbox.job import Exited, JobResult
from refute.sandbox.requirements import read_pins
from tests.refute.adversary.conftest import make_brief

RUFF = [
    {"code": code, "message": "m", "filename": "/workspace/impl.py", "location": {"row": 3, "column": 1}}
    for code in ("B006", "S602", "C901", "D100")
]
BANDIT = {"results": [{"test_id": "B602", "issue_text": "m", "filename": "./impl.py", "line_number": 1}]}
MYPY = {"severity": "error", "file": "impl.py", "line": 2, "message": "m", "code": "arg-type"}


def read(
    ruff: Any = None, bandit: Any = None, mypy: Any = None, focuses: tuple[Focus, ...] = tuple(Focus), **brief: Any
) -> Any:
    reports = {"ruff": json.dumps(ruff), "bandit": json.dumps(bandit), "mypy": json.dumps(mypy)}
    said = "".join(f"{MARK}{name}\n{report}\n" for name, report in reports.items())
    result = JobResult(end=Exited(code=0), stdout=said, stderr="", duration_s=1, overhead_s=0)
    (module,) = make_brief().modules
    made = replace(make_brief(), modules=(replace(module, source="x = 1\ny = 3\n" + "z = 4\n" * 30),), **brief)
    return {one.focus: one for one in read_tools(result, focuses, made)}


def test_of_a_changed_file_only_what_stands_in_changed_lines_counts():
    asked, elsewhere = (Focus.SECURITY, Focus.CORRECTNESS), {**MYPY, "file": "other.py"}
    security, correct = read(RUFF, BANDIT, MYPY, asked, earlier={"impl.py": "x = 1\ny = 3\n"}).values()
    assert [one.evidence for one in (*security.failures, *correct.failures)] == ["impl.py:3", "impl.py:3"]
    assert not read([], None, elsewhere)[Focus.CORRECTNESS].failures
    untouched = read(RUFF, BANDIT, MYPY, asked, earlier={"other.py": ""})
    assert not any(review.failures for review in untouched.values())


def test_findings_go_to_their_focus_with_file_and_line_and_decide_nothing():
    reviews = read(RUFF, BANDIT, MYPY)
    assert {focus: [one.evidence for one in review.failures] for focus, review in reviews.items()} == {
        Focus.CORRECTNESS: ["impl.py:3", "impl.py:2"],
        Focus.SECURITY: ["impl.py:3", "impl.py:1"],
        Focus.PERFORMANCE: ["impl.py:3"],
    }
    assert {review.verdict for review in reviews.values()} == {ReviewVerdict.CONDITIONAL_PASS}
    assert set(read(RUFF, focuses=(Focus.SECURITY, Focus.SPEC_COMPLIANCE))) == {Focus.SECURITY}


@pytest.mark.parametrize("report", [None, "", 1, [1], {"results": 1}, {"results": [{}]}, [{"code": 1}], [[]]])
def test_what_is_no_report_shows_nothing_and_no_report_is_no_review(report):
    reviews = read(report, report, report)
    expected = ReviewVerdict.PASS if isinstance(report, list) else ReviewVerdict.UNAVAILABLE
    assert {review.verdict for review in reviews.values()} == {expected}


def test_the_tools_are_pinned_by_hash_and_mypy_reads_typed_code_alone():
    assert {"ruff", "bandit", "mypy"} <= {pin.name for pin in read_pins(tool_requirements(), python="3.11")}
    brief = make_brief("c")
    typed = tools_job(brief, run_id="r", archive=b"", image_id="sha256:0").command[-1]
    assert "./impl.py" in typed


def test_the_types_of_the_library_are_made_once_for_an_image_and_without_any_file_of_the_ticket(monkeypatch, tmp_path):
    monkeypatch.setattr(tools, "cache_dir", lambda: tmp_path)
    typed, untyped = (
        replace(make_brief("c"), modules=(replace(make_brief("c").modules[0], source=source),))
        for source in ("def f() -> int: ...", "x = 1")
    )
    jobs = []

    def run(job):
        jobs.append(job)
        return JobResult(end=Exited(code=0), stdout="", stderr="", duration_s=1, overhead_s=0, collected={TYPES: b"t"})

    for brief in (typed, typed, untyped):
        run_tools(tools_job(brief, run_id="r", archive=b"files", image_id="sha256:0"), SimpleNamespace(run=run))
    made, *read, without = jobs
    assert (b"files" in made.workspace, made.collect) == (False, (TYPES,))
    assert [one.attack_files for one in (*read, without)] == [{TYPES: b"t"}] * 2 + [{}]


SOURCE = "def double(n):\n    return 2 * n\n"
SCRIPT = {"verify.sh": b"python -c 'from impl import double; assert double(2) == 4'\n"}


def said(*claims: str, files=SCRIPT, **fields) -> list[str]:
    brief = make_brief(*claims)
    modules = tuple(dataclasses.replace(one, source=SOURCE) for one in brief.modules)
    brief = dataclasses.replace(brief, modules=modules, ticket=dataclasses.replace(brief.ticket, **fields))
    return [one.description for one in read_text(brief, files).failures]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("double(n) returns twice n.", []),
        ("triple(n) returns three times n.", ["C1 speaks of triple(), which the code does not have"]),
        ("len(x) and x.items() are others'.", []),
    ],
)
def test_a_function_that_a_claim_names_must_be_there(claim, told):
    assert said(claim) == told


def test_a_claim_is_untested_where_nothing_beside_the_code_mentions_its_function():
    assert said("double(n) returns twice n.", files={"impl.py": SOURCE.encode(), "verify.sh": b"true\n"}) == [
        "C1: no test or script of the author's mentions double()"
    ]


@pytest.mark.parametrize(
    ("criterion", "told"),
    [("Negative numbers are doubled.", ["success criterion S1 has no claim"]), ("It returns twice the number.", [])],
)
def test_a_success_criterion_wants_a_claim(criterion, told):
    assert said("double(n) returns twice n.", success_criteria=(criterion,)) == told
