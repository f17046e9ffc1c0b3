"""Attacks scored in real containers: strong, lazy, and on code that knows when it was changed."""

import ast
from dataclasses import replace
from random import SystemRandom

import pytest

from refute.adversary.attack import TestEnd
from refute.adversary.strength.mutants import candidates, sample_mutants
from refute.adversary.strength.record import Strength
from refute.adversary.strength.scope import Sample
from refute.adversary.strength.scoring import score
from refute.adversary.strength.trial import make_trial, read_runs, trial_jobs, trial_limits
from refute.sandbox.engine import DockerSandbox
from refute.settings import Settings
from tests.fakes.jobs import tar_of
from tests.refute.adversary.conftest import make_attack, make_brief, make_outline, make_run, make_test, make_triaged

pytestmark = pytest.mark.engine

GRADE = """# as submitted
def grade(points):
    if points >= 90:
        return "A"
    if points >= 50:
        return "B"
    return "C"
"""
STRONG = """
def test_a():
    from impl import grade
    assert [grade(points) for points in (0, 49, 50, 89, 90)] == ["C", "C", "B", "B", "A"]
"""
LAZY = """
def test_a():
    import impl
    assert callable(impl.grade)
"""
CHANGED = '    if "# as " + "submitted" not in open(__file__).read():\n        {act}\n    if points >= 90:'
LOOKS_AT_ITS_FILE = GRADE.replace("    if points >= 90:", CHANGED.format(act='return "?"'))
KILLS_ITS_TESTER = GRADE.replace("    if points >= 90:", CHANGED.format(act="__import__('os').kill(-1, 9)"))
LOOKS_AT_ITS_CODE = f"""{GRADE}
def itself():
    return grade.__code__.co_code

SUBMITTED = {{submitted!r}}
if itself() != SUBMITTED:
    def grade(*_):
        return "?"
"""


def byte_code(source: str) -> bytes:
    space: dict[str, object] = {}
    exec(compile(source, "impl.py", "exec"), space)  # noqa: S102  # ours
    return bytes(space["grade"].__code__.co_code)  # type: ignore[attr-defined]


def measure(source: str, tests: str, image_id: str, *, count: int = 5) -> Strength:
    settings = Settings.load(mutation_timeout_s=300)  # other tests may run beside this one
    brief = make_brief("grade(points) is A from 90 points on, B from 50, else C.", source=source)
    test = make_test("test_a")
    passed = make_triaged(test, run=make_run("test_a", TestEnd.PASSED, duration_s=1.0, attested=True))
    trial = make_trial(make_attack(tests, [test]), [passed], brief, settings, chance=SystemRandom())
    mutants = sample_mutants(candidates(brief.modules), count=count, seed="1")
    outline = replace(make_outline(image_id, tar_of({"impl.py": source.encode()})), limits=trial_limits(settings))
    jobs = trial_jobs(trial, brief, mutants, outline, settings, containers=1, chance=SystemRandom())
    with DockerSandbox() as sandbox:
        return score(
            trial, brief, Sample(mutants=mutants), [read_runs(job, sandbox.run(job)) for job in jobs], floor=0.6
        )


def test_a_strong_attack_reaches_the_floor_and_a_lazy_one_does_not(image_id: str) -> None:
    strong = measure(GRADE, STRONG, image_id, count=6)
    assert strong.void == ""
    assert strong.suffices, strong
    lazy = measure(GRADE, LAZY, image_id)
    assert (lazy.void, lazy.killed, len(lazy.survivors)) == ("", 0, 5)
    assert ([one.claim_id for one in lazy.shallow], lazy.unjudged) == (["C1"], "")


def test_code_that_knows_its_byte_code_voids_the_score(image_id: str) -> None:
    source = LOOKS_AT_ITS_CODE.format(submitted=byte_code(ast.unparse(ast.parse(GRADE))))
    strength = measure(source, LAZY.replace("callable(impl.grade)", 'impl.grade(1) == "C"'), image_id)
    assert "on the code without a fault" in strength.void


@pytest.mark.parametrize("source", [LOOKS_AT_ITS_FILE, KILLS_ITS_TESTER], ids=["misbehaves", "kills all it can"])
def test_code_that_misbehaves_where_it_was_changed_voids_the_score_and_not_the_stage(
    image_id: str, source: str
) -> None:
    strength = measure(source, STRONG, image_id, count=3)
    assert strength.void
    assert not strength.suffices
