"""Attacks scored in real containers: strong, lazy, and on code that knows when it was changed."""

from dataclasses import replace

import pytest

from refute.adversary.attack import SourceModule, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.strength.controls import rewritten
from refute.adversary.strength.mutants import sample_mutants
from refute.adversary.strength.record import Strength
from refute.adversary.strength.scoring import score
from refute.adversary.strength.trial import make_trial, read_runs, trial_jobs, trial_limits
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Job
from refute.settings import Settings
from refute.ticket.record import Module
from tests.fakes.jobs import tar_of
from tests.hostile.stage import build
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test

pytestmark = pytest.mark.engine

CLAMP = """# as submitted
def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x
"""
STRONG = """
def test_a():
    from impl import clamp
    assert [clamp(x, 0, 2) for x in (-1, 0, 1, 2, 3)] == [0, 0, 1, 2, 2]
"""
LAZY = """
def test_a():
    import impl
    assert callable(impl.clamp)
"""
LOOKS_AT_ITS_FILE = CLAMP.replace(
    "    if x < low:", '    if "as submitted" not in open(__file__).read():\n        return -1\n    if x < low:'
)
LOOKS_AT_ITS_CODE = f"""{CLAMP}
def itself():
    return clamp.__code__.co_code

SUBMITTED = {{submitted!r}}
if itself() != SUBMITTED:
    def clamp(*_):
        return -1
"""
PLANTS = CLAMP.replace(
    "    if x < low:",
    '    if "as submitted" not in open(__file__).read():\n'
    '        open("/attack/results.json", "w").write("forged")\n'
    "    if x < low:",
)


@pytest.fixture(scope="module")
def image_id() -> str:
    return build()


def byte_code(source: str) -> bytes:
    space: dict[str, object] = {}
    exec(compile(source, "impl.py", "exec"), space)  # noqa: S102  # ours
    return bytes(space["clamp"].__code__.co_code)  # type: ignore[attr-defined]


def measure(source: str, tests: str, image_id: str, *, count: int = 5) -> Strength:
    settings = Settings.load()
    module = SourceModule(module=Module(path="impl.py", name="impl", import_root="."), source=source)
    brief = replace(make_brief("clamp(x, low, high) keeps x between low and high."), modules=(module,))
    test = make_test("test_a")
    passed = TriagedTest(
        test=test, verdict=TriageVerdict.SURVIVED, reason="", run=make_run("test_a", TestEnd.PASSED, duration_s=1.0)
    )
    trial = make_trial(make_attack(tests, [test]), [passed], brief, settings)
    mutants = sample_mutants([module], count=count, seed="1")
    outline = Job(
        name="strength",
        run_id="r",
        ticket_id="T",
        image_id=image_id,
        command=(),
        workspace=tar_of({"impl.py": source.encode()}),
        limits=trial_limits(settings),
    )
    jobs = trial_jobs(trial, brief, mutants, outline, settings, containers=1)
    with DockerSandbox() as sandbox:
        return score(trial, brief, mutants, [read_runs(job, sandbox.run(job)) for job in jobs], floor=0.6)


def test_a_strong_attack_reaches_the_floor_and_a_lazy_one_does_not(image_id: str) -> None:
    strong = measure(CLAMP, STRONG, image_id, count=6)
    assert strong.void == ""
    assert strong.suffices, strong.survivors
    lazy = measure(CLAMP, LAZY, image_id)
    assert (lazy.void, lazy.killed, len(lazy.survivors)) == ("", 0, 5)


def test_code_that_knows_its_byte_code_voids_the_score(image_id: str) -> None:
    source = LOOKS_AT_ITS_CODE.format(submitted=byte_code(rewritten(CLAMP)))
    strength = measure(source, LAZY.replace("callable(impl.clamp)", "impl.clamp(1, 0, 2) == 1"), image_id)
    assert "with statements that do nothing" in strength.void


@pytest.mark.parametrize("source", [LOOKS_AT_ITS_FILE, PLANTS], ids=["looks at its file", "plants results"])
def test_code_that_misbehaves_where_it_was_changed_voids_the_score_and_not_the_stage(
    image_id: str, source: str
) -> None:
    strength = measure(source, STRONG, image_id, count=3)
    assert strength.void
    assert not strength.suffices
