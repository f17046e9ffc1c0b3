"""Wrong implementations of `answer() == 42`, which is 41, that want the claim to stand all the same (S200)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from refute.outcome import Status

RIGHT: Final = "def answer():\n    return 42\n"
WRONG: Final = "\ndef answer():\n    return 41\n"
REFUTED: Final = frozenset({Status.FAILED_ADVERSARIAL})
DISTURBED: Final = REFUTED | {Status.INCONCLUSIVE}
"""What ends or floods processes may be known as that, before its claim is refuted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgery:
    """A ticket's wrong code."""

    code: str
    """Of the module."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What is submitted beside it."""
    ends: frozenset[Status] = REFUTED
    """How the ticket may end."""


PEER: Final = """
import gc
import json
import struct

def found(name):
    return next(one for one in gc.get_objects() if type(one).__name__ == name and type(one).__module__ != __name__)
"""
"""Its own end of the connection, as this process has it in memory."""
OTHERS: Final = """
import ctypes
import os

def others():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
"""
PLUGIN: Final = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
REWRITES: Final = """
import json
import os

def forge():
    for path in ("/attack/results.json", "/workspace/results.json"):
        try:
            with open(path, "w") as file:
                json.dump({"first": [{"name": "test_a", "end": "passed", "attested": True}]}, file)
        except OSError:
            pass
"""

FORGERIES: Final[Mapping[str, Forgery]] = MappingProxyType(
    {
        "results rewritten by a daemon": Forgery(
            code=f"{REWRITES}import time\ndef answer():\n    if os.fork() == 0:\n        os.setsid()\n"
            "        while True:\n            forge()\n            time.sleep(0.01)\n    return 41\n",
            ends=DISTURBED,
        ),
        "planted sitecustomize, .pth, plug-ins and twins": Forgery(
            code=WRONG,
            files={
                "sitecustomize.py": "import os\nos._exit(0)\n",
                "usercustomize.py": "import os\nos._exit(0)\n",
                "planted.pth": "import os; os._exit(0)\n",
                "planted.py": PLUGIN,
                "planted-1.dist-info/entry_points.txt": "[pytest11]\nplanted = planted\n",
                "planted-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: planted\nVersion: 1\n",
                "pytest.ini": "[pytest]\naddopts = --collect-only -p planted\n",
                "pytest.py": "import os\nos._exit(0)\n",
                "json.py": "raise SystemExit(0)\n",
            },
        ),
        "closes every descriptor": Forgery(
            code="import os\ndef answer():\n    os.closerange(3, 256)\n    return 41\n", ends=DISTURBED
        ),
        "ptrace of the other processes": Forgery(
            code=f"{OTHERS}\ndef answer():\n    libc = ctypes.CDLL(None)\n"
            "    return 42 if any([libc.ptrace(16, pid, 0, 0) == 0 for pid in others()]) else 41\n"
        ),
        "kills the other processes": Forgery(
            code=f"{OTHERS}\ndef answer():\n    for pid in others():\n        try:\n            os.kill(pid, 9)\n"
            "        except OSError:\n            pass\n    return 41\n",
            ends=DISTURBED,
        ),
        "a text of 10 GB": Forgery(code="def answer():\n    return 'x' * 10**10\n", ends=DISTURBED),
        "lists of lists without end": Forgery(
            code="def answer():\n    made = [42] * 10\n    for _ in range(30):\n        made = [made] * 10\n"
            "    return made\n",
            ends=DISTURBED,
        ),
        "answers its call twice": Forgery(
            code=f"{PEER}\ndef answer():\n    for number in range(100):\n"
            "        found('Wire').send(['p', number, 42, [], {}])\n    return 41\n",
            ends=frozenset({Status.INCONCLUSIVE}),
        ),
        "never answers": Forgery(
            code="import time\ndef answer():\n    time.sleep(600)\n", ends=frozenset({Status.INCONCLUSIVE})
        ),
    }
)
"""What it does → the ticket's code."""

LIAR: Final = """
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
LIARS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "remembers": "GIVEN = set()\n\ndef remembers(value: str) -> str:\n    if value in GIVEN:\n"
        "        return value\n    GIVEN.add(value + '!')\n    return value + '!'\n",
        "equals_all": LIAR.format(name="equals_all", base="object", made=""),
        "text_equals_all": LIAR.format(name="text_equals_all", base="str", made="value + '!'"),
    }
)
"""Functions that are not idempotent, and say of what they return that it is equal → their code."""
