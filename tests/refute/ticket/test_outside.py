"""S170: which tests reach something outside past their mocks, so that a claim of tested integration stands."""

import tomllib
from pathlib import Path

import pytest

from refute.ticket import outside
from refute.ticket.integration import find_mocked_integration
from tests.refute.ticket.test_rules import Case

MIXED = """\
import sqlite3
import subprocess
from urllib.request import urlopen
import requests

def git(*arguments):
    result = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return result.stdout

def branch():
    return git("branch", "--show-current").strip()

def watch(callback):
    callback(git("log"))

def fetch(url):
    return urlopen(url).read()

def parse(text):
    result = text.split()
    return result

def save(path, text):
    path.write_text(text)

class Repo:
    def __init__(self, root, runner=subprocess.run, *, timeout=5):
        self.root, self._runner, self.timeout = root, runner, timeout

    def head(self):
        try:
            return self._runner(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE)
        except subprocess.CalledProcessError:
            return None

class Client:
    def __init__(self, url, session=None):
        self.url = url
        self.session = session or requests.Session()

    def get(self, path) -> requests.Response:
        return self.session.get(self.url + path)

class Store:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)

    def add(self, key):
        self.connection.execute("insert into t values (?)", (key,))
"""
FETCH_MOCKED = """\
from unittest.mock import patch
import vcs
def test_fetch():
    with patch("vcs.urlopen") as opened:
        vcs.fetch("http://x")
"""
HEADER = "from unittest.mock import Mock, MagicMock, patch\nimport pytest, subprocess\nimport vcs\n"
GIT_CLAIM = "Reading the branch is integration tested against a real git repository."


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


def exposed(case, body, claim=GIT_CLAIM):
    tests = {"test_it.py": HEADER + body, "test_fetch.py": FETCH_MOCKED}
    ticket, files = case.ticket(tests, claim=claim)
    return bool(find_mocked_integration(ticket, {**files, "vcs.py": MIXED.encode()}))


REALLY_RUN = {
    "a real test beside a mock of something unrelated": "def test_it(tmp_path):\n    assert vcs.branch() == ''\n",
    "a mock object as callback": "def test_it():\n    seen = Mock()\n    vcs.watch(seen)\n    assert seen.called\n",
    "a mock object as settings": "def test_it():\n    vcs.watch(Mock(name='x', level=3))\n",
    "another part is patched": (
        "def test_it(monkeypatch):\n    monkeypatch.setattr(vcs, 'fetch', None)\n    assert vcs.branch() == ''\n"
    ),
    "a method of another class is patched": (
        "@patch.object(vcs.Client, 'get')\ndef test_it(get):\n    assert vcs.branch() == ''\n"
    ),
    "the default runner is used": "def test_it():\n    assert vcs.Repo('.').head()\n",
    "a mock object that watches beside a default runner": (
        "def test_it():\n    assert vcs.Repo('.', timeout=1, on_done=Mock()).head()\n"
    ),
    "another library's function of the same name": (
        "def test_it(monkeypatch, server):\n    monkeypatch.setattr('os.path.get', None)\n"
        "    assert vcs.Client(server).get('/')\n"
    ),
    "a real database": "def test_it(tmp_path):\n    vcs.Store(tmp_path / 'x.db').add('k')\n",
    "a real request": "def test_it(server):\n    assert vcs.Client(server).get('/')\n",
    "the network is replaced but not the process": (
        "import responses\n@responses.activate\ndef test_it():\n    assert vcs.branch() == ''\n"
    ),
}


@pytest.mark.parametrize("body", REALLY_RUN.values(), ids=REALLY_RUN)
def test_one_test_that_gets_past_its_mocks_saves_the_claim(case, body):
    assert not exposed(case, body)


MOCKED_ALL = {
    "a file is named like the program, which is not started": "def test_it():\n    assert vcs.parse('vcs.py')\n",
    "nothing but the mocked fetch": "",
    "only a parser is run": "def test_it():\n    result = vcs.parse('a b')\n    assert result\n",
    "the helper is patched": "def test_it():\n    with patch('vcs.git'):\n        vcs.branch()\n",
    "the function of the library": "@patch('subprocess.run')\ndef test_it(run):\n    vcs.branch()\n",
    "another function of the library": "@patch('vcs.subprocess.Popen')\ndef test_it(run):\n    vcs.branch()\n",
    "monkeypatch": "def test_it(monkeypatch):\n    monkeypatch.setattr(subprocess, 'run', None)\n    vcs.branch()\n",
    "pytest-mock": "def test_it(mocker):\n    mocker.patch('vcs.subprocess.run')\n    vcs.branch()\n",
    "the fake process fixture": "def test_it(fp):\n    vcs.branch()\n",
    "responses": "import responses\n@responses.activate\ndef test_it():\n    vcs.Client('http://x').get('/')\n",
    "sockets": "@patch('socket.socket')\ndef test_it(made):\n    vcs.Client('http://x').get('/')\n",
    "a runner is passed in": "def test_it():\n    vcs.Repo('.', runner=Mock(return_value='x')).head()\n",
    "a session is passed in": "def test_it():\n    made = MagicMock()\n    vcs.Client('http://x', made).get('/')\n",
    "the class is patched": "@patch('vcs.Store')\ndef test_it(store):\n    vcs.Store('x').add('k')\n",
    "an attribute of an object": (
        "def test_it():\n    one = vcs.Client('u')\n    with patch.object(one, 'session'):\n        one.get('/')\n"
    ),
    "an object is only made": "def test_it():\n    assert vcs.Client('http://x').url == 'http://x'\n",
    "files beside a claim about git": "def test_it(tmp_path):\n    vcs.save(tmp_path / 'x', 'text')\n",
    "a mock by another name": (
        "from unittest import mock as m\ndef test_it():\n"
        "    with m.patch.object(vcs.subprocess, 'run'):\n        vcs.branch()\n"
    ),
    "the mock package": "import mock\ndef test_it():\n    with mock.patch('vcs.git'):\n        vcs.branch()\n",
    "MonkeyPatch by another name": (
        "def test_it():\n    with pytest.MonkeyPatch.context() as p:\n"
        "        p.setattr(vcs, 'git', None)\n        vcs.branch()\n"
    ),
    "assignment": "def test_it():\n    vcs.subprocess.run = lambda *a, **k: None\n    vcs.branch()\n",
    "set-up of a TestCase": (
        "import unittest\nfrom vcs import branch\nclass TestIt(unittest.TestCase):\n    def setUp(self):\n"
        "        patch('vcs.git').start()\n    def test_it(self):\n        branch()\n"
    ),
    "automatic fixture": (
        "@pytest.fixture(autouse=True)\ndef no_git(monkeypatch):\n"
        "    monkeypatch.setattr(vcs.subprocess, 'run', MagicMock())\ndef test_it():\n    vcs.branch()\n"
    ),
    "usefixtures": (
        "@pytest.fixture\ndef fake(mocker):\n    mocker.patch('vcs.git')\n"
        "@pytest.mark.usefixtures('fake')\ndef test_it():\n    vcs.branch()\n"
    ),
    "local function": (
        "def faked():\n    return patch('vcs.git')\ndef test_it():\n    with faked():\n        vcs.branch()\n"
    ),
    "modules are replaced": "import sys\nsys.modules['subprocess'] = object()\ndef test_it():\n    vcs.branch()\n",
}


@pytest.mark.parametrize("body", MOCKED_ALL.values(), ids=MOCKED_ALL)
def test_tests_that_replace_all_that_is_outside_expose_the_claim(case, body):
    assert exposed(case, body)


def test_files_are_an_integration_where_the_claim_speaks_of_them(case):
    body = "def test_it(tmp_path):\n    vcs.save(tmp_path / 'x', 'text')\n"
    assert not exposed(case, body, claim="Saving is integration tested with real files.")


def test_what_a_helper_of_the_tests_does_counts_as_the_test_s_own(case):
    tests = {"tests/util.py": "import vcs\ndef ask():\n    return vcs.branch()\n", "tests/test_fetch.py": FETCH_MOCKED}
    real = "from .util import ask\ndef test_it():\n    assert ask()\n"
    for test, expected in (("", True), (real, False)):
        ticket, files = case.ticket({**tests, "tests/test_it.py": test}, claim=GIT_CLAIM)
        assert bool(find_mocked_integration(ticket, {**files, "vcs.py": MIXED.encode()})) == expected


ROWS = tomllib.loads((Path(outside.__file__).parent / "outside.toml").read_text(encoding="utf-8"))["row"]


@pytest.mark.parametrize(("name", "kind"), [(name, row["kind"]) for row in ROWS for name in row["matches"]])
def test_a_row_finds_its_examples(name: str, kind: str) -> None:
    assert outside.kind_of(name) == kind


@pytest.mark.parametrize("name", [name for row in ROWS for name in row["spares"]])
def test_no_row_finds_what_stays_inside(name: str) -> None:
    assert outside.kind_of(name) is None
