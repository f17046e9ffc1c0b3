"""Every deception with the real driver in a real container: never a pass without a word of tampering."""

from collections.abc import Callable
from typing import Any

import pytest

from refute.adversary.attack import AttackRun, TestEnd
from refute.adversary.suite import attack_job, read_attack_run
from refute.errors import RefuteError
from refute.sandbox.engine import DockerSandbox
from refute.settings import Settings
from tests.fakes.jobs import tar_of
from tests.hostile.catalogue.deceptions import DECEPTIONS, HONEST
from tests.refute.adversary.conftest import make_attack, make_brief, make_outline, make_test

pytestmark = [pytest.mark.engine]

TEST = "import impl\n\ndef test_a():\n    assert impl.honest() == 1\n"
Run = Callable[..., AttackRun]


@pytest.fixture
def attack(sandbox: DockerSandbox, image_id: str) -> Run:
    """`attack(files)` → the run of `TEST` against them."""

    def run(files: dict[str, str]) -> AttackRun:
        settings: dict[str, Any] = {"repetitions": 1, "test_timeout_s": 15, "attack_timeout_s": 90}
        outline = make_outline(image_id, tar_of({name: text.encode() for name, text in files.items()}))
        attack = make_attack(TEST, [make_test("test_a")])
        job = attack_job(outline, make_brief().ticket, attack, Settings.load(**settings))
        return read_attack_run(job, sandbox.run(job))

    return run


def test_the_honest_implementation_fails_and_nobody_tampered(attack: Run) -> None:
    run = attack({"impl.py": HONEST})
    assert [test.end for test in run.first] == [TestEnd.FAILED]
    assert run.tampering == ()


@pytest.mark.parametrize("name", DECEPTIONS)
def test_it_is_never_taken_for_a_pass(attack: Run, name: str) -> None:
    try:
        run = attack(dict(DECEPTIONS[name]))
    except RefuteError:
        return  # no results that could be trusted: an error, which is no verdict
    assert run.tampering or TestEnd.PASSED not in {test.end for test in run.first}
