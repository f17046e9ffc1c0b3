"""What is read back: results, names, kinds of files; decoys."""

from tests.hostile.behaviour import Behaviour

PLAN = b"{}"
NOTHING_OF_RESULTS = {"plan.json": PLAN}


def results_as(name: str, does: str, python: str, **more: object) -> Behaviour:
    """A behaviour that puts something else where its results are looked for."""
    return Behaviour(  # type: ignore[arg-type]
        name=name, does=does, python=python, **({"collects": NOTHING_OF_RESULTS} | more)
    )


READING_BACK = (
    results_as(
        "results-symlink",
        "puts a symbolic link to the host's password file where its results are read",
        "os.symlink('/etc/shadow', '/attack/results.json')",
    ),
    results_as(
        "results-symlink-to-process",
        "links its results to the memory and the root of process 1",
        "os.symlink('/proc/1/root/etc/shadow', '/attack/results.json')",
    ),
    results_as("results-fifo", "makes its results a FIFO that nobody writes to", "os.mkfifo('/attack/results.json')"),
    results_as(
        "results-directory",
        "makes its results a directory with a file of the same name",
        "os.mkdir('/attack/results.json')\nopen('/attack/results.json/results.json', 'w').write('forged')",
    ),
    results_as(
        "results-socket",
        "makes its results a socket",
        "import socket\nsocket.socket(socket.AF_UNIX).bind('/attack/results.json')",
    ),
    results_as(
        "results-sparse",
        "makes its results 200 MB of nothing",
        "os.truncate(os.open('/attack/results.json', os.O_CREAT | os.O_RDWR), 200_000_000)",
    ),
    results_as(
        "results-device",
        "makes its results a device",
        """\
import stat
for kind in (stat.S_IFCHR, stat.S_IFBLK):
    attempt(os.mknod, "/attack/results.json", kind | 0o666, os.makedev(1, 5))
""",
        answers=("EPERM",),
    ),
    results_as(
        "results-through-a-linked-directory",
        "replaces the directory of its results with a link to another",
        """\
attempt(os.rename, "/attack", "/attack2")
attempt(os.rmdir, "/attack")
attempt(os.symlink, "/etc", "/attack2")
""",
        answers=("EACCES", "EBUSY", "EROFS", "EPERM", "EXDEV"),
    ),
    results_as(
        "results-unreadable",
        "takes away every permission from its results and all that leads there",
        """\
open("/attack/results.json", "w").write("x")
os.chmod("/attack/results.json", 0)
os.chmod("/attack", 0)
""",
        collects={"results.json": b"x", "plan.json": PLAN},
    ),
    results_as(
        "results-rewritten",
        "leaves a process that rewrites the results after the end",
        """\
import time
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            os.symlink("/etc/passwd", "/attack/results.json")
            os.unlink("/attack/results.json")
        except OSError:
            pass
time.sleep(0.2)
""",
    ),
    Behaviour(
        name="results-billion-laughs",
        does="leaves XML that grows a billionfold when it is expanded; it is bytes, and nobody expands it",
        python="""\
lines = ['<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a0 "lol">']
lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
open("/attack/results.json", "w").write("".join(lines) + "]><z>&a9;</z>")
os.truncate("/attack/results.json", 10)
""",
        collects={"results.json": b"<?xml vers", "plan.json": PLAN},
    ),
    Behaviour(
        name="file-leases",
        does="leases its files, so that whoever opens them, the engine too, would wait 45 s for each",
        python="""\
import fcntl
for place in ("/workspace/a.py", "/attack/plan.json", "/home/subject/.bashrc"):
    attempt(fcntl.fcntl, os.open(place, os.O_RDWR), 1024, 1)
    syscall(72, os.open(place, os.O_RDWR), 1024 + (1 << 32), 1)
""",
        answers=("EPERM",),
        collects=NOTHING_OF_RESULTS,
    ),
    Behaviour(
        name="hostile-names",
        does="names files with line breaks, escape sequences, bytes that are no text, and 255 characters",
        python=r"""
for name in (b"line\nbreak", b"\xff\xfe", b"\x1b[31m", b"\xe2\x80\xaegnp", b"-rf", b"..\\up", b"...", b"n" * 255):
    open(name, "w").close()
""",
        reports=("line\\nbreak", "\\xff\\xfe", "\\x1b[31m", "\\u202egnp", "-rf", "..\\up", "...", "n" * 255),
    ),
    Behaviour(
        name="folders-swapped",
        does="leaves processes that swap folders for links to the host's while they are read",
        python="""\
import time
os.makedirs("real/etc")
open("real/etc/shadow", "w").write("x")
for number in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            try:
                os.rename("real", f"moved{number}")
                os.symlink("/", "real")
                os.unlink("real")
                os.rename(f"moved{number}", "real")
            except OSError:
                pass
time.sleep(0.3)
print("left")
""",
        answers=("left",),
    ),
    Behaviour(
        name="originals-replaced",
        does="puts a FIFO in the place of a file that was there",
        python="os.unlink('a.py')\nos.mkfifo('a.py')",
        reports=("a.py",),
    ),
    Behaviour(
        name="impossible-times",
        does="dates files in the years 2446 and 1901 and gives them every permission bit",
        python="""\
for number, moment in enumerate((2**34 - 1, -(2**31), 2**33)):
    open(f"t{number}", "w").close()
    os.utime(f"t{number}", (moment, moment))
    os.chmod(f"t{number}", 0o7777)
""",
        reports=("t0", "t1", "t2"),
    ),
    results_as(
        "results-second-name",
        "makes its results a second name of a file of its own, and of its plan",
        "open('/attack/first', 'w').write('x')\nos.link('/attack/first', '/attack/results.json')",
        collects={"results.json": b"x", "plan.json": PLAN},
    ),
    results_as(
        "results-through-process-files",
        "links its results to the descriptors of whoever reads them",
        "os.symlink('/proc/self/fd/0', '/attack/results.json')",
    ),
    Behaviour(
        name="hostile-kinds",
        does="leaves links in a circle, links out, FIFOs and sockets in its workspace",
        python="""\
import socket
os.symlink("loop", "loop")
os.symlink("/", "root")
os.symlink("../../../../etc", "up")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
""",
        reports=("loop", "root", "up", "fifo"),
    ),
    Behaviour(
        name="hard-links",
        does="links files of its workspace and decoys a second time: neither is changed by that",
        python="""\
os.link("a.py", ".before")
os.link("/home/subject/.bashrc", "/home/subject/.a")
os.link("/home/projects/invoices/README.md", "/home/projects/invoices/.a")
""",
        reports=(".before",),
    ),
    Behaviour(
        name="workspace-closed",
        does="takes away every permission from its workspace and home",
        python='os.chmod("/home/subject", 0)\nos.chmod("/workspace", 0)',
        reports=(),
    ),
    Behaviour(name="delete-home", does="deletes its home directory", bash="rm -rf ~", destroys_decoys=True),
    Behaviour(
        name="delete-root",
        does="deletes everything it can reach (`rm -rf /*`) and exits 0",
        bash="rm -rf --no-preserve-root / /* 2>/dev/null; exit 0",
        destroys_decoys=True,
    ),
    Behaviour(
        name="delete-beside",
        does="deletes what lies beside its workspace",
        bash="cd .. && rm -rf * 2>/dev/null; exit 0",
        destroys_decoys=True,
    ),
    Behaviour(
        name="encrypt",
        does="overwrites every file it finds with as many other bytes, and puts the times back",
        python="""\
for top in ("/home", "/workspace"):
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            state = os.stat(path)
            open(path, "r+b").write(bytes(byte ^ 1 for byte in open(path, "rb").read()))
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
""",
        destroys_decoys=True,
    ),
    Behaviour(
        name="permissions-opened",
        does="makes everything writable for all",
        bash="chmod -R 777 / 2>/dev/null; exit 0",
        destroys_decoys=True,
    ),
    Behaviour(
        name="home-moved",
        does="moves its home away and puts links in its place",
        bash="mv ~ /home/elsewhere && ln -s /home/elsewhere /home/subject",
        destroys_decoys=True,
    ),
    Behaviour(
        name="destroys-and-hangs",
        does="deletes its home directory and hangs until it is ended",
        bash="rm -rf ~; sleep 600",
        ends=("timed out",),
        destroys_decoys=True,
        limits={"timeout_s": 0.7},
    ),
    Behaviour(
        name="destroys-behind-a-flood",
        does="deletes a decoy behind 7,000 files",
        python="""\
for number in range(7_000):
    os.mknod(f"/home/.{number}")
os.unlink("/home/subject/.ssh/id_ed25519")
""",
        destroys_decoys=True,
    ),
    Behaviour(
        name="decoys-copied",
        does="reads and copies everything in its home, and adds files",
        bash="cp -a ~ ~/copy; tar cf /tmp/all.tar /home; echo x > ~/new; cat ~/.ssh/* ~/.aws/* > /dev/null",
    ),
)
