"""S200: code that forges what its tests say lets no wrong claim stand in a whole run.

All the ways to forge are with the driver (its forgeries' cases, and those in a container) and in hostile/deceptions.
"""

import pytest

from refute.outcome import ClaimVerdict, Status

pytestmark = pytest.mark.engine

CLAIMS = [{"id": "C1", "text": "answer() == 42"}]
QUICK = {"test_timeout_s": 3, "attack_timeout_s": 60, "memory_bytes": 512 * 1024**2}
WRONG = "def answer():\n    return 41\n"
ANSWERS_TWICE = """
import gc

def answer():
    wire = next(one for one in gc.get_objects() if type(one).__name__ == "Wire" and type(one).__module__ != __name__)
    for number in range(100):
        wire.send(["p", number, 42, [], {}])
    return 41
"""
"""It has its own end of the connection in memory."""
PLUGIN = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
PLANTED = {
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "usercustomize.py": "import os\nos._exit(0)\n",
    "planted.pth": "import os; os._exit(0)\n",
    "planted.py": PLUGIN,
    "planted-1.dist-info/entry_points.txt": "[pytest11]\nplanted = planted\n",
    "planted-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: planted\nVersion: 1\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only -p planted\n",
    "pytest.py": "import os\nos._exit(0)\n",
    "json.py": "raise SystemExit(0)\n",
}
LIAR = """
class Of_{name}({base}):
    __class__ = str
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __bool__(self):
        return True
    def __hash__(self):
        return 0
    def __contains__(self, other):
        return True

def {name}(value: str) -> str:
    return Of_{name}({made})
"""
LIARS = {
    "remembers": "GIVEN = set()\n\ndef remembers(value: str) -> str:\n    if value in GIVEN:\n"
    "        return value\n    GIVEN.add(value + '!')\n    return value + '!'\n",
    "equals_all": LIAR.format(name="equals_all", base="object", made=""),
    "text_equals_all": LIAR.format(name="text_equals_all", base="str", made="value + '!'"),
}
"""Functions that are not idempotent, and say of what they return that it is equal → their code."""


@pytest.mark.parametrize(
    ("files", "status", "verdict"),
    [
        ({"slug.py": ANSWERS_TWICE}, Status.INCONCLUSIVE, ClaimVerdict.INCONCLUSIVE),
        ({"slug.py": WRONG, **PLANTED}, Status.FAILED_ADVERSARIAL, ClaimVerdict.REFUTED),
    ],
    ids=["answers its call twice", "planted sitecustomize, .pth, plug-ins and twins"],
)
def test_s200_a_forgery_never_lets_a_wrong_claim_stand(ticket, verify, files, status, verdict):
    outcome = verify(ticket(files=files, script="true\n", claims=CLAIMS), **QUICK)
    assert outcome.status is status, outcome.reason
    assert [claim.verdict for claim in outcome.claims] == [verdict]


def test_s200_what_is_not_idempotent_is_refuted_and_objects_that_decide_their_own_comparison_speak_for_no_claim(
    ticket, verify
):
    code = "def shout(value: str) -> str:\n    return value + '!'\n" + "".join(LIARS.values())
    claims = [{"id": name, "text": f"{name}() is idempotent."} for name in ("shout", *LIARS)]
    outcome = verify(ticket(files={"slug.py": code}, script="true\n", claims=claims), **QUICK)
    honest, *liars = outcome.claims
    assert honest.verdict is ClaimVerdict.REFUTED, outcome.reason
    assert [(one.claim_id, one.attested_tests) for one in liars] == [(name, 0) for name in LIARS]
    assert {one.verdict for one in liars} <= {ClaimVerdict.SURVIVED, ClaimVerdict.INCONCLUSIVE}
