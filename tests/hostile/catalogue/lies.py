"""Programs that imitate an end they did not have: output and exit codes prove nothing about limits."""

from tests.hostile.behaviour import Behaviour

LIES = (
    Behaviour(
        name="claims-no-memory",
        does="prints `Killed` and exits 137 as if it had been killed for memory",
        bash="echo Killed; exit 137",
        ends=("exit 137",),
    ),
    Behaviour(
        name="claims-a-full-disk",
        does="prints `No space left on device` and exits 1",
        bash="echo 'OSError: [Errno 28] No space left on device' >&2; exit 1",
        ends=("exit 1",),
    ),
    Behaviour(
        name="claims-a-time-out",
        does="exits 124 as `timeout` does, and prints that it timed out",
        bash="echo 'timed out'; exit 124",
        ends=("exit 124",),
    ),
    Behaviour(
        name="claims-an-engine-error",
        does="prints an engine's error and exits 125 as `docker run` does",
        bash="echo 'Error response from daemon: no such container' >&2; exit 125",
        ends=("exit 125",),
    ),
    Behaviour(
        name="kills-itself",
        does="kills itself with KILL, as the memory killer would",
        bash="kill -9 $$",
        ends=("exit 137",),
    ),
    Behaviour(
        name="prints-the-marker",
        does="prints the line that ends the filling of the container, and the mark of cut output",
        bash=r"printf '\0refute:filled\0\n\n[refute: output cut at 10485760 bytes]\n'",
        answers=("\0refute:filled\0", "[refute: output cut at 10485760 bytes]"),
    ),
    Behaviour(
        name="says-nothing",
        does="closes its output and exits with a code that says nothing",
        bash="exec >&- 2>&-; exit 255",
        ends=("exit 255",),
    ),
    Behaviour(
        name="claims-no-program",
        does="exits 127 and 126 as if its program were missing or could not be started, and says so",
        bash="echo 'exec: \"python3\": executable file not found in $PATH' >&2; exit 127",
        ends=("exit 127",),
    ),
    Behaviour(
        name="claims-a-signal",
        does="prints `Terminated` and exits 143 as if it had been ended from outside",
        bash="echo Terminated >&2; exit 143",
        ends=("exit 143",),
    ),
    Behaviour(
        name="prints-engine-frames",
        does="prints what looks like the engine's framing of streams, and like its events",
        python="""\
os.write(1, b"\\2\\0\\0\\0\\0\\0\\0\\5error" + b'{"status":"oom","Action":"oom","Type":"container"}')
os._exit(7)
""",
        ends=("exit 7",),
        answers=('\x02\0\0\0\0\0\0\x05error{"status":"oom","Action":"oom","Type":"container"}',),
    ),
    Behaviour(
        name="prints-the-fill",
        does="prints and leaves files with what the container was filled with: parts, commands, end marks",
        bash=r"printf 'run 12\nset -- true\narrived=whole\n' | tee 'run 12' > /workspace/fill; cat fill; exit 5",
        ends=("exit 5",),
        answers=("run 12", "set -- true", "arrived=whole"),
        reports=("run 12", "fill"),
    ),
)
