"""Planted violations: which edits are made, and which of those that no test noticed prove anything."""

from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Brief, TestEnd
from refute.adversary.generation.planting import WrittenViolation
from refute.adversary.strength.hollow import CONTROL
from refute.adversary.strength.record import ViolationEnd
from refute.adversary.strength.scoring import Judge
from refute.adversary.strength.trial import Trial, VariantRuns
from refute.adversary.strength.violations import plant
from tests.refute.adversary.conftest import make_brief, make_run
from tests.refute.adversary.strength.conftest import ran

CODE = 'def biggest(items):\n    if not items:\n        raise ValueError("empty")\n    return max(items)\n'
CLAIM = "biggest(items) returns the greatest item and raises ValueError when there is none."
WITNESS = "def test_x():\n    import impl\n    assert impl.biggest([1, 2]) == 2\n"


@pytest.fixture
def brief() -> Brief:
    return make_brief(CLAIM, source=CODE)


def written(**fields: object) -> WrittenViolation:
    return WrittenViolation.model_validate(
        {
            "claim_id": "C1",
            "clause": 2,
            "module": "impl",
            "original": '        raise ValueError("empty")\n',
            "replacement": "        return None\n",
            "behaviour": "an empty list\n gives None",
            "witness": WITNESS,
        }
        | fields
    )


def test_an_edit_is_a_mutant_of_the_clause_that_it_breaks(brief: Brief) -> None:
    (made,) = plant(brief, [written()])
    assert made.clause == "and raises ValueError when there is none."
    assert made.behaviour == "an empty list gives None"
    assert made.mutant.line == 3
    assert made.mutant.source == CODE.replace('raise ValueError("empty")', "return None")
    assert '-        raise ValueError("empty")' in made.mutant.diff
    assert made.witness.startswith(f"def {made.witness_name}():")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"claim_id": "C9"}, id="no such claim"),
        pytest.param({"clause": 3}, id="no such clause"),
        pytest.param({"module": "other"}, id="no such module"),
        pytest.param({"original": "items"}, id="stands there more than once"),
        pytest.param({"original": "nowhere"}, id="stands nowhere"),
        pytest.param({"replacement": "        return (\n"}, id="does not parse"),
        pytest.param({"replacement": '        raise ValueError("empty")  # edited\n'}, id="changes nothing"),
        pytest.param({"replacement": "        import shutil; shutil.rmtree('/')\n"}, id="dangerous edit"),
        pytest.param({"witness": "import shutil\n" + WITNESS}, id="witness is not one function"),
        pytest.param({"witness": "def test_x(tmp_path):\n    pass\n"}, id="witness with arguments"),
        pytest.param({"witness": "def test_x():\n    import shutil\n    shutil.rmtree('/')\n"}, id="dangerous witness"),
    ],
)
def test_an_edit_that_is_not_certain_or_not_safe_is_not_made(brief: Brief, fields: dict[str, object]) -> None:
    assert plant(brief, [written(**fields)]) == ()


@pytest.mark.parametrize(
    ("control", "edited", "end"),
    [
        pytest.param(TestEnd.PASSED, TestEnd.FAILED, ViolationEnd.MISSED, id="differs"),
        pytest.param(TestEnd.PASSED, TestEnd.PASSED, ViolationEnd.SET_ASIDE, id="no difference seen"),
        pytest.param(TestEnd.FAILED, TestEnd.FAILED, ViolationEnd.MISSED, id="the code breaks the clause already"),
        pytest.param(TestEnd.PASSED, TestEnd.TIMED_OUT, ViolationEnd.SET_ASIDE, id="ends otherwise"),
        pytest.param(None, TestEnd.FAILED, ViolationEnd.SET_ASIDE, id="without a control nothing is proved"),
    ],
)
def test_what_no_test_noticed_is_set_aside_where_its_own_test_shows_nothing(
    brief: Brief, trial: Trial, control: TestEnd | None, edited: TestEnd, end: ViolationEnd
) -> None:
    (made,) = plant(brief, [written()])
    trial = replace(trial, violation_tests=(made.witness_name,))
    runs = [ran(trial, "10001"), *([ran(trial, CONTROL)] if control else [])]
    ends = [edited, *([control] if control else [])]
    runs = [
        replace(run, reports=(*run.reports, make_run(made.witness_name, ended)))
        for run, ended in zip(runs, ends, strict=True)
    ]
    told = Judge(trial, brief, [VariantRuns(runs=tuple(runs))]).violation(made)
    assert told.end is end
    assert Path(told.diff.split()[1]) == Path("impl.py")


def test_what_a_test_of_the_attack_s_notices_is_no_question_of_its_own(brief: Brief, trial: Trial) -> None:
    (made,) = plant(brief, [written()])
    run = ran(trial, "10001", make_run("test_four", TestEnd.FAILED))
    told = Judge(trial, brief, [VariantRuns(runs=(run,))]).violation(made)
    assert (told.end, told.noticed_by) == (ViolationEnd.NOTICED, "test_four")
