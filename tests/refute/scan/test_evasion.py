"""Disguises beyond the 38 and 40 that the specification names, written to find what passes: each must block."""

# ruff: noqa: E501 - one disguise a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_text

SHELL = {
    "getopts value": "set -- -c 'rm -rf /etc'; while getopts c: o; do eval \"$OPTARG\"; done",
    "printf -v": "printf -v x '%s%s' r m; $x -rf /etc",
    "select from case": "x=b; case $x in a) y=ls;; b) y=rm;; esac; $y -rf /etc",
    "assoc array": "declare -A m; m[k]=rm; ${m[k]} -rf /etc",
    "assoc literal": "declare -A m=([k]=rm [o]=-rf); ${m[k]} ${m[o]} /etc",
    "function name var": 'f() { rm -rf "$1"; }; n=f; $n /etc',
    "command substitution heredoc": "$(cat <<'E'\nrm -rf /etc\nE\n)",
    "eval heredoc var": "read -r -d '' x <<'E'\nrm -rf /etc\nE\neval \"$x\"",
    "cut": "x=$(echo a:rm:b | cut -d: -f2); $x -rf /etc",
    "awk print": "x=$(echo 'a rm b' | awk '{print $2}'); $x -rf /etc",
    "tr rot": "echo 'ez -es /rgp' | tr 'a-z' 'n-za-m' | sh",
    "dd skip": "echo 'xxrm -rf /etc' | dd bs=1 skip=2 2>/dev/null | bash",
    "head lines of self": 'tail -n 1 "$0" | sh; exit\nrm -rf /etc',
    "sed self": "sed '1,2d' \"$0\" | bash; exit\n:\nrm -rf /etc",
    "octal echo": "echo -e '\\162\\155 -rf /etc' | sh",
    "printf octal arg": "$(printf '\\162\\155') -rf /etc",
    "printf %b": "$(printf '%b' '\\x72\\x6d') -rf /etc",
    "array index": "a[$(rm -rf /etc)]=1",
    "sh -c zero": "sh -c '$0 $1 $2' rm -rf /etc",
    "sh -c zero as path": "sh -c 'rm -rf $0' /etc",
    "trap DEBUG": "trap 'rm -rf /etc' DEBUG; :",
    "env split": "env -S'rm -rf /etc'",
    "busybox applet": "busybox rm -rf /etc",
    "coproc": "coproc rm -rf /etc",
    "process sub bash": "bash <(echo rm -rf /etc)",
    "source procsub": ". <(printf 'rm -rf %s' /etc)",
    "jq": 'jq -r .c <<< \'{"c":"rm -rf /etc"}\' | sh',
    "python print pipe": "python3 -c \"print('rm -rf /etc')\" | sh",
    "perl print pipe": "perl -e 'print \"rm -rf /etc\"' | sh",
    "xargs -I sh": "echo 'rm -rf /etc' | xargs -I% sh -c %",
    "find exec sh": "find . -maxdepth 0 -exec sh -c 'rm -rf /etc' \\;",
    "make eval": "make -f /dev/null --eval='x:;rm -rf /etc' x",
    "rsync -e": "rsync -e 'sh -c \"rm -rf /etc\"' a localhost:b",
    "EDITOR": "EDITOR='rm -rf /etc' crontab -e",
    "expect": "expect -c 'spawn rm -rf /etc'",
    "nice nohup chain": "nohup nice -n 5 stdbuf -o0 setsid rm -rf /etc",
    "alias later": "shopt -s expand_aliases\nalias ll='rm -rf'\nll /etc",
    "unicode quotes var": "x=$'\\u0072\\u006d'; $x -rf /etc",
    "case transform": "x=MR; y=${x:1:1}${x:0:1}; ${y,,} -rf /etc",
    "@Q transform": "x=rm; eval ${x@Q} -rf /etc",
    "brace": "{r,}m -rf /etc",
    "brace2": "{rm,-rf,/etc}",
    "rbash exec -a": "exec -a ls rm -rf /etc",
    "glob path": "/???/rm -rf /etc",
    "tilde path": "cd ~root/.. && rm -rf etc",
    "dirs": "pushd / && rm -rf etc",
    "CDPATH": "cd /; rm -rf e*c",
    "history exp": "fc -s x; rm -rf $OLDPWD/../../../etc",
    "IFS slash": "IFS=+; x='rm+-rf+/etc'; $x",
    "nested eval": "eval eval 'rm -rf /etc'",
    "eval join": "eval r'm' -r\"f\" /e\\tc",
    "time": "time -p rm -rf /etc",
    "bang": "! rm -rf /etc",
    "then newline": "if true\nthen rm \\\n-rf \\\n/etc\nfi",
    "func redefine": "echo() { rm -rf /etc; }; echo hi",
    "cd func": "cd() { command rm -rf /etc; }; cd x",
    "command_not_found": "command_not_found_handle() { rm -rf /etc; }; nosuch",
}
PYTHON = {
    "builtins dict": "__builtins__.__dict__['__import__']('os').system('rm -rf /etc')",
    "code.interact": "import code\ncode.InteractiveInterpreter().runsource(\"import os; os.system('rm -rf /etc')\")",
    "runpy": "import runpy\nopen('x.py','w').write(\"import os\\nos.system('rm -rf /etc')\")\nrunpy.run_path('x.py')",
    "format": "getattr(__import__('o{}'.format('s')),'sys{}'.format('tem'))('rm -rf /etc')",
    "FunctionType": "import types\nf=types.FunctionType(compile(\"import os;os.system('rm -rf /etc')\",'','exec'),{})\nf()",
    "__code__": "def f(): pass\ndef g():\n    import os; os.system('rm -rf /etc')\nf.__code__=g.__code__\nf()",
    "metaclass": "import os\nclass M(type):\n    def __new__(c,*a): os.system('rm -rf /etc')\nclass X(metaclass=M): pass",
    "__init_subclass__": "import os\nclass A:\n    def __init_subclass__(c): os.system('rm -rf /etc')\nclass B(A): pass",
    "__getattr__ module": "import os\ndef __getattr__(n): os.system('rm -rf /etc')",
    "property": "import os\nclass A:\n    x=property(lambda s: os.system('rm -rf /etc'))\nA().x",
    "descriptor set_name": "import os\nclass D:\n    def __set_name__(s,o,n): os.system('rm -rf /etc')\nclass A: x=D()",
    "walrus": "(o:=__import__('os')).system('rm -rf /etc')",
    "os.posix_spawn": "import os\nos.posix_spawn('/bin/rm',['rm','-rf','/etc'],{})",
    "multiprocessing": "import multiprocessing,os\nmultiprocessing.Process(target=os.system,args=('rm -rf /etc',)).start()",
    "threading timer": "import threading,os\nthreading.Timer(0,os.system,['rm -rf /etc']).start()",
    "signal handler": "import signal,os\nsignal.signal(14,lambda *a: os.system('rm -rf /etc'))",
    "weakref finalize": "import weakref,os\nclass A: pass\nweakref.finalize(A(),os.system,'rm -rf /etc')",
    "starmap": "import itertools,os\nlist(itertools.starmap(os.system,[('rm -rf /etc',)]))",
    "or": "import os\n(None or os.system)('rm -rf /etc')",
    "nonlocal closure": "import os\ndef a(f):\n    def b(x): return f(x)\n    return b\na(os.system)('rm -rf /etc')",
    "self attr": "import os\nclass A:\n    def __init__(s): s.r=os.system\n    def go(s): s.r('rm -rf /etc')\nA().go()",
    "cffi": "import cffi\nf=cffi.FFI();f.cdef('int system(char*);');f.dlopen(None).system(b'rm -rf /etc')",
    "fabric": "from invoke import run\nrun('rm -rf /etc')",
    "cProfile": "import cProfile\ncProfile.run(\"import os;os.system('rm -rf /etc')\")",
    "pdb": "import pdb\npdb.run(\"import os;os.system('rm -rf /etc')\")",
    "inspect getsource": "import inspect\ndef f():\n    import os\n    os.system('rm -rf /etc')\nexec(inspect.getsource(f)+'f()')",
    "tempfile py": "import tempfile,subprocess\nwith tempfile.NamedTemporaryFile('w',suffix='.sh') as f:\n    f.write('rm -rf /etc'); f.flush()\n    subprocess.run(['sh',f.name])",
    "shlex": "import subprocess,shlex\nsubprocess.run(shlex.split('rm -rf /etc'))",
    "env argv": "import subprocess\nsubprocess.run(['env','-S','rm -rf /etc'])",
    "input stdin": "import subprocess\nsubprocess.run(['sh'],input=b'rm -rf /etc')",
    "unicode ident": "import os\nｏｓ.system('rm -rf /etc')",
    "contextmanager": "import os\nclass C:\n    def __enter__(s): os.system('rm -rf /etc')\n    def __exit__(s,*a): pass\nwith C(): pass",
    "__del__": "import os\nclass C:\n    def __del__(s): os.system('rm -rf /etc')\nC()",
    "namedtuple field": "import os,collections\nP=collections.namedtuple('P','f')\nP(os.system).f('rm -rf /etc')",
    "SimpleNamespace": "import os,types\ntypes.SimpleNamespace(f=os.system).f('rm -rf /etc')",
    "dataclass": "import os,dataclasses\n@dataclasses.dataclass\nclass C:\n    f: object = os.system\nC().f('rm -rf /etc')",
    "shutil rmtree onerror": "import shutil as s\ngetattr(s,'rm'+'tree')('/etc')",
    "pathlib rglob": "import pathlib\nfor p in pathlib.Path('/etc').rglob('*'): p.unlink()",
    "keywords": "import os\ndef f(**k): os.system(k['c'])\nf(c='rm -rf /etc')",
    "expandvars": "import os\nopen(os.path.expandvars('$HOME/.ssh/id_rsa'))",
    "os.scandir": "import os\nfor e in os.scandir('/etc'): os.unlink(e.path)",
}


def blocks(text: str, language: Language) -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text("x", text.encode(), language=language))


@pytest.mark.parametrize("kind", SHELL)
def test_disguised_shell_is_blocked(kind: str) -> None:
    assert blocks(SHELL[kind], Language.SHELL)


@pytest.mark.parametrize("kind", PYTHON)
def test_disguised_python_is_blocked(kind: str) -> None:
    assert blocks(PYTHON[kind], Language.PYTHON)


@pytest.mark.parametrize(
    "makefile",
    ["all: ; rm -rf /etc\n", "X := $(shell rm -rf /etc)\nall:\n\ttrue\n", "X != rm -rf /etc\nall:\n\ttrue\n"],
    ids=["behind the rule", "when make reads it", "assigned"],
)
def test_what_make_runs_outside_recipes_is_judged(makefile: str) -> None:
    assert scan_files({"verify.sh": b"make all\n", "Makefile": makefile.encode()}, ["verify.sh"]).blocking
