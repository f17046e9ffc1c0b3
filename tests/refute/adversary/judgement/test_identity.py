"""Questions after who runs the code where: found in the source, unless a claim speaks of them."""

import pytest

from refute.adversary.judgement.identity import identity_reads, looks_around
from refute.adversary.suite_source import SuiteSource
from tests.refute.adversary.conftest import make_brief

TELLS = (
    "import os\ndef f(): return os.getuid() == 65532",
    "from os import geteuid as who\ndef f(): return who()",
    "import pwd, os\ndef f(): return pwd.getpwuid(0).pw_name",
    "import getpass\ndef f(): return getpass.getuser()",
    "from socket import gethostname\nHOST = gethostname()",
    "import platform\ndef f(): return platform.node()",
    "import os\ndef f(): return os.uname()[1]",
    "import os\ndef f(): return os.getppid()",
    "import sys\ndef f(): return 'refute' in str(sys.orig_argv)",
    "import sys\ndef f(): return sys._getframe(1)",
    "import inspect\ndef f(): return inspect.stack()",
    "import gc\ndef f(): return gc.get_objects()",
    "import threading\ndef f(): return threading.enumerate()",
    "import resource\ndef f(): return resource.getrlimit(7)",
    "import ctypes\ndef f(): return ctypes.CDLL(None).getuid()",
    "def f(): return open('/proc/1/cmdline').read()",
    "import os\ndef f(): return os.path.exists('/.dockerenv')",
    "from pathlib import Path\ndef f(): return Path('/workspace').exists()",
    "import os\ndef f(): return os.listdir('/opt/refute')",
    "import uuid\ndef f(): return uuid.getnode()",
    "import traceback\ndef f(): return traceback.format_stack()",
    "import threading\ndef f(): return threading.active_count()",
    "import sys\ndef f(): return 'refute' in str(sys.path)",
    "import __main__\ndef f(): return vars(__main__)",
    "def f(error): return error.__traceback__.tb_frame.f_back.f_code.co_filename",
)


def reads(source: str, claim: str = "f() is the answer.") -> tuple[str, ...]:
    return identity_reads(make_brief(claim, source=source))


@pytest.mark.parametrize("source", TELLS)
def test_asking_who_runs_it_where_is_found_with_its_line(source: str) -> None:
    assert reads(source)
    assert all(one.startswith("impl.py:") for one in reads(source))


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (TELLS[0], "f() tells whether the user is privileged."),
        (TELLS[4], "HOST is the machine's host name."),
        (TELLS[15], "f() gives the command line of the first process."),
    ],
)
def test_where_a_claim_speaks_of_it_the_code_may_ask(source: str, claim: str) -> None:
    assert reads(source, claim) == ()


@pytest.mark.parametrize(
    "source",
    [
        'import os\ndef f():\n    """Reads /proc in no case."""\n    return os.path.join("a", "b")',
        "def getuid(): return 3\ndef f(): return getuid()",
        "import time\ndef f(): return time.monotonic()",
    ],
)
def test_ordinary_code_asks_nothing(source: str) -> None:
    assert reads(source) == ()


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        ("assert f(1) == 2", False),
        ("assert f() == datetime.now().hour", True),
        ("assert f('/workspace/x') == 1", True),
        ("assert [*{'a', 'b'}] == f()", True),
        ("assert [*{x for x in 'ab'}] == f()", True),
    ],
)
def test_a_test_may_look_around_itself(body: str, looks: bool) -> None:
    suite = SuiteSource(f"from datetime import datetime\nfrom impl import f\n\n\ndef test_a():\n    {body}\n")
    assert looks_around(suite, "test_a") is looks
