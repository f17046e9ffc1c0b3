"""Implementations that lie to those who test them. None may ever look as if it had passed.

Each is attacked by one test that its honest version would fail: `honest() == 1`, where honesty answers 2.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

HONEST: Final = "def honest():\n    return 2\n"

DECEPTIONS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "exits 0 in the test": {"impl.py": "import os\ndef honest():\n    os._exit(0)\n"},
        "exits 0 at import": {"impl.py": "import os\nos._exit(0)\n"},
        "exits by SystemExit at import": {"impl.py": "import sys\nsys.exit(0)\n"},
        "ends the session": {"impl.py": "import pytest\ndef honest():\n    pytest.exit('done', 0)\n"},
        "skips as unittest does": {"impl.py": "import unittest\ndef honest():\n    raise unittest.SkipTest('later')\n"},
        "closes every descriptor": {"impl.py": "import os\ndef honest():\n    os.closerange(3, 100)\n    return 2\n"},
        "runs its tests twice": {"impl.py": "import os\ndef honest():\n    os.fork()\n    return 2\n"},
        "raises SystemExit": {"impl.py": "import sys\ndef honest():\n    sys.exit(0)\n"},
        "skips its test": {"impl.py": "import pytest\ndef honest():\n    pytest.skip('no')\n"},
        "a conftest that empties the collection": {
            "impl.py": HONEST,
            "conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n",
        },
        "a conftest that reports a pass": {
            "impl.py": HONEST,
            "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n"
            "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n",
        },
        "patched reports": {
            "impl.py": "def honest():\n    from _pytest import reports\n"
            "    made = reports.TestReport.from_item_and_call\n"
            "    def forged(item, call):\n        report = made(item, call)\n        report.outcome = 'passed'\n"
            "        return report\n    reports.TestReport.from_item_and_call = staticmethod(forged)\n    return 2\n",
        },
        "results rewritten at exit": {
            "impl.py": "import atexit, json\ndef forge():\n"
            "    open('/attack/results.json', 'w').write(json.dumps({'first': []}))\natexit.register(forge)\n" + HONEST,
        },
        "results rewritten by a thread": {
            "impl.py": "import threading, time\ndef forge():\n    while True:\n        try:\n"
            "            open('/attack/results.json', 'w').write('{}')\n        except OSError:\n            pass\n"
            "        time.sleep(0.01)\nthreading.Thread(target=forge, daemon=True).start()\n" + HONEST,
        },
        "results rewritten by a daemon": {
            "impl.py": "import os, time\ndef honest():\n    if os.fork() == 0:\n        os.setsid()\n"
            "        while True:\n            try:\n                open('/attack/results.json', 'w').write('{}')\n"
            "            except OSError:\n                pass\n    return 2\n",
        },
        "results as a link": {
            "impl.py": "import os\ndef honest():\n    os.symlink('/workspace/impl.py', '/attack/results.json')\n"
            "    return 2\n",
        },
        "the test file rewritten": {
            "impl.py": "import glob\ndef honest():\n    for path in glob.glob('/attack/test_*.py'):\n"
            "        open(path, 'w').write('def test_a(): pass')\n    return 2\n",
        },
        "a planted sitecustomize": {
            "impl.py": HONEST,
            "sitecustomize.py": "import os\nos._exit(0)\n",
            "usercustomize.py": "import os\nos._exit(0)\n",
        },
        "a planted pytest": {
            "impl.py": HONEST,
            "pytest.py": "import os\nos._exit(0)\n",
            "json.py": "raise SystemExit(0)",
        },
        "settings of pytest": {
            "impl.py": HONEST,
            "pytest.ini": "[pytest]\naddopts = --collect-only -p no:terminal\npython_functions = nothing\n",
            "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--deselect test_a'\n",
        },
        "kills its runner": {
            "impl.py": "import os\ndef honest():\n    os.kill(os.getppid(), 9)\n    return 2\n",
        },
        "kills everything and leaves results": {
            "impl.py": "import json, os\ndef honest():\n    report = {'name': 'test_a', 'end': 'passed'}\n"
            "    open('/attack/results.json', 'w').write(json.dumps({'first': [report]}))\n"
            "    os.kill(-1, 9)\n    os._exit(0)\n"
        },
        "writes to every descriptor": {
            "impl.py": "import os\ndef honest():\n    for descriptor in range(3, 256):\n        try:\n"
            '            os.write(descriptor, b\'{"name": "test_a", "end": "passed"}\\n\')\n'
            "        except OSError:\n            pass\n    os._exit(0)\n",
        },
        "ten thousand results": {
            "impl.py": "def honest():\n    for number in range(10**4):\n        print('PASSED test_a', number)\n"
            "    return 2\n",
        },
    }
)
"""What it does → files of the workspace."""
