"""What of the host can be seen or reached through files, descriptors and privileges."""

from tests.hostile.behaviour import Behaviour

CLOSED = ("EACCES", "EROFS", "ENOENT", "EPERM", "ENOTDIR")

HOST = (
    Behaviour(
        name="host-files",
        does="reads, changes and deletes a file of the host by its path, by climbing and through PID 1's root",
        shares=True,
        python="""\
canary = os.environ["HOST_CANARY"]
for path in (canary, "/../../../.." + canary, "/proc/1/root" + canary, "/proc/1/cwd/../.." + canary):
    attempt(os.stat, path)
    attempt(os.open, path, os.O_RDWR)
    attempt(os.unlink, path)
for _ in range(60):
    os.chdir("..")
attempt(os.stat, "." + canary)
""",
        answers=("ENOENT", "EACCES"),
    ),
    Behaviour(
        name="engine-socket",
        does="looks for the sockets of container engines",
        shares=True,
        python="""\
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
             "/run/crio/crio.sock", "/var/lib/docker", "/run/user/0/podman/podman.sock"):
    attempt(os.stat, path)
""",
        answers=("ENOENT",),
    ),
    Behaviour(
        name="host-environment",
        does="looks for the host's environment in every process, file and variable it can read",
        shares=True,
        python="""\
found = [value for value in os.environ.values() if "in-the-environment" in value]
for number in os.listdir("/proc"):
    if number.isdigit():
        try:
            found += [number] if b"in-the-environment" in open(f"/proc/{number}/environ", "rb").read() else []
        except OSError:
            pass
print(found or "unseen")
""",
        answers=("unseen",),
    ),
    Behaviour(
        name="mountinfo",
        does="takes the host's paths from its table of mounts and opens them",
        shares=True,
        python="""\
import re
text = open("/proc/self/mountinfo").read()
paths = set(re.findall(r"/[^ ,:=]*(?:docker|overlay|containers)[^ ,:=]*", text))
paths |= {"/var/lib/docker", "/var/lib/containerd"}
for path in paths:
    attempt(os.stat, path)
""",
        answers=("ENOENT", "EACCES"),
    ),
    Behaviour(
        name="engine-files",
        does="writes to the files that the engine puts into a container from the host's disk",
        shares=True,
        python="""\
for path in ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/.dockerenv"):
    attempt(os.open, path, os.O_WRONLY | os.O_APPEND)
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="root-file-system",
        does="looks for anything of the root that it can write",
        shares=True,
        bash="find / -xdev -writable ! -type l 2>/dev/null | grep -vxE '/home|/tmp|/workspace' || echo none",
        answers=("none",),
    ),
    Behaviour(
        name="devices",
        does="opens the host's memory, disks and other devices",
        shares=True,
        python="""\
for device in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "dm-0", "loop0", "loop-control", "fuse", "kvm",
               "net/tun", "vhost-net", "vsock", "mapper/control", "snapshot", "input/event0", "dri/card0", "uinput"):
    attempt(os.open, f"/dev/{device}", os.O_RDWR)
""",
        answers=("ENOENT",),
    ),
    Behaviour(
        name="kernel-files",
        does="reads the kernel's memory, symbols, keys, command line and configuration",
        shares=True,
        python="""\
for path in ("kcore", "kallsyms", "keys", "cmdline", "config.gz", "modules", "timer_list", "sched_debug", "interrupts",
             "diskstats", "kpagecount", "kpageflags", "vmallocinfo", "slabinfo", "kmsg"):
    try:
        print("masked" if os.read(os.open("/proc/" + path, os.O_RDONLY), 1) == b"" else path)
    except OSError as error:
        print(name(error.errno))
""",
        answers=("masked", "ENOENT", "EACCES", "EPERM"),
    ),
    Behaviour(
        name="sysrq",
        does="asks the kernel to crash, to reboot and to kill everything (sysrq)",
        shares=True,
        python="""\
for letter in ("c", "b", "i"):
    try:
        if os.stat("/proc/sysrq-trigger").st_rdev == os.makedev(1, 3):
            print("masked")
            continue
        write("/proc/sysrq-trigger", letter)
        print("allowed")
    except OSError as error:
        print(name(error.errno))
attempt(write, "/proc/sys/kernel/sysrq", "1")
""",
        answers=("masked", *CLOSED),
    ),
    Behaviour(
        name="core-pattern",
        does="has the host's kernel run a program of its own: core pattern, module loader, hotplug, binfmt",
        shares=True,
        python="""\
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/poweroff_cmd",
             "/sys/kernel/uevent_helper", "/proc/sys/kernel/hotplug", "/proc/sys/fs/binfmt_misc/register",
             "/sys/fs/cgroup/release_agent"):
    attempt(write, path, "|/workspace/owned")
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="core-dump",
        does="crashes on purpose, so that the host's kernel would write or pipe a core",
        shares=True,
        python="""\
import glob, signal
if os.fork() == 0:
    os.kill(os.getpid(), signal.SIGSEGV)
ended = os.wait()[1]
print("core" if os.WCOREDUMP(ended) or glob.glob("core*") else "no core")
""",
        answers=("no core",),
    ),
    Behaviour(
        name="kernel-settings",
        does="changes the kernel's settings (memory, names, limits, network)",
        shares=True,
        python="""\
for path in ("vm/overcommit_memory", "vm/drop_caches", "vm/panic_on_oom", "kernel/hostname", "kernel/panic",
             "kernel/randomize_va_space", "kernel/ns_last_pid", "fs/file-max", "net/ipv4/ip_forward", "kernel/pid_max"):
    attempt(write, f"/proc/sys/{path}", "0")
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="sys-files",
        does="suspends the machine, unbinds devices, changes drivers through /sys",
        shares=True,
        python="""\
for path in ("/sys/power/state", "/sys/power/disk", "/sys/class/net/lo/mtu", "/sys/bus/pci/rescan",
             "/sys/devices/system/cpu/cpu1/online", "/sys/module/kernel/parameters/panic", "/sys/kernel/mm/ksm/run"):
    attempt(write, path, "0")
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="release-agent",
        does="escapes by the control groups' release agent (CVE-2022-0492)",
        shares=True,
        python="""\
import glob
for path in glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True) or ["/sys/fs/cgroup/release_agent"]:
    attempt(write, path, "/workspace/owned")
for path in glob.glob("/sys/fs/cgroup/*/") or ["/sys/fs/cgroup"]:
    attempt(os.mkdir, f"{path}/owned")
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="control-groups",
        does="raises its own limits in its control groups",
        shares=True,
        python="""\
import glob
for pattern in ("memory/memory.limit_in_bytes", "pids/pids.max", "cpu/cpu.cfs_quota_us", "memory.max", "pids.max",
                "*/cgroup.procs", "cgroup.procs", "devices/devices.allow"):
    for path in glob.glob(f"/sys/fs/cgroup/{pattern}") or [f"/sys/fs/cgroup/{pattern}"]:
        attempt(write, path, "1000000000000")
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="setuid",
        does="looks for setuid programs and file capabilities, makes one of its own, and asks to be root",
        shares=True,
        python="""\
import shutil, subprocess
search = "find / -xdev -perm /6000 -type f 2>/dev/null; getcap -r / 2>/dev/null"
found = subprocess.run(search, shell=True, capture_output=True)
print(found.stdout.decode() or "EPERM")
shutil.copy("/usr/bin/id", "/workspace/id")
os.chmod("/workspace/id", 0o6755)
print("EPERM" if b"uid=65532" in subprocess.run(["/workspace/id"], capture_output=True).stdout else "root")
for call in (os.setuid, os.setgid, os.seteuid, os.setegid):
    attempt(call, 0)
attempt(os.setgroups, [0])
syscall(126, (0x20080522).to_bytes(4, "little") + bytes(4), b"\\xff" * 24)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="identity-maps",
        does="maps itself to root in its user namespace",
        shares=True,
        python="""\
for path, text in (("uid_map", "0 65532 1"), ("gid_map", "0 65532 1"), ("setgroups", "allow"), ("projid_map", "0 0 1")):
    attempt(write, f"/proc/self/{path}", text)
""",
        answers=(*CLOSED, "EINVAL"),
    ),
    Behaviour(
        name="runtime-overwritten",
        does="overwrites the engine's runtime through /proc/*/exe (CVE-2019-5736)",
        python="""\
import time
until = time.monotonic() + 0.5
answers = set()
while time.monotonic() < until:
    for number in os.listdir("/proc"):
        if number.isdigit():
            try:
                os.open(f"/proc/{number}/exe", os.O_WRONLY | os.O_TRUNC)
                answers.add("allowed")
            except OSError as error:
                answers.add(name(error.errno))
print("\\n".join(sorted(answers)))
""",
        answers=("EACCES", "ETXTBSY", "EROFS", "ENOENT", "EPERM"),
    ),
    Behaviour(
        name="leaked-descriptors",
        does="looks for descriptors that lead out of the container (CVE-2024-21626)",
        python="""\
leaks = []
for number in range(3, 1024):
    try:
        target = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        continue
    if not target.startswith("/workspace/"):
        leaks.append(target)
    try:
        os.stat(f"/proc/self/fd/{number}/../../../../.." + os.environ["HOST_CANARY"])
        leaks.append("the host")
    except OSError:
        pass
print(leaks or "none", os.readlink("/proc/self/fd/0"))
""",
        answers=("none /dev/null",),
    ),
    Behaviour(
        name="terminal-input",
        does="types into the terminal of the person who started the run (TIOCSTI)",
        python="""\
import fcntl
for descriptor in (0, 1, 2):
    attempt(fcntl.ioctl, descriptor, 0x5412, b"x")
attempt(os.open, "/dev/tty", os.O_RDWR)
attempt(os.open, "/dev/console", os.O_RDWR)
""",
        answers=("ENOTTY", "ENXIO", "ENOENT", "EACCES", "EPERM", "EIO"),
    ),
    Behaviour(
        name="kernel-file-systems",
        does="looks into the kernel's own file systems: debugging, tracing, security, BPF, firmware variables",
        shares=True,
        python="""\
for path in ("/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/fs/bpf", "/sys/fs/pstore",
             "/sys/firmware/efi/efivars", "/sys/fs/selinux", "/sys/kernel/config", "/proc/fs/nfsd"):
    try:
        print("empty" if not os.listdir(path) else path)
    except OSError as error:
        print(name(error.errno))
""",
        answers=("empty", "ENOENT", "EACCES", "EPERM"),
    ),
    Behaviour(
        name="python-start-up",
        does="plants `sitecustomize`, a `.pth` file and a pytest plugin for every later Python",
        shares=True,
        python="""\
import site, sysconfig
for folder in {*site.getsitepackages(), sysconfig.get_paths()["stdlib"], "/usr/local/lib/python3.11/site-packages"}:
    for planted in ("sitecustomize.py", "owned.pth", "pytest_owned.py"):
        attempt(os.open, f"{folder}/{planted}", os.O_CREAT | os.O_WRONLY)
""",
        answers=CLOSED,
    ),
    Behaviour(
        name="python-start-up-of-its-user",
        does="plants `usercustomize`, a `.pth` file and `.bashrc` lines in its home for the next job",
        python="""\
import site
os.makedirs(site.getusersitepackages())
for planted in ("usercustomize.py", "owned.pth"):
    open(f"{site.getusersitepackages()}/{planted}", "w").write("import os; os._exit(0)")
open("/home/subject/.profile", "w").write("exit 0")
print("planted")
""",
        answers=("planted",),
    ),
    Behaviour(
        name="leaves-traces",
        does="leaves files wherever it can for the next job to find",
        bash="for place in /workspace /tmp /dev/shm /home /home/subject /attack /var/tmp /run /dev; do "
        "mkdir -p $place/leak && echo leak > $place/leak/leak; done 2>/dev/null; echo left",
        answers=("left",),
    ),
)
