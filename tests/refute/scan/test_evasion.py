"""Disguises beyond the 38 and 40 that the specification names, written to find what passes: each must block."""

# ruff: noqa: E501 - one disguise a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_text

SHELL = {
    "while-read assembles": "cmd=; while read c; do cmd=\"$cmd$c\"; done <<'E'\nrm -r\nf /etc\nE\n$cmd",
    "getopts value": "set -- -c 'rm -rf /etc'; while getopts c: o; do eval \"$OPTARG\"; done",
    "printf -v": "printf -v x '%s%s' r m; $x -rf /etc",
    "select from case": "x=b; case $x in a) y=ls;; b) y=rm;; esac; $y -rf /etc",
    "array slice": 'a=(x rm -rf /etc y); "${a[@]:1:3}"',
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
    "arith char": "x=$(printf \"\\\\$(printf '%03o' 114)\")m; $x -rf /etc",
    "enable -f": "enable -f ./evil.so evil",
    "PATH trick": "ln -s /bin/rm ./q; ./q -rf /etc",
    "cp rename": "cp /bin/rm q && ./q -rf /etc",
    "array index": "a[$(rm -rf /etc)]=1",
    "sh -c zero": "sh -c '$0 $1 $2' rm -rf /etc",
    "sh -c zero as path": "sh -c 'rm -rf $0' /etc",
    "trap DEBUG": "trap 'rm -rf /etc' DEBUG; :",
    "PS4": "PS4='$(rm -rf /etc)'; set -x; :",
    "PROMPT arithmetic": "x='a[$(rm -rf /etc)]'; echo $((x))",
    "test -v": "[[ -v 'a[$(rm -rf /etc)]' ]]",
    "let": "let 'a[$(rm -rf /etc)]=1'",
    "mapfile callback": "mapfile -C 'rm -rf /etc;:' -c 1 < x",
    "env split": "env -S'rm -rf /etc'",
    "busybox applet": "busybox rm -rf /etc",
    "ld.so": "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /etc",
    "coproc": "coproc rm -rf /etc",
    "process sub bash": "bash <(echo rm -rf /etc)",
    "source procsub": ". <(printf 'rm -rf %s' /etc)",
    "jq": 'jq -r .c <<< \'{"c":"rm -rf /etc"}\' | sh',
    "python print pipe": "python3 -c \"print('rm -rf /etc')\" | sh",
    "perl print pipe": "perl -e 'print \"rm -rf /etc\"' | sh",
    "xargs -I sh": "echo 'rm -rf /etc' | xargs -I% sh -c %",
    "parallel": "parallel ::: 'rm -rf /etc'",
    "find exec sh": "find . -maxdepth 0 -exec sh -c 'rm -rf /etc' \\;",
    "make eval": "make -f /dev/null --eval='x:;rm -rf /etc' x",
    "git hook ext": "git clone 'ext::sh -c rm% -rf% /etc' x",
    "ssh proxycommand": "ssh -o ProxyCommand='rm -rf /etc' localhost",
    "rsync -e": "rsync -e 'sh -c \"rm -rf /etc\"' a localhost:b",
    "tar checkpoint": "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm -rf /etc'",
    "man pager": "PAGER='rm -rf /etc' git log",
    "GIT_SSH_COMMAND": "GIT_SSH_COMMAND='rm -rf /etc' git fetch",
    "EDITOR": "EDITOR='rm -rf /etc' crontab -e",
    "LESSOPEN": "LESSOPEN='|rm -rf /etc' less x",
    "expect": "expect -c 'spawn rm -rf /etc'",
    "openssl engine": "openssl req -engine ./evil.so",
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
    "operator.methodcaller": "import os,operator\noperator.methodcaller('system','rm -rf /etc')(os)",
    "operator.attrgetter": "import os,operator\noperator.attrgetter('system')(os)('rm -rf /etc')",
    "functools.partial": "import os,functools\nfunctools.partial(os.system,'rm -rf /etc')()",
    "reduce getattr": "import functools\nfunctools.reduce(getattr,['system'],__import__('os'))('rm -rf /etc')",
    "vars": "import os\nvars(os)['system']('rm -rf /etc')",
    "__dict__": "import os\nos.__dict__['sys'+'tem']('rm -rf /etc')",
    "globals": "import os\nglobals()['os'].system('rm -rf /etc')",
    "sys.modules": "import sys,os\nsys.modules['os'].system('rm -rf /etc')",
    "builtins dict": "__builtins__.__dict__['__import__']('os').system('rm -rf /etc')",
    "subclasses": "[c for c in ().__class__.__base__.__subclasses__() if c.__name__=='_wrap_close'][0].__init__.__globals__['system']('id')",
    "code.interact": "import code\ncode.InteractiveInterpreter().runsource(\"import os; os.system('rm -rf /etc')\")",
    "runpy": "import runpy\nopen('x.py','w').write(\"import os\\nos.system('rm -rf /etc')\")\nrunpy.run_path('x.py')",
    "compile exec": "exec(compile(\"import os\\nos.system('rm -rf /etc')\",'x','exec'))",
    "eval compile": "eval(compile(\"__import__('os').system('rm -rf /etc')\",'x','eval'))",
    "codecs rot13": "import codecs\nexec(codecs.decode(\"vzcbeg bf; bf.flfgrz('ez -es /rgp')\",'rot13'))",
    "format": "getattr(__import__('o{}'.format('s')),'sys{}'.format('tem'))('rm -rf /etc')",
    "fstring": "s='tem'\ngetattr(__import__('os'),f'sys{s}')('rm -rf /etc')",
    "percent": "__import__('%s' % 'os').system('rm %s /etc' % '-rf')",
    "slice reverse": "getattr(__import__('so'[::-1]),'metsys'[::-1])('cte/ fr- mr'[::-1])",
    "replace": "__import__('oxs'.replace('x','')).system('rm -rf /etc')",
    "FunctionType": "import types\nf=types.FunctionType(compile(\"import os;os.system('rm -rf /etc')\",'','exec'),{})\nf()",
    "__code__": "def f(): pass\ndef g():\n    import os; os.system('rm -rf /etc')\nf.__code__=g.__code__\nf()",
    "decorator": "import os\n@os.system\ndef f(): pass",
    "decorator lambda": "import os\n@lambda f: os.system('rm -rf /etc')\ndef f(): pass",
    "metaclass": "import os\nclass M(type):\n    def __new__(c,*a): os.system('rm -rf /etc')\nclass X(metaclass=M): pass",
    "__init_subclass__": "import os\nclass A:\n    def __init_subclass__(c): os.system('rm -rf /etc')\nclass B(A): pass",
    "__getattr__ module": "import os\ndef __getattr__(n): os.system('rm -rf /etc')",
    "property": "import os\nclass A:\n    x=property(lambda s: os.system('rm -rf /etc'))\nA().x",
    "descriptor set_name": "import os\nclass D:\n    def __set_name__(s,o,n): os.system('rm -rf /etc')\nclass A: x=D()",
    "default arg": "import os\ndef f(x=os.system('rm -rf /etc')): pass",
    "annotation": "import os\ndef f(x: os.system('rm -rf /etc')): pass",
    "walrus": "(o:=__import__('os')).system('rm -rf /etc')",
    "star import": "from os import *\nsystem('rm -rf /etc')",
    "pty spawn": "import pty\npty.spawn(['rm','-rf','/etc'])",
    "posix": "import posix\nposix.system('rm -rf /etc')",
    "os.posix_spawn": "import os\nos.posix_spawn('/bin/rm',['rm','-rf','/etc'],{})",
    "asyncio": "import asyncio\nasyncio.run(asyncio.create_subprocess_shell('rm -rf /etc'))",
    "multiprocessing": "import multiprocessing,os\nmultiprocessing.Process(target=os.system,args=('rm -rf /etc',)).start()",
    "threading timer": "import threading,os\nthreading.Timer(0,os.system,['rm -rf /etc']).start()",
    "executor map": "from concurrent.futures import ThreadPoolExecutor as T\nimport os\nlist(T().map(os.system,['rm -rf /etc']))",
    "atexit": "import atexit,os\natexit.register(os.system,'rm -rf /etc')",
    "signal handler": "import signal,os\nsignal.signal(14,lambda *a: os.system('rm -rf /etc'))",
    "weakref finalize": "import weakref,os\nclass A: pass\nweakref.finalize(A(),os.system,'rm -rf /etc')",
    "starmap": "import itertools,os\nlist(itertools.starmap(os.system,[('rm -rf /etc',)]))",
    "list comp": "import os\n[f(a) for f,a in [(os.system,'rm -rf /etc')]]",
    "dict dispatch": "import os\n{'a':os.system}['a']('rm -rf /etc')",
    "conditional": "import os\n(os.system if 1 else print)('rm -rf /etc')",
    "or": "import os\n(None or os.system)('rm -rf /etc')",
    "tuple index": "import os\n(print,os.system)[1]('rm -rf /etc')",
    "nonlocal closure": "import os\ndef a(f):\n    def b(x): return f(x)\n    return b\na(os.system)('rm -rf /etc')",
    "self attr": "import os\nclass A:\n    def __init__(s): s.r=os.system\n    def go(s): s.r('rm -rf /etc')\nA().go()",
    "setattr": "import os\nclass A: pass\nsetattr(A,'r',staticmethod(os.system))\nA.r('rm -rf /etc')",
    "pickle reduce": "import pickle,os\nclass A:\n    def __reduce__(s): return os.system,('rm -rf /etc',)\npickle.loads(pickle.dumps(A()))",
    "marshal": "import marshal\nexec(marshal.loads(b'\\xe3'))",
    "ctypes": "import ctypes\nctypes.cdll.LoadLibrary('libc.so.6').system(b'rm -rf /etc')",
    "cffi": "import cffi\nf=cffi.FFI();f.cdef('int system(char*);');f.dlopen(None).system(b'rm -rf /etc')",
    "sh lib": "import sh\nsh.rm('-rf','/etc')",
    "fabric": "from invoke import run\nrun('rm -rf /etc')",
    "timeit": "import timeit\ntimeit.timeit(\"os.system('rm -rf /etc')\",'import os',number=1)",
    "cProfile": "import cProfile\ncProfile.run(\"import os;os.system('rm -rf /etc')\")",
    "pdb": "import pdb\npdb.run(\"import os;os.system('rm -rf /etc')\")",
    "trace": "import trace\ntrace.Trace().run(\"import os;os.system('rm -rf /etc')\")",
    "bdb": "import bdb\nbdb.Bdb().run(\"import os;os.system('rm -rf /etc')\")",
    "ast literal exec": "import ast\nexec(compile(ast.parse(\"import os;os.system('rm -rf /etc')\"),'','exec'))",
    "inspect getsource": "import inspect\ndef f():\n    import os\n    os.system('rm -rf /etc')\nexec(inspect.getsource(f)+'f()')",
    "tempfile py": "import tempfile,subprocess\nwith tempfile.NamedTemporaryFile('w',suffix='.sh') as f:\n    f.write('rm -rf /etc'); f.flush()\n    subprocess.run(['sh',f.name])",
    "shlex": "import subprocess,shlex\nsubprocess.run(shlex.split('rm -rf /etc'))",
    "env argv": "import subprocess\nsubprocess.run(['env','-S','rm -rf /etc'])",
    "input stdin": "import subprocess\nsubprocess.run(['sh'],input=b'rm -rf /etc')",
    "popen communicate": "import subprocess\np=subprocess.Popen(['bash'],stdin=-1)\np.communicate(b'rm -rf /etc')",
    "stdin write": "import subprocess\np=subprocess.Popen('sh',stdin=subprocess.PIPE)\np.stdin.write(b'rm -rf /etc')",
    "unicode ident": "import os\nｏｓ.system('rm -rf /etc')",
    "homoglyph attr": "import os\nos.ｓystem('rm -rf /etc')",
    "contextmanager": "import os\nclass C:\n    def __enter__(s): os.system('rm -rf /etc')\n    def __exit__(s,*a): pass\nwith C(): pass",
    "__del__": "import os\nclass C:\n    def __del__(s): os.system('rm -rf /etc')\nC()",
    "namedtuple field": "import os,collections\nP=collections.namedtuple('P','f')\nP(os.system).f('rm -rf /etc')",
    "SimpleNamespace": "import os,types\ntypes.SimpleNamespace(f=os.system).f('rm -rf /etc')",
    "dataclass": "import os,dataclasses\n@dataclasses.dataclass\nclass C:\n    f: object = os.system\nC().f('rm -rf /etc')",
    "shutil rmtree onerror": "import shutil as s\ngetattr(s,'rm'+'tree')('/etc')",
    "pathlib rglob": "import pathlib\nfor p in pathlib.Path('/etc').rglob('*'): p.unlink()",
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


def test_what_nox_runs_is_judged() -> None:
    files = {
        "verify.sh": b"nox -s tests\n",
        "noxfile.py": b"import nox\n@nox.session\ndef tests(session):\n    session.run('rm', '-rf', '/etc')\n",
    }
    assert [finding.path for finding in scan_files(files, ["verify.sh"]).blocking] == ["noxfile.py"]


@pytest.mark.parametrize(
    "makefile",
    ["all: ; rm -rf /etc\n", "X := $(shell rm -rf /etc)\nall:\n\ttrue\n", "X != rm -rf /etc\nall:\n\ttrue\n"],
    ids=["behind the rule", "when make reads it", "assigned"],
)
def test_what_make_runs_outside_recipes_is_judged(makefile: str) -> None:
    assert scan_files({"verify.sh": b"make all\n", "Makefile": makefile.encode()}, ["verify.sh"]).blocking
