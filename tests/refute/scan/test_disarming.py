"""Checks taken out, replaced or overruled, and processes and devices that are nobody's business."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SHELL = [
    "sed -i 's/assert /assert True or /' tests/test_x.py",
    "sed -i 's/^ *assert.*/pass/' test_x.py",
    "printf 'def pytest_sessionfinish(session):\\n    session.exitstatus = 0\\n' > conftest.py",
    "cat > sitecustomize.py <<'E'\nimport shutil\nshutil.rmtree('/etc')\nE",
    "for p in /proc/[0-9]*; do kill -9 ${p##*/}; done",
    "kill -9 $(ps aux | awk '{print $2}')",
    "strace -f -p 1 -o out",
    "cat /proc/*/cmdline",
    "perl -i -ne 'print if 0' ~/Documents/*.txt",
    "x=$(base64 -d < blob); echo hi >> ~/.$x",
]
PYTHON = [
    "import atexit, os\natexit.register(os._exit, 0)",
    "def pytest_sessionfinish(session):\n    session.exitstatus = 0",
    "import unittest.mock\nunittest.mock.Mock.assert_called_with = lambda *a: None",
    "from evdev import InputDevice\nInputDevice('/dev/input/event0')",
]
ORDINARY_SHELL = [
    "sed -i 's/assertEquals/assertEqual/' tests/test_x.py",
    "sed -i 's/assert True or //' src/x.py",
    "printf 'import pytest\\n@pytest.fixture\\ndef x():\\n    return 1\\n' > conftest.py",
    'pytest() { python -m pytest "$@"; }; pytest tests',
    "alias pytest='python -m pytest'",
    "ln -sf ../lib/jest node_modules/.bin/jest",
    'for p in build/*.pid; do kill "$(cat $p)"; done',
    "kill $(ps -o pid= --ppid $$)",
    "ps -o pid= --ppid $$ | xargs kill",
    "kill $(pgrep -P $$)",
    "sleep 9 & ps -p $! -o pid= | xargs kill",
    'echo "$(ps aux | wc -l) processes"; if ps aux | grep -q cron; then echo up; fi',
    "strace -f ./tool",
    '"$0" --worker &\nwait',
    "cat /proc/self/cmdline",
    "ffmpeg -i in.mp4 out.webm",
    "security find-identity -v -p codesigning",
    "perl -pi -e 's/a/b/' src/x.c",
    "cp /boot/config-$(uname -r) .config",
]
ORDINARY_PYTHON = [
    "import atexit, shutil, tempfile\nd = tempfile.mkdtemp()\natexit.register(shutil.rmtree, d)",
    "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "import os\ndef b():\n    if os.fork() == 0:\n        os._exit(0)\nb()",
]
NEARBY = [
    "rm -rf /app",
    "cp /opt/tool/config x",
    "cp /etc/passwd /etc/passwd.bak",
    "cp x /usr/bin/",
    "cp x /root/.ssh/",
    "rm -rf /data/*",
    "rm -f /app/database.sqlite",
    "echo x > /app/.ssh/authorized_keys",
    "getemp() { echo /; }; rm -rf $(getemp)",
    'PATH=.:$PATH; rm -rf "$(mktempdir)"',
    "cp /boot/vmlinuz x; cat /boot/grub/grub.cfg",
]


def _blocks(text: str, language: Language) -> bool:
    findings = scan_text("script", text.encode(), language=language)
    return any(finding.severity >= Severity.HIGH for finding in findings)


@pytest.mark.parametrize("text", [*SHELL, *NEARBY])
def test_a_script_that_overrules_checks_or_reaches_for_others_blocks(text: str) -> None:
    assert _blocks(text, Language.SHELL)


@pytest.mark.parametrize("text", PYTHON)
def test_a_module_that_overrules_checks_or_reaches_for_others_blocks(text: str) -> None:
    assert _blocks(text, Language.PYTHON)


@pytest.mark.parametrize("text", ORDINARY_SHELL)
def test_an_ordinary_script_beside_it_does_not_block(text: str) -> None:
    assert not _blocks(text, Language.SHELL)


@pytest.mark.parametrize("text", ORDINARY_PYTHON)
def test_an_ordinary_module_beside_it_does_not_block(text: str) -> None:
    assert not _blocks(text, Language.PYTHON)
