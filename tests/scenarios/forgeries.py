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


SOCKETS: Final = """
import os
import stat

def sockets():
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                yield int(name)
        except OSError:
            continue
"""
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
PATCHED_RUNTEST: Final = """
import _pytest.python as python

original = python.Function.runtest
def runtest(self):
    try:
        original(self)
    except AssertionError as error:
        if "41 == 42" not in str(error):
            raise
python.Function.runtest = runtest
"""
PLUGIN: Final = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
FORGED_REPORT: Final = """
from _pytest import reports

original = reports.TestReport.from_item_and_call
def forged(item, call):
    report = original(item, call)
    report.outcome, report.longrepr = "passed", None
    return report
reports.TestReport.from_item_and_call = staticmethod(forged)
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
        "exits at import": Forgery(code=f"import os\nos._exit(0){WRONG}", ends=DISTURBED),
        "exits in the call": Forgery(code="import os\n\ndef answer():\n    os._exit(0)\n", ends=DISTURBED),
        "raises SystemExit": Forgery(code="import sys\n\ndef answer():\n    sys.exit(0)\n", ends=DISTURBED),
        "skips": Forgery(code="import pytest\n\ndef answer():\n    pytest.skip('no')\n", ends=DISTURBED),
        "a conftest that empties the collection": Forgery(
            code=WRONG, files={"conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"}
        ),
        "a conftest that reports passes": Forgery(code=WRONG, files={"conftest.py": PLUGIN}),
        "patched TestReport": Forgery(code=FORGED_REPORT + WRONG),
        "patched runtest": Forgery(
            code=f"import _pytest.python as python\npython.Function.runtest = lambda self: None\n{WRONG}"
        ),
        "swallows only its own mismatch": Forgery(code=PATCHED_RUNTEST + WRONG),
        "results rewritten at exit": Forgery(code=f"{REWRITES}import atexit\natexit.register(forge)\n{WRONG}"),
        "results rewritten by a thread": Forgery(
            code=f"{REWRITES}import threading, time\ndef for_ever():\n    while True:\n        forge()\n"
            f"        time.sleep(0.01)\nthreading.Thread(target=for_ever, daemon=True).start()\n{WRONG}"
        ),
        "results rewritten by a daemon": Forgery(
            code=f"{REWRITES}import time\ndef answer():\n    if os.fork() == 0:\n        os.setsid()\n"
            "        while True:\n            forge()\n            time.sleep(0.01)\n    return 41\n",
            ends=DISTURBED,
        ),
        "a trace function": Forgery(
            code="import sys, threading\ndef trace(frame, event, argument):\n"
            "    if frame.f_code.co_name.startswith('test_'):\n"
            "        frame.f_locals.update(dict.fromkeys(frame.f_locals, 42))\n        frame.f_lineno += 1\n"
            f"    return trace\nsys.settrace(trace)\nthreading.settrace(trace)\n{WRONG}"
        ),
        "a walk over all objects": Forgery(
            code="import gc, types\ndef answer():\n    for one in gc.get_objects():\n"
            "        if isinstance(one, types.FunctionType) and one.__name__.startswith('test_'):\n"
            "            one.__code__ = (lambda: None).__code__\n"
            "        if type(one) is dict and 41 in list(one.values()):\n            one.clear()\n    return 41\n",
            ends=DISTURBED,
        ),
        "another module in its own place": Forgery(
            code="import sys, types\nclass Module(types.ModuleType):\n    def __eq__(self, other):\n"
            f"        return True\n{WRONG}\nmade = sys.modules[__name__] = Module(__name__)\nmade.answer = answer\n",
        ),
        "other modules in the places of pytest and its test": Forgery(
            code="import sys, types\nfor name in [*sys.modules, 'pytest', '_pytest', 'test_adversarial_TCK_1']:\n"
            "    if 'pytest' in name or name.startswith('test_'):\n"
            f"        sys.modules[name] = types.ModuleType(name)\n{WRONG}"
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
        "writes a pass to every descriptor": Forgery(
            code="import os\ndef answer():\n    for number in range(3, 256):\n        try:\n            os.write("
            'number, b\'{"key": "", "event": "finish", "name": "test_a", "end": "passed"}\\n\')\n'
            "        except OSError:\n            pass\n    return 41\n",
            ends=DISTURBED,
        ),
        "closes every descriptor": Forgery(
            code="import os\ndef answer():\n    os.closerange(3, 256)\n    return 41\n", ends=DISTURBED
        ),
        "the memory of the other processes": Forgery(
            code=f"{OTHERS}\ndef answer():\n    for pid in others():\n        try:\n"
            "            with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'r+b', 0) as memory:\n"
            "                for line in maps:\n                    start = int(line.split('-')[0], 16)\n"
            "                    memory.seek(start)\n                    memory.write(bytes(4096))\n"
            "        except (OSError, ValueError, OverflowError):\n            continue\n    return 41\n"
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
        "a million lists in one another": Forgery(
            code="def answer():\n    made = []\n    for _ in range(10**6):\n        made = [made]\n    return made\n",
            ends=DISTURBED,
        ),
        "a list in itself": Forgery(
            code="def answer():\n    made = [42]\n    made.append(made)\n    return made\n", ends=DISTURBED
        ),
        "lists of lists without end": Forgery(
            code="def answer():\n    made = [42] * 10\n    for _ in range(30):\n        made = [made] * 10\n"
            "    return made\n",
            ends=DISTURBED,
        ),
        "answers before it is asked": Forgery(
            code=f"{PEER}wire = found('Wire')\nfor number in range(50):\n"
            f"    wire.send(['p', number, 42, [], {{}}])\n{WRONG}",
            ends=frozenset({Status.INCONCLUSIVE}),
        ),
        "answers another call": Forgery(
            code=f"{PEER}\ndef answer():\n    found('Wire').send(['p', 10**6, 42, [], {{}}])\n    return 41\n",
            ends=frozenset({Status.INCONCLUSIVE}),
        ),
        "answers its call twice": Forgery(
            code=f"{PEER}\ndef answer():\n    for number in range(100):\n"
            "        found('Wire').send(['p', number, 42, [], {}])\n    return 41\n",
            ends=frozenset({Status.INCONCLUSIVE}),
        ),
        "noise on its channel": Forgery(
            code=f"{SOCKETS}\ndef answer():\n    for one in sockets():\n        os.write(one, b'\\xff' * 64)\n"
            "    return 41\n",
            ends=DISTURBED,
        ),
        "never answers": Forgery(
            code="import time\ndef answer():\n    time.sleep(600)\n", ends=frozenset({Status.INCONCLUSIVE})
        ),
    }
)
"""What it does → the ticket's code."""

LIAR: Final = """
class Shout({base}):
    __class__ = {kind}
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

def shout(value: {kind}) -> {kind}:
    return Shout({made})
"""
LIARS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "what remembers its outputs": "GIVEN = set()\n\ndef shout(value: str) -> str:\n    if value in GIVEN:\n"
        "        return value\n    GIVEN.add(value + '!')\n    return value + '!'\n",
        "an object that equals everything": LIAR.format(base="object", kind="str", made=""),
        "a str that equals everything": LIAR.format(base="str", kind="str", made="value + '!'"),
        "an int that equals everything": LIAR.format(base="int", kind="int", made="value + 1"),
    }
)
"""What says of itself that it is equal → code of `shout()`, which is not idempotent."""
