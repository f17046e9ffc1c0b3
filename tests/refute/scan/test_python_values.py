"""What Python code works out before it acts is followed, as far as it is known."""

# ruff: noqa: E501 - one module a line

import pytest

from refute.scan.rules import Language
from refute.scan.scanner import scan_text

MODULES = {
    "a template with an unknown part": "import os\ndef f(x):\n    os.system('rm -rf /etc/%s' % x)",
    "a template with unknown fields": "import os\ndef f(x):\n    os.system('rm -rf /etc/{}{y}'.format(x, y=x))",
    "lists that are joined": "import os\ndef f(x):\n    os.system(' '.join(['rm', '-rf'] + ['/etc', x]))",
    "a table that holds another": "import os\nd = {**{'a': 'rm -rf /etc'}}\nos.system(d['a'])",
    "keywords in a table": "import subprocess\nk = {'shell': True}\nsubprocess.run('rm -rf /etc; true', **k)",
    "a directory of a path": "import os\nopen(os.path.join(os.path.dirname('/etc/x'), os.path.basename('/a/shadow')))",
    "an absolute path": "import os\nopen(os.path.abspath('/etc/../etc/shadow'))",
    "the parent of a path": "from pathlib import Path\n(Path('/etc/x').parent / 'shadow').read_text()",
    "one of two commands": "import os, sys\nc = 'ls' if len(sys.argv) > 1 else 'rm -rf /etc'\nos.system(c)",
    "a program without arguments": "import subprocess\nsubprocess.run('reboot')",
    "a program by its path": "import subprocess, pathlib\nsubprocess.run(pathlib.Path('/sbin/reboot'))",
    "a shell on a socket": "import socket, subprocess\ns = socket.socket()\ns.connect(('127.0.0.1', 1))\nsubprocess.Popen(['/bin/sh'], stdin=s.fileno())",
    "every process": "import os\nos.kill(-1, 9)",
    "a variable of the environment": "import os\nos.putenv('X', '/etc')\nos.system('rm -rf $X')",
    "an unbound method": "import os\ngetattr(os, str.swapcase('SYSTEM'))('rm -rf /etc')",
    "a member by an unknown key": "import os, sys\nos.__dict__[sys.argv[1]]('x')",
    "what many calls spell": "import os\ndef f(i):\n    return 'x'\nos.system(''.join(f(i) for i in range(500)))",
    "a command that came in": "import socket, os\ns = socket.socket()\nc, _ = s.accept()\nos.system(c.recv(100).decode())",
    "a decoded path": "import base64\nopen(base64.b64decode('L2V0Yy9zaGFkb3c='))",
    "a decoded host": "import base64, requests\nrequests.get(base64.b64decode('aHR0cDovL2V2aWwuY29t').decode()[:])",
    "a text too long to follow": "import os\nos.system('rm -rf / '.replace(' ', ' ' * 90_000))",
    "a module by a computed name": "import base64\n__import__(base64.b64decode('b3M=').decode()).system('ls')",
}


@pytest.mark.parametrize("kind", MODULES)
def test_what_is_worked_out_is_judged(kind: str) -> None:
    findings = scan_text("x.py", MODULES[kind].encode(), language=Language.PYTHON)
    assert any(finding.tier.name != "NOTE" for finding in findings), findings


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return __import__(n)()",
        "import numpy\nnumpy.load('x.npy')",
        "int('9' * 5000)\n'{:99999}'.format(1)\n'%99999d' % 1\nbytes(10**9)\nlist(range(10**9))\nmax(range(10**9))",
        "def f(x: int = 1, *a: str, **k: int) -> None:\n    x += 1\n    del x\n    for y in 'ab':\n        print(y[5:])",
        "import os\nfor name in os.listdir('.'):\n    open(name[3:])\nopen(3)",
        "with open('x') as f:\n    rows = [r for r in f if r]\nmatch rows:\n    case [a, *b]:\n        print(a, b)",
    ],
)
def test_what_is_ordinary_passes(text: str) -> None:
    assert all(one.tier.name == "NOTE" for one in scan_text("x.py", text.encode(), language=Language.PYTHON))
